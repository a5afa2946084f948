// Whether the proxy's image is of the release of Istio that the config names.

import { OutriggerError, valueAt } from "@outrigger/base";
import { ISTIO_RELEASES, type IstioRelease, taggedMinor } from "@outrigger/mesh";
import { isImageReference } from "@outrigger/pod";
import { locateYaml } from "@outrigger/yaml";
import type { SourceText } from "../read/source-text.ts";
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
    const file = files.findLast(({ value }) => valueAt(value, steps) !== undefined);
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

/**
 * Adds an error for a value from which no image's name can be made: an empty tag gives `proxyv2:`, which no node can pull. Nothing is
 * added where the value has an error already.
 *
 * @param files the values files of one tree, the lowest first; of several that set a value, the last counts
 */
export function checkImageValues(files: readonly SourceText[], errors: OutriggerError[]): void {
  for (const [steps, around] of Object.entries(IMAGE_PARTS)) {
    const path = steps.split(".");
    const file = files.findLast(({ value }) => valueAt(value, path) !== undefined);
    const value = file && valueAt(file.value, path);
    // A number is a tag too. Other types are reported as such.
    if (file === undefined || (typeof value !== "string" && typeof value !== "number")) continue;
    if (isImageReference(around(String(value)))) continue;
    const place = { path: file.path, ...locateYaml(file.text, path, "value") };
    if (errors.some((error) => error.path === place.path && error.line === place.line)) continue;
    const message = `Cannot use values.${steps}: ${JSON.stringify(value)} gives ${around(String(value))}, which names no image; correct or remove it`;
    errors.push(new OutriggerError("values-invalid", message, place));
  }
}

/** The values of which the proxy's image is made, and an image with each. */
const IMAGE_PARTS: Readonly<Record<string, (value: string) => string>> = {
  "global.hub": (hub) => `${hub}/proxyv2:1`,
  "global.tag": (tag) => `proxyv2:${tag}`,
};
