// What the status of pods and workloads says: conditions and containers. Pure.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";

interface WithStatus {
  readonly status?: unknown;
}

export function conditionOf({ status }: WithStatus, type: string): JsonObject | undefined {
  return objectsOf(objectOf(status)["conditions"]).find((condition) => condition["type"] === type);
}

export function isReady(pod: WithStatus): boolean {
  return conditionOf(pod, "Ready")?.["status"] === "True";
}

/** The statuses of a pod's init containers, followed by those of its containers. */
export function containerStatuses({ status }: WithStatus): readonly JsonObject[] {
  const { initContainerStatuses, containerStatuses: own } = objectOf(status);
  return [...objectsOf(initContainerStatuses), ...objectsOf(own)];
}

/** Reasons of a container that waits for an image that it will not get by itself. */
export const UNPULLED: ReadonlySet<string> = new Set(["ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"]);

export function restartCount({ restartCount: count }: JsonObject): number {
  return typeof count === "number" ? count : 0;
}

/** Container → how often it has been restarted. */
export type Restarts = ReadonlyMap<string, number>;

export function restartsOf(pod: WithStatus): Restarts {
  return new Map(containerStatuses(pod).map((one) => [String(one["name"]), restartCount(one)]));
}
