// What is wrong in a part of a pod that is fine otherwise, in short.
import type { JsonObject } from "@outrigger/base";
import { validatePod } from "@outrigger/pod";

/** `ports[0].name invalid: must be …`, for a container that has the part. */
export function violationsInContainer(part: JsonObject, spec: JsonObject = {}): readonly string[] {
  return violationsInSpec({ ...spec, containers: [{ name: "c", image: "i", ...part }] }, "spec.containers[0]");
}

export function violationsInVolume(part: JsonObject): readonly string[] {
  return violationsInSpec({ volumes: [{ name: "v", ...part }] }, "spec.volumes[0]");
}

/** @param place what all paths begin with, and is left out */
export function violationsInSpec(part: JsonObject, place = "spec"): readonly string[] {
  const spec = { containers: [{ name: "c", image: "i" }], ...part };
  return shorten(validatePod({ metadata: { name: "p" }, spec }), place);
}

export function violationsInMetadata(part: JsonObject, spec: JsonObject = {}): readonly string[] {
  const pod = { metadata: { name: "p", ...part }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
  return shorten(validatePod(pod), "metadata");
}

function shorten(violations: ReturnType<typeof validatePod>, place: string): readonly string[] {
  return violations.map(({ path, code, message }) => {
    const rest = path.startsWith(place) ? path.slice(place.length).replace(/^\./, "") : path;
    return `${rest} ${code}: ${message}`.trim();
  });
}
