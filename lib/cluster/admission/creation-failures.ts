// What controllers say of pods that they could not make: conditions of the workload, and events. Reads only.
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from "@outrigger/base";
import type { KubeClient } from "../kube/kube-client.ts";
import { type Rejection, readRejection } from "./read-rejection.ts";

export interface CreationFailure extends Rejection {
  readonly namespace: string;
  /** `ReplicaSet/web-5d8f` */
  readonly owner: string;
  /** Milliseconds since 1970; 0 where it is not said. */
  readonly at: number;
}

/** A Deployment says of its ReplicaSet, and a ReplicaSet of itself, that no pod could be made. */
export function failuresIn({ kind, metadata, status }: JsonObject, namespace: string): readonly CreationFailure[] {
  return objectsOf(objectOf(status)["conditions"])
    .filter(({ type, status: is }) => type === "ReplicaFailure" && is === "True")
    .map(({ message, lastTransitionTime: time }) =>
      failureOf({ kind, name: objectOf(metadata)["name"], namespace }, message, time),
    );
}

/** Events that are looked at: API servers keep them for an hour. */
const MOST_EVENTS = 500;

/**
 * The failures of the last hour, the last of each controller.
 *
 * @param namespace left out: the whole cluster
 */
export async function readCreationFailures(kube: KubeClient, namespace?: string): Promise<readonly CreationFailure[]> {
  const path =
    namespace === undefined ? "/api/v1/events" : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const last = new Map<string, CreationFailure>();
  let seen = 0;
  for await (const event of kube.list(path, { fieldSelector: "reason=FailedCreate" })) {
    const { involvedObject, message, series, lastTimestamp, eventTime } = event;
    const time = isObject(series) ? series["lastObservedTime"] : (lastTimestamp ?? eventTime);
    const failure = failureOf(objectOf(involvedObject), message, time);
    const key = `${failure.namespace} ${failure.owner}`;
    if ((last.get(key)?.at ?? -1) <= failure.at) last.set(key, failure);
    if (++seen === MOST_EVENTS) break;
  }
  return [...last.values()];
}

function failureOf({ kind, name, namespace }: Partial<JsonObject>, message: unknown, time: unknown): CreationFailure {
  const place = { namespace: String(namespace) };
  const at = Date.parse(textOf(time) ?? "") || 0;
  return { ...place, owner: `${String(kind)}/${String(name)}`, at, ...readRejection(String(message), place) };
}
