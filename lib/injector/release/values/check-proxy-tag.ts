// Whether the proxy's image is of the release of Istio that the config names.

import { valueAt } from "@outrigger/base";
import { ISTIO_RELEASES, type IstioRelease, taggedMinor } from "@outrigger/mesh";
import { locateYaml } from "@outrigger/yaml";
import { type SourceText, settingFile } from "../read/source-text.ts";
import type { TreeFinding } from "../tree-finding.ts";

const TAG = ["global", "tag"];
const IMAGES = ["proxy", "proxy_init"].map((part) => ["global", part, "image"]);

/**
 * Adds a warning for each image of another minor release. A tag without a version is that of a build of your own, and the
 * development line has no tag: neither is checked.
 *
 * @param files the values files of one tree, the lowest first; of several that set a value, the last counts
 */
export function checkProxyTag(files: readonly SourceText[], istio: IstioRelease, warnings: TreeFinding[]): void {
  if (istio === "development") return;
  for (const steps of [TAG, ...IMAGES]) {
    const file = settingFile(files, steps);
    const value = file && valueAt(file.value, steps);
    if (file === undefined || typeof value !== "string") continue;
    const tag = steps === TAG ? value : tagOf(value);
    const minor = tag === undefined ? undefined : taggedMinor(tag);
    if (tag === undefined || minor === undefined || `1.${minor}` === istio) continue;
    const part = steps === TAG ? "the tag" : "the image";
    const other = ISTIO_RELEASES.find((release) => release === `1.${minor}`);
    const wayOut = other === undefined ? "" : `, or set istio: "${other}"`;
    const message = `${steps.join(".")} ${value} is not of Istio ${istio}, the release of the config: remove ${part}, so that it follows the release${wayOut}`;
    warnings.push({ severity: "warning", path: file.path, ...locateYaml(file.text, steps, "key"), message });
  }
}

/** The tag of a whole reference to one of Istio's images. Other images have versions of their own. */
function tagOf(image: string): string | undefined {
  if (!image.includes("/") || !/proxyv2|istio/.test(image)) return undefined;
  return /:([^:/@]+)(?:@[^@]*)?$/.exec(image)?.[1];
}
