// A workload whose controller makes new pods of all of its pods: why it does not come back, and what keeps it from being replaced once
// more.
import { type JsonObject, objectOf, ownError } from "@outrigger/base";
import { readCreationFailures, SETTLE_MILLISECONDS } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import { conditionOf, isReady } from "../pod-status.ts";
import type { Cause } from "./journal-entry.ts";
import { type JudgedAgain, judgeAgain } from "./plan-restart.ts";
import { causeOf, troubleOf } from "./pod-trouble.ts";
import { type Pods, podPath, readWorkload } from "./pods-of-workload.ts";
import { type Action, allowedFor, isStopping, type Look, lateAfter, type Moving, mayWrite, type Run } from "./run.ts";
import { tryNextPod } from "./try-next-pod.ts";
import {
  isMadeSince,
  namesOfOwner,
  paceOf,
  partsOf,
  pathOfWorkload,
  progressMark,
  type RolloutStatus,
  restartedAt,
  restartPatch,
  rolloutStatus,
  timeText,
} from "./workload.ts";

export const restartPods: Action = {
  word: "restarted",
  isBegun: ({ at }, { object }) => restartedAt(object) >= Date.parse(at),
  async whyLeft(run, seen, judged) {
    const tried = await tryNextPod(run, seen, judged !== "foreign");
    if (tried.kind === "unanswered") return "later";
    // Where a quota counts, the next one is tried once the one before it has all of its new pods.
    if (tried.kind === "taken" && tried.isCounted && isMovingIn(run, seen.name)) return "later";
    if (tried.kind === "refused") {
      const moved = await run.whyMoved?.();
      const isOfShare = run.held.current().question.share !== undefined;
      // A pod that never had a sidecar says nothing of the release: it may be refused with any.
      if (moved === undefined && !(isOfShare && judged === "outdated")) return tried;
      // A release that the cluster does not take goes no further, and one that is served no more is not to blame.
      run.failure = moved === undefined ? { workload: seen.name, why: tried.why, isUntouched: true } : { why: moved };
      return "later";
    }
    if (tried.kind === "untried" && !run.untried.has(tried.why)) {
      run.untried.add(tried.why);
      run.report(`Next pods are not tried before a restart: ${tried.why}`);
    }
    return undefined;
  },
  begin: (run, moving) => write(run, moving, run.at).catch(whyRefused),
  async look(run, moving) {
    const { object, pods } = moving;
    const status = rolloutStatus(object);
    const isComplete = status.state === "complete";
    const made = pods.filter((pod) => isMadeSince(pod, restartedAt(object)));
    const mark = `${made.filter(isReady).length} ${progressMark(object)}`;
    const late = lateAfter(moving, mark, isComplete, run.now());
    if (!isComplete) delete moving.complete;
    if (!restartPods.isBegun(run, moving)) return run.isUrgent ? { left: UNDONE.why } : UNDONE;
    const stuck = isComplete ? undefined : await whyNotBack(run, moving, made, status, late);
    // A rollout can be complete and in vain: it is judged once.
    const isAsked = isComplete ? moving.complete === undefined : stuck !== undefined;
    const judged = isAsked ? await judgeAgain(run, isComplete ? pods : made) : "current";
    const cause = stuck ?? (typeof judged === "string" ? IN_VAIN[judged] : undefined);
    const found = cause && (await whileOutdated(run, moving, judged, isComplete ? pods : made));
    if (found !== undefined) return found;
    if (!isComplete) await unblock(run, object, pods);
    // What loses a release keeps no other waiting.
    if (cause !== undefined) return run.isUrgent ? { left: cause.why } : cause;
    if (!isComplete) return "moving";
    moving.complete ??= run.now();
    return isStopping(run) || run.now() - moving.complete >= run.bake ? "back" : "moving";
  },
};

/** Whether a workload of the same namespace is in motion. */
function isMovingIn({ moving }: Run, name: string): boolean {
  const { namespace } = partsOf(name);
  return [...moving.keys()].some((other) => partsOf(other).namespace === namespace);
}

/** The cause where another tool changed the mark of the restart. */
const UNDONE: Cause = {
  why: "another tool has taken its restart back: let it leave kubectl.kubernetes.io/restartedAt and restartAt alone",
};
const DIFFER: Cause = { why: "its new pods differ from what the release injects" };

/**
 * The causes of a rollout that was in vain, by what its new pods are. A webhook that is not called lets pods in without
 * a sidecar.
 */
const IN_VAIN: Readonly<Partial<Record<string, Cause>>> = {
  missing: { why: "its new pods have no sidecar: the webhook was not called, or did not answer" },
  outdated: DIFFER,
  foreign: DIFFER,
};

/** @returns false where it has changed since it was read */
async function write({ kube, atOnce }: Run, { name, object }: Moving, at: string): Promise<boolean> {
  try {
    await atOnce.mergePatch(pathOfWorkload(name) as string, restartPatch(object, at));
    return true;
  } catch (error) {
    ownError(error, "cluster-conflict", "cluster-unreachable");
    // The answer may have been lost, and the conflict is with its own write.
    const now = await readWorkload(kube, name);
    return now !== undefined && restartedAt(now) === Date.parse(at);
  }
}

/** A policy of the cluster may protect one workload: the others are restarted all the same. */
function whyRefused(error: unknown): { readonly why: string } {
  return { why: `the API server would not take its restart: ${ownError(error, "cluster-refused").message}` };
}

/**
 * Looks again before new pods count as wrong. Where they are not what is served, another release may be served by now, and a webhook
 * answers for some seconds with what was served before: then the workload is restarted once more. Undefined where the pods do count as
 * wrong.
 */
async function whileOutdated(run: Run, moving: Moving, judged: JudgedAgain, made: Pods): Promise<Look | undefined> {
  if (judged === "current" || typeof judged === "object") return undefined;
  const { object, pods, name } = moving;
  const why = await run.whyMoved?.();
  if (why !== undefined) {
    run.failure = { why };
    return "moving";
  }
  // Another time in its place is that of the second restart.
  if (judged !== "outdated" || restartedAt(object) !== Date.parse(run.at)) return undefined;
  const isDown = made.some((pod) => !isReady(pod));
  if (isStopping(run)) return isDown ? undefined : "halted";
  const newest = Math.max(...made.map((pod) => Date.parse(metadataOf(pod).creationTimestamp)));
  if (run.now() - newest < SETTLE_MILLISECONDS) return "moving";
  if (!isDown) {
    // One that is well takes nothing of its budgets until then: two of them would wait for each other.
    moving.taken = 0;
    const allowed = await allowedFor(run, moving);
    moving.blocked = `its new pods have what was served before, and the PodDisruptionBudget ${allowed.budget} allows no disruption for a second restart: restart it yourself`;
    if (allowed.pods <= 0) return "moving";
  }
  moving.taken = paceOf(object, pods.length);
  if (!(await mayWrite(run, moving))) return "stale";
  if (!(await write(run, moving, timeText(run.now())))) return "moving";
  moving.since = run.now();
  run.report(`${name} is restarted once more: its new pods have what was served before`);
  return "moving";
}

/** Returns why a workload whose rollout is not complete will not come back by itself, or undefined while it may. */
async function whyNotBack(
  { kube }: Run,
  { name, object, since }: Moving,
  made: Pods,
  { state, why, isUnseen }: RolloutStatus,
  afterDeadline: string | undefined,
): Promise<Cause | undefined> {
  const { namespace } = partsOf(name);
  const failures = (await readCreationFailures(kube, namespace)).filter(
    ({ owner, at }) => namesOfOwner(namespace, owner).includes(name) && at >= since - 1000,
  );
  const rejected = failures.find(
    ({ cause, at }) => !PASSES.has(cause) || (cause === "quota" && at >= since + spaceBy(object)),
  );
  if (rejected !== undefined) return { why: `no new pod can be made: ${rejected.message}` };
  const trouble = troubleOf(made);
  const isFailed = state === "failed";
  // Of a Deployment that is not paused, Kubernetes' own condition decides, once it has seen the change, and until it was complete.
  const { reason = COMPLETED } = conditionOf(object, "Progressing") ?? {};
  const isPaused = objectOf(object["spec"])["paused"] === true;
  const isTimed = object["kind"] === "Deployment" && !isUnseen && !isPaused && reason !== COMPLETED;
  const late = isTimed ? undefined : afterDeadline;
  if (!isFailed && late === undefined && trouble?.isFinal !== true) return undefined;
  const when = isFailed || late === undefined ? why : `${late}, ${why}`;
  if (trouble !== undefined) return causeOf({ ...trouble, why: `${trouble.why} (${when})` });
  const failed = failures[0]?.message ?? objectOf(conditionOf(object, "ReplicaFailure"))["message"];
  return { why: failed === undefined ? when : `${String(failed)} (${when})` };
}

const COMPLETED = "NewReplicaSetAvailable";

/** Milliseconds after which a pod that was to go is gone, and a quota has its space: kubelets end it after its grace period. */
function spaceBy({ spec }: JsonObject): number {
  const { terminationGracePeriodSeconds: seconds } = objectOf(objectOf(objectOf(spec)["template"])["spec"]);
  return (typeof seconds === "number" ? seconds : 30) * 1000 + 10_000;
}

/** A quota has space when the old pods are gone, and a webhook may answer again. */
const PASSES: ReadonlySet<string> = new Set("quota own-certificate own-webhook own-token missing-service".split(" "));

/**
 * A StatefulSet and a Rollout wait for a pod that is not ready, even to replace it (kubernetes#67250): such pods of an earlier revision
 * are deleted.
 */
async function unblock(run: Run, workload: JsonObject, pods: Pods) {
  const { kube, report, held, at, isUrgent } = run;
  const { updateRevision } = objectOf(workload["status"]);
  const isSet = workload["kind"] === "StatefulSet" && updateRevision !== undefined;
  if (!isSet && workload["kind"] !== "Rollout") return;
  for (const pod of pods) {
    const { name, namespace, labels, resourceVersion, creationTimestamp } = metadataOf(pod);
    const isOld = isSet
      ? labels["controller-revision-hash"] !== updateRevision
      : Date.parse(creationTimestamp) < restartedAt(workload);
    // Where nothing is taken back, only what a restart has made that was made once more.
    const isOwn = isUrgent || isMadeSince(pod, Date.parse(at));
    if (isReady(pod) || !isOld || !isOwn) continue;
    await held.write({});
    try {
      await kube.remove(podPath(namespace, name), resourceVersion);
      report(`${namespace}/Pod/${name} is deleted: its controller waits for it`);
    } catch (error) {
      // It has changed since it was read: it is looked at again.
      ownError(error, "cluster-conflict");
    }
  }
}
