// The workloads that are back stay under watch until the restart ends: ready once is not well. Their pods are read before each next
// workload, and at the end.
import type { JsonObject } from "@outrigger/base";
import { type RunningQuestion, runningPods } from "@outrigger/cluster";
import { workloadOf } from "@outrigger/injector";
import { metadataOf, type Pod } from "@outrigger/pod";
import { isReady, restartsOf } from "../pod-status.ts";
import { writtenAt } from "./changed-pod.ts";
import type { Cause, RestartFailure } from "./journal-entry.ts";
import { causeOf, troubleOf } from "./pod-trouble.ts";
import type { SeenWorkload } from "./pods-of-workload.ts";
import { freshLook, type Run, type WatchedPods } from "./run.ts";
import { isMadeSince, nameOf, partsOf } from "./workload.ts";

/** The milliseconds that a pod which was ready may be down, where nothing else is wrong: its node may be away. */
const PATIENCE = 600_000;

/** Whether all that is done is still well, by one reading of their pods in a look. Why it is not for good is in `run.failure`. */
export async function isWell(run: Run): Promise<boolean> {
  const look = freshLook(run);
  if (look.isWell === undefined) {
    const found = run.isUrgent ? undefined : await lookAtDone(run);
    if (typeof found === "object") run.failure = found;
    look.isWell = found === undefined;
  }
  return look.isWell;
}

/** Undefined while all are well; `waiting` while one is down that may come back. */
async function lookAtDone({ kube, now, done }: Run): Promise<"waiting" | RestartFailure | undefined> {
  let isDown = false;
  for (const namespace of new Set([...done.keys()].map((name) => partsOf(name).namespace))) {
    for await (const pod of runningPods(kube, { namespace })) {
      const workload = nameOf(workloadOf(pod as Pod));
      const known = done.get(workload);
      const found = known && lookAtPod(known, { metadata: pod.metadata, status: pod.status }, now());
      if (typeof found === "object") return { workload, ...found };
      isDown ||= found === "waiting";
    }
  }
  return isDown ? "waiting" : undefined;
}

function lookAtPod(known: WatchedPods, pod: JsonObject, now: number): "waiting" | Cause | undefined {
  const { uid, name } = metadataOf(pod);
  if (isReady(pod)) {
    known.set(uid, { restarts: restartsOf(pod) });
    return undefined;
  }
  const before = known.get(uid);
  const trouble = troubleOf([pod], before?.restarts);
  const isFallen = trouble?.isFinal === true || (trouble?.isInjected === true && before !== undefined);
  // One that is new, as an autoscaler makes it, has to become ready first.
  if (before === undefined && !isFallen) return undefined;
  const down = before?.down ?? now;
  if (before !== undefined) known.set(uid, { ...before, down });
  if (!isFallen && now - down < PATIENCE) return "waiting";
  const late = { pod: name, container: "-", why: `it is not ready after ${PATIENCE / 1000} s` };
  const cause = causeOf({ ...(trouble ?? late), isOwn: false });
  return { ...cause, why: `it was back, and fell: ${cause.why}` };
}

export function watchDone({ done }: Run, { name, pods }: SeenWorkload): void {
  done.set(name, new Map(pods.filter(isReady).map((pod) => [metadataOf(pod).uid, { restarts: restartsOf(pod) }])));
}

/** Watches what earlier commands have restarted, after a takeover: it is known by its pods. */
export async function watchEarlier({ kube, at, moving, done }: Run, question: RunningQuestion): Promise<void> {
  for await (const pod of runningPods(kube, question)) {
    const name = nameOf(workloadOf(pod as Pod));
    const isMade = isMadeSince({ metadata: pod.metadata }, Date.parse(at)) || writtenAt(pod.whole()) >= Date.parse(at);
    if (moving.has(name) || !isMade) continue;
    const known = done.get(name) ?? new Map();
    if (isReady(pod)) known.set(metadataOf(pod).uid, { restarts: restartsOf(pod) });
    done.set(name, known);
  }
}
