// Whether an imported `global.tag` is left out: then the images follow the release that the config names.

import { isObject, type JsonObject } from "@outrigger/base";
import type { IstioRelease } from "@outrigger/mesh";
import { taggedMinor } from "@outrigger/mesh";
import type { ImportFinding } from "../import-finding.ts";

/**
 * Values without the tag, where it is that of the release itself. Any other tag stays: pods keep the image that they have. Lint
 * warns of the tag of another release.
 *
 * @param tagOf the tag of a release's images
 */
export function withReleaseTag(
  values: JsonObject,
  istio: IstioRelease | undefined,
  tagOf: (istio: IstioRelease) => string | undefined,
  findings: ImportFinding[],
): JsonObject {
  const global = values["global"];
  if (istio === undefined || !isObject(global) || typeof global["tag"] !== "string") return values;
  const { tag, ...others } = global;
  const current = tagOf(istio);
  if (tag === current) {
    const message = `Left out global.tag ${tag}: it is that of istio: "${istio}", and the images follow that release`;
    findings.push({ severity: "note", file: "config.yaml", message });
    return { ...values, global: others };
  }
  if (`1.${taggedMinor(String(tag))}` === istio) {
    const message = `global.tag stays ${tag}, while istio: "${istio}" has ${current}: remove it before you move istio to another release, or the images stay behind`;
    findings.push({ severity: "note", file: "values/10-imported.yaml", message });
  }
  return values;
}
