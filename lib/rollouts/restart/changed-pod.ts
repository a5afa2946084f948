// How far the new images of a pod are that is changed where it runs: whether each changed container runs its own. Pure.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import type { PodChange } from "@outrigger/injector";
import { metadataOf } from "@outrigger/pod";
import { FIELD_MANAGER } from "@outrigger/webhook";
import { managedContainers } from "../compare/release-changes.ts";
import { conditionOf, containerStatuses, isReady } from "../pod-status.ts";

/**
 * @param workload whose `minReadySeconds` counts
 * @param bake milliseconds that it must be well at least
 */
export function isChanged(pod: JsonObject, workload: JsonObject, now: number, bake = 0): boolean {
  const changed = changedContainers(pod);
  if (!isReady(pod) || changed.some(({ isNew }) => !isNew)) return false;
  const since = Date.parse(String(conditionOf(pod, "Ready")?.["lastTransitionTime"]));
  const { minReadySeconds } = objectOf(workload["spec"]);
  const minimum = Math.max(bake, typeof minReadySeconds === "number" ? minReadySeconds * 1000 : 0);
  return [since, ...changed.map(({ start }) => start)].every((time) => Number.isNaN(time) || now - time >= minimum);
}

/** The containers whose images were written in place, and whether they run them; without init containers that have run. */
function changedContainers(pod: JsonObject) {
  const changed = managedContainers(entryOf(pod) ?? {}, "f:image");
  const written = writtenAt(pod);
  const spec = objectOf(pod["spec"]);
  const statuses = new Map(containerStatuses(pod).map((status) => [status["name"], status]));
  return (["initContainers", "containers"] as const).flatMap((list) =>
    objectsOf(spec[list]).flatMap(({ name, image }) => {
      const status = statuses.get(name);
      const { running, terminated } = objectOf(status?.["state"]);
      if (status === undefined || terminated !== undefined || !changed.has(String(name))) return [];
      const start = Date.parse(String(objectOf(running)["startedAt"]));
      // A runtime may name the image by another of its tags.
      const isNew = isImage(status, String(image)) || start >= written;
      const stale = { name: String(name), field: `${list}[${String(name)}].image` };
      return [{ ...stale, running: status["image"] ?? "", now: String(image), start, isNew }];
    }),
  );
}

/** The time at which this tool last wrote into the pod; not a number where it has not. */
export function writtenAt(pod: JsonObject): number {
  return Date.parse(String(entryOf(pod)?.["time"]));
}

function entryOf(pod: JsonObject): JsonObject | undefined {
  return metadataOf(pod).managedFields.find(
    ({ manager, operation, subresource }) => manager === FIELD_MANAGER && operation === "Update" && !subresource,
  );
}

/** Images that were written in place, and that their node does not run. */
export function staleImages(pod: JsonObject): readonly (PodChange & { readonly name: string })[] {
  const stale = changedContainers(pod).filter(({ isNew }) => !isNew);
  return stale.map(({ name, field, running, now }) => ({ name, field, running, now }));
}

/** Whether a container runs the wanted image, by its name as a runtime completes it, or by its digest. */
export function isImage({ image, imageID }: JsonObject, wanted: string): boolean {
  const [, digest] = wanted.split("@");
  if (digest !== undefined) return String(imageID).endsWith(digest);
  return completed(String(image)) === completed(wanted);
}

function completed(image: string): string {
  const short = image.replace(/^docker\.io\/(library\/)?/, "");
  const hasTag = short.slice(short.lastIndexOf("/") + 1).includes(":");
  return hasTag ? short : `${short}:latest`;
}
