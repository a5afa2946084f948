// Which Istio release an imported configuration is of: from the templates that are Istio's own, and from the images' tag.

import { ISTIO_RELEASES, type IstioRelease, isIstioRelease, taggedMinor } from "@outrigger/mesh";
import type { ImportFinding } from "../documents/read-documents.ts";
import type { ShippedTemplate } from "../templates/shipped-template.ts";

const MINORS = ISTIO_RELEASES.flatMap((release) => taggedMinor(release) ?? []);
const OLDEST = Math.min(...MINORS);
/** Istio's development line, after all releases. */
const DEVELOPMENT = Math.max(...MINORS) + 1;

/**
 * A text can be in several releases. Of those that all recognised templates have in common, the one that the tag names is
 * meant, else the newest.
 *
 * @returns the value of `istio` in the config, and the minor release that the configuration is of: 24 of 1.24
 */
export function recogniseRelease(
  recognised: readonly ShippedTemplate[],
  tag: unknown,
  findings: ImportFinding[],
): { readonly istio: IstioRelease | undefined; readonly minor: number | undefined } {
  const tagged = taggedMinor(String(tag ?? ""));
  const sidecar = recognised.filter(({ template }) => template === "sidecar");
  const ranges = (sidecar.length > 0 ? sidecar : recognised).map(
    ({ first, last }) => [taggedMinor(first) ?? DEVELOPMENT, taggedMinor(last) ?? DEVELOPMENT] as const,
  );
  const oldest = Math.max(...ranges.map(([first]) => first));
  const newest = Math.min(...ranges.map(([, last]) => last));
  const isKnown = ranges.length > 0 && oldest <= newest;
  const isTagMeant = tagged !== undefined && (!isKnown || (tagged >= oldest && tagged <= newest));
  const minor = isTagMeant ? tagged : isKnown ? newest : undefined;
  if (minor === undefined) return { istio: undefined, minor: undefined };
  const istio = releaseOf(minor);
  const note = (severity: "note" | "warning", message: string) =>
    void findings.push({ severity, file: "config.yaml", message });
  if (minor < OLDEST) {
    const message = `The configuration is of Istio 1.${minor}; the oldest release that is injected is 1.${OLDEST}, so istio is "${istio}": compare pods with outrigger import --compare before you move any`;
    note("warning", message);
  } else if (minor > DEVELOPMENT) {
    note("warning", `The configuration is of Istio 1.${minor}, which is not known yet: istio is "${istio}"`);
  } else {
    note("note", `istio is "${istio}", by ${isKnown ? "Istio's own templates" : `the tag ${String(tag)}`}`);
  }
  if (isKnown && tagged !== undefined && !isTagMeant) {
    const message = `The images have the tag ${String(tag)}, and the templates are those of ${istio}: set global.tag or istio, so that both are of one release`;
    note("warning", message);
  }
  return { istio, minor };
}

function releaseOf(minor: number): IstioRelease {
  const name = `1.${Math.max(minor, OLDEST)}`;
  return isIstioRelease(name) ? name : "development";
}
