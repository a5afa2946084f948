// The workloads that are back stay under watch until the restart ends: ready once is not well. Their pods are read before each next
// workload, and at the end.
import type { JsonObject } from "@outrigger/base";
import { type KubeClient, runningPods } from "@outrigger/cluster";
import { metadataOf, type Pod } from "@outrigger/pod";
import { isReady } from "../pod-status.ts";
import { workloadOf } from "../running.ts";
import type { RestartFailure } from "./journal-entry.ts";
import { type PodTrouble, troubleOf } from "./pod-trouble.ts";
import { textOfName, type WorkloadName } from "./workload.ts";

/** Since when pods are down that had been ready: uid → time. */
type Falls = Map<string, number>;

/** A workload that is back, and which of its pods were ready since: uids. */
export interface DoneWorkload {
  readonly workload: WorkloadName;
  readonly ready: Set<string>;
  readonly falls: Falls;
}

/** So long a pod may be down that was ready, where nothing else is wrong: its node may be away. */
const PATIENCE = 600_000;

/**
 * Undefined while all are well; `waiting` while one is down that may come back.
 *
 * @param done by the text of their names
 */
export async function lookAtDone(
  { kube, now }: { readonly kube: Pick<KubeClient, "pods">; readonly now: () => number },
  done: ReadonlyMap<string, DoneWorkload>,
): Promise<"waiting" | RestartFailure | undefined> {
  let isDown = false;
  for (const namespace of new Set([...done.values()].map(({ workload }) => workload.namespace))) {
    for await (const pod of runningPods(kube, { namespace })) {
      const name = textOfName(workloadOf(pod as Pod));
      const known = done.get(name);
      const found = known && look(known, { metadata: pod.metadata, status: pod.status }, now());
      if (typeof found === "object") return { workload: name, ...found };
      isDown ||= found === "waiting";
    }
  }
  return isDown ? "waiting" : undefined;
}

type Fallen = Pick<RestartFailure, "why" | "pod" | "container">;

function look({ ready, falls }: DoneWorkload, pod: JsonObject, now: number): "waiting" | Fallen | undefined {
  const { uid, name } = metadataOf(pod);
  if (isReady(pod)) {
    ready.add(uid);
    falls.delete(uid);
    return undefined;
  }
  const trouble = troubleOf([pod]);
  if (trouble?.isFinal === true) return fallen(trouble);
  // One that is new, as an autoscaler makes it, has to become ready first.
  if (!ready.has(uid)) return undefined;
  if (trouble?.isInjected === true) return fallen(trouble);
  const since = falls.get(uid) ?? now;
  falls.set(uid, since);
  if (now - since < PATIENCE) return "waiting";
  return fallen(trouble ?? { pod: name, container: "-", why: `it is not ready after ${PATIENCE / 1000} s` });
}

function fallen({ pod, container, why }: Pick<PodTrouble, "pod" | "container" | "why">): Fallen {
  return { why: `it was back, and fell: pod ${pod}, container ${container}: ${why}`, pod, container };
}
