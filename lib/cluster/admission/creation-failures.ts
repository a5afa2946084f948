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
      failureOf({ kind, name: objectOf(metadata)["name"], namespace }, message, Date.parse(textOf(time) ?? "") || 0),
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
    const { involvedObject, message } = event;
    const failure = failureOf(objectOf(involvedObject), message, timeOf(event));
    const key = `${failure.namespace} ${failure.owner}`;
    if ((last.get(key)?.at ?? -1) <= failure.at) last.set(key, failure);
    if (++seen === MOST_EVENTS) break;
  }
  return [...last.values()];
}

/** Controllers that are asked about: where more fail, all the others are taken to fail still. */
const MOST_ASKED = 20;

/** The failures after which their controllers have made no pod, the newest first: what was fixed since is no failure. */
export async function readLastingFailures(kube: KubeClient): Promise<readonly CreationFailure[]> {
  const newest = (await readCreationFailures(kube)).toSorted((a, b) => b.at - a.at);
  const isOver = await Promise.all(newest.slice(0, MOST_ASKED).map((failure) => hasMadeOneSince(kube, failure)));
  return newest.filter((_, index) => isOver[index] !== true);
}

async function hasMadeOneSince(kube: KubeClient, { namespace, owner, at }: CreationFailure): Promise<boolean> {
  const [kind, name] = owner.split("/");
  const fieldSelector = `reason=SuccessfulCreate,involvedObject.kind=${kind},involvedObject.name=${name}`;
  for await (const event of kube.list(`/api/v1/namespaces/${encodeURIComponent(namespace)}/events`, {
    fieldSelector,
  })) {
    if (timeOf(event) > at) return true;
  }
  return false;
}

/** Milliseconds since 1970; 0 where it is not said. */
function timeOf({ series, lastTimestamp, eventTime }: JsonObject): number {
  const time = isObject(series) ? series["lastObservedTime"] : (lastTimestamp ?? eventTime);
  return Date.parse(textOf(time) ?? "") || 0;
}

function failureOf({ kind, name, namespace }: Partial<JsonObject>, message: unknown, at: number): CreationFailure {
  const place = { namespace: String(namespace) };
  return { ...place, owner: `${String(kind)}/${String(name)}`, at, ...readRejection(String(message), place) };
}
