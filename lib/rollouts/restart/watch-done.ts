// The workloads that are back stay under watch until the restart ends: ready once is not well. Their pods are read before each next
// workload, and at the end.
import type { JsonObject } from "@outrigger/base";
import { type RunningQuestion, runningPods } from "@outrigger/cluster";
import { metadataOf, type Pod } from "@outrigger/pod";
import { isReady, restartsOf } from "../pod-status.ts";
import { workloadOf } from "../running.ts";
import { writtenAt } from "./changed-pod.ts";
import type { Cause, RestartFailure } from "./journal-entry.ts";
import { causeOf, type PodTrouble, troubleOf } from "./pod-trouble.ts";
import { freshLook, type Run, type Watched } from "./run.ts";
import { RESTARTED_AT, textOfName } from "./workload.ts";

/** So long a pod may be down that was ready, where nothing else is wrong: its node may be away. */
const PATIENCE = 600_000;

/** Whether all that is done is still well, by one reading of their pods in a look. Why it is not for good is in `look.failure`. */
export async function isWell(run: Run): Promise<boolean> {
  const look = freshLook(run);
  if (look.isWell === undefined) {
    const found = run.isUrgent ? undefined : await lookAtDone(run);
    if (typeof found === "object") look.failure = found;
    look.isWell = found === undefined;
  }
  return look.isWell;
}

/** Undefined while all are well; `waiting` while one is down that may come back. */
async function lookAtDone({
  kube,
  now,
  done,
}: Pick<Run, "kube" | "now" | "done">): Promise<"waiting" | RestartFailure | undefined> {
  let isDown = false;
  for (const namespace of new Set([...done.values()].map(({ workload }) => workload.namespace))) {
    for await (const pod of runningPods(kube, { namespace })) {
      const workload = textOfName(workloadOf(pod as Pod));
      const known = done.get(workload);
      const found = known && lookAtPod(known, { metadata: pod.metadata, status: pod.status }, now());
      if (typeof found === "object") return { workload, ...found };
      isDown ||= found === "waiting";
    }
  }
  return isDown ? "waiting" : undefined;
}

function lookAtPod({ ready, falls }: Watched, pod: JsonObject, now: number): "waiting" | Cause | undefined {
  const { uid, name } = metadataOf(pod);
  if (isReady(pod)) {
    ready.set(uid, restartsOf(pod));
    falls.delete(uid);
    return undefined;
  }
  const trouble = troubleOf([pod], ready.get(uid));
  if (trouble?.isFinal === true) return fallen(trouble);
  // One that is new, as an autoscaler makes it, has to become ready first.
  if (!ready.has(uid)) return undefined;
  if (trouble?.isInjected === true) return fallen(trouble);
  const since = falls.get(uid) ?? now;
  falls.set(uid, since);
  if (now - since < PATIENCE) return "waiting";
  return fallen(trouble ?? { pod: name, container: "-", why: `it is not ready after ${PATIENCE / 1000} s` });
}

function fallen({ pod, container, why }: Pick<PodTrouble, "pod" | "container" | "why">): Cause {
  const found = causeOf({ pod, container, why });
  return { ...found, why: `it was back, and fell: ${found.why}` };
}

/** After a takeover: what the commands before have done is known by its pods. */
export async function watchEarlier({ kube, at, moving, done }: Run, question: RunningQuestion): Promise<void> {
  for await (const pod of runningPods(kube, question)) {
    const workload = workloadOf(pod as Pod);
    const name = textOfName(workload);
    const { annotations, creationTimestamp, uid } = metadataOf(pod);
    const isMade =
      Date.parse(String(annotations[RESTARTED_AT])) >= Date.parse(at) ||
      (workload.kind === "Rollout" && creationTimestamp >= at);
    if (moving.has(name) || !(isMade || writtenAt(pod.whole()) >= Date.parse(at))) continue;
    const known = done.get(name) ?? { workload, ready: new Map(), falls: new Map() };
    if (isReady(pod)) known.ready.set(uid, restartsOf(pod));
    done.set(name, known);
  }
}
