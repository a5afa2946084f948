// Whether a pod whose images were changed where it runs has come back: each changed container runs the image, and the pod is ready. Pure.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { containersOf } from "@outrigger/pod";
import { FIELD_MANAGER } from "@outrigger/webhook";
import { managedContainers } from "../compare/managed-containers.ts";
import { conditionOf, containerStatuses, isReady } from "../pod-status.ts";

/**
 * @param workload whose `minReadySeconds` counts
 * @param now milliseconds since 1970
 */
export function isChanged(pod: JsonObject, workload: JsonObject, now: number): boolean {
  const entry = objectsOf(objectOf(pod["metadata"])["managedFields"]).find(
    ({ manager, operation, subresource }) => manager === FIELD_MANAGER && operation === "Update" && !subresource,
  );
  const changed = managedContainers(entry ?? {}, "f:image");
  const written = Date.parse(String(entry?.["time"]));
  const images = new Map(containersOf(pod["spec"]).map(({ name, image }) => [name, image]));
  const starts: number[] = [];
  for (const status of containerStatuses(pod)) {
    const { startedAt } = objectOf(objectOf(status["state"])["running"]);
    const isOver = objectOf(status["state"])["terminated"] !== undefined;
    // An init container that has run does not run again.
    if (!changed.has(String(status["name"])) || isOver) continue;
    const start = Date.parse(String(startedAt));
    // A runtime may name the image by another of its tags.
    if (!isImage(status, String(images.get(status["name"] as string))) && !(start >= written)) return false;
    starts.push(start);
  }
  if (!isReady(pod)) return false;
  const since = Date.parse(String(conditionOf(pod, "Ready")?.["lastTransitionTime"]));
  const { minReadySeconds } = objectOf(workload["spec"]);
  const minimum = typeof minReadySeconds === "number" ? minReadySeconds * 1000 : 0;
  return [since, ...starts].every((time) => Number.isNaN(time) || now - time >= minimum);
}

/** By its name, as a runtime completes it, or by its digest. */
function isImage({ image, imageID }: JsonObject, wanted: string): boolean {
  const [, digest] = wanted.split("@");
  if (digest !== undefined) return String(imageID).endsWith(digest);
  return completed(String(image)) === completed(wanted);
}

function completed(image: string): string {
  const short = image.replace(/^docker\.io\/(library\/)?/, "");
  const hasTag = short.slice(short.lastIndexOf("/") + 1).includes(":");
  return hasTag ? short : `${short}:latest`;
}
