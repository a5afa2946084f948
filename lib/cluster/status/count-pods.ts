// How the pods of a rollout do: which release each was injected with, by its workload's place in the share, and whether it is
// ready. Pure.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { ChannelRecord } from "@outrigger/publisher";
import { isPodInShare } from "@outrigger/serving";
import { isInjected } from "@outrigger/webhook";
import { injectedRevision } from "./injected-revision.ts";

export interface PodCounts {
  readonly pods: number;
  readonly ready: number;
  /** Pods of which a container was restarted. */
  readonly restarting: number;
}

/**
 * Counts injected pods by release: those that were made since the share began, by what their workload is served.
 *
 * @param cluster its registered name
 * @param isOf whether a revision is served from the channel
 */
export async function countPods(
  pods: AsyncIterable<JsonObject>,
  { release, share }: Pick<ChannelRecord, "release" | "share">,
  {
    cluster,
    since,
    isOf,
  }: { readonly cluster: string; readonly since: number; readonly isOf: (revision: string) => boolean },
): Promise<Readonly<Record<string, PodCounts>>> {
  const counts = new Map<string, PodCounts>();
  for await (const object of pods) {
    const pod = object as Pod & JsonObject;
    const { namespace = "", creationTimestamp } = (pod.metadata ?? {}) as {
      namespace?: string;
      creationTimestamp?: string;
    };
    if (!isInjected(pod) || Date.parse(creationTimestamp ?? "") < since || !isOf(injectedRevision(pod))) continue;
    const isShared = share !== undefined && isPodInShare({ cluster, pod, namespace }, share.percent);
    const of = isShared ? share.release : release;
    const { pods: count, ready, restarting } = counts.get(of) ?? { pods: 0, ready: 0, restarting: 0 };
    const isReady = conditions(pod).some(({ type, status }) => type === "Ready" && status === "True");
    counts.set(of, {
      pods: count + 1,
      ready: ready + (isReady ? 1 : 0),
      restarting: restarting + (restarts(pod) > 0 ? 1 : 0),
    });
  }
  return Object.fromEntries(counts);
}

function conditions(pod: JsonObject): readonly JsonObject[] {
  return objectsOf(statusOf(pod)["conditions"]);
}

function restarts(pod: JsonObject): number {
  const { containerStatuses, initContainerStatuses } = statusOf(pod);
  const statuses = [...objectsOf(containerStatuses), ...objectsOf(initContainerStatuses)];
  return statuses.reduce((sum, { restartCount }) => sum + (typeof restartCount === "number" ? restartCount : 0), 0);
}

function statusOf({ status }: JsonObject): JsonObject {
  return objectOf(status);
}
