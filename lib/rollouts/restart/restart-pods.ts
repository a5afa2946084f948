// A workload whose controller makes new pods of all of its pods: why it does not come back, and what keeps it from being replaced once
// more.
import { type JsonObject, objectOf, ownError } from "@outrigger/base";
import { readCreationFailures, SETTLE_MILLISECONDS } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import { conditionOf, isReady } from "../pod-status.ts";
import type { Cause } from "./journal-entry.ts";
import { judgeAgain, readWorkload } from "./plan-restart.ts";
import { causeOf, troubleOf } from "./pod-trouble.ts";
import { allowedFor, podPath, reservationOf } from "./pods-of-workload.ts";
import { type Action, isStale, isStopping, type Moving, moved, type Run } from "./run.ts";
import {
  deadlineOf,
  namesOfOwner,
  pathOfWorkload,
  progressMark,
  RESTARTED_AT,
  type RolloutStatus,
  restartedAt,
  restartPatch,
  rolloutStatus,
  textOfName,
  type WorkloadName,
} from "./workload.ts";

export const restartPods: Action = {
  word: "restarted",
  isBegun: ({ at }, object) => restartedAt(object) >= Date.parse(at),
  whyLeft: async () => undefined,
  begin: (run, { workload }, object) => write(run, workload, object, run.at),
  async look(run, moving, object, pods) {
    const status = rolloutStatus(object);
    const made = pods.filter((pod) => isMadeBy(pod, restartedAt(object)));
    moved(moving, `${made.filter(isReady).length} ${progressMark(object)}`, run.now());
    const isComplete = status.state === "complete";
    // Whatever takes a pod down after that has the whole time to bring it back.
    if (isComplete) moving.since = run.now();
    else delete moving.complete;
    if (!restartPods.isBegun(run, object)) return run.isUrgent ? { left: UNDONE.why } : UNDONE;
    const cause = isComplete ? await whyInVain(run, moving, pods) : await whyNotBack(run, moving, object, made, status);
    const found = cause && (await judgeCause(run, moving, object, isComplete ? pods : made));
    if (found !== undefined) return found;
    if (!isComplete) await unblock(run, object, pods);
    // What loses a release keeps no other waiting.
    if (cause !== undefined) return run.isUrgent ? { left: cause.why } : cause;
    if (!isComplete) return "moving";
    moving.complete ??= run.now();
    return isStopping(run) || run.now() - moving.complete >= run.bake ? "back" : "moving";
  },
};

/** @returns false where it has changed since it was read */
async function write({ kube, atOnce }: Run, workload: WorkloadName, object: JsonObject, at: string): Promise<boolean> {
  try {
    await atOnce.mergePatch(pathOfWorkload(workload) as string, restartPatch(object, at));
    return true;
  } catch (error) {
    ownError(error, "cluster-conflict", "cluster-unreachable");
    // The answer may have been lost, and the conflict is with its own write.
    const now = await readWorkload(kube, workload);
    return now !== undefined && restartedAt(now) === Date.parse(at);
  }
}

/** A rollout can be complete and in vain. */
async function whyInVain(run: Run, { workload, complete }: Moving, pods: readonly JsonObject[]) {
  const state = complete === undefined ? await judgeAgain(run, workload, pods) : "current";
  // A webhook that is not called lets pods in without a sidecar.
  if (state === "missing")
    return { why: "its new pods have no sidecar: the webhook was not called, or did not answer" };
  return state === "outdated" || state === "foreign"
    ? { why: "its new pods differ from what the release injects" }
    : undefined;
}

/**
 * Before new pods are said to be wrong: where they are not what is served, another release may be served by now, and a webhook answers for
 * some seconds with what was served before: then the workload is restarted once more. Undefined where the pods are what is served.
 */
async function judgeCause(
  run: Run,
  moving: Moving,
  object: JsonObject,
  pods: readonly JsonObject[],
): Promise<"moving" | "stale" | undefined> {
  const { workload } = moving;
  const state = await judgeAgain(run, workload, pods);
  if (state === "current" || typeof state === "object") return undefined;
  const why = await run.whyMoved?.();
  if (why !== undefined) {
    run.look.failure = { why };
    return "moving";
  }
  // Another time in its place is that of the second restart.
  if (state !== "outdated" || restartedAt(object) !== Date.parse(run.at)) return undefined;
  const newest = Math.max(...pods.map((pod) => Date.parse(metadataOf(pod).creationTimestamp)));
  if (run.now() - newest < SETTLE_MILLISECONDS || isStopping(run)) return "moving";
  const isDown = pods.some((pod) => !isReady(pod));
  // One that is well takes nothing of its budgets until then: two of them would wait for each other.
  if (!isDown) moving.reserved.pods = 0;
  if (!isDown && (await allowedFor(run, moving.reserved)) <= 0) return "moving";
  moving.reserved.pods = reservationOf(object, pods).pods;
  await run.held.write({});
  const at = `${new Date(run.now()).toISOString().slice(0, 19)}Z`;
  if (isStale(run, moving.read)) return "stale";
  if (!(await write(run, workload, object, at))) return "moving";
  moving.since = run.now();
  run.report(`${textOfName(workload)} is restarted once more: its new pods have what was served before`);
  return "moving";
}

/** Another tool changed what shows that it was restarted. */
const UNDONE: Cause = {
  why: "another tool has taken its restart back: let it leave kubectl.kubernetes.io/restartedAt and restartAt alone",
};

const SPARE_SECONDS = 2;

/** Why a workload whose rollout is not complete will not come back by itself; undefined while it may. */
async function whyNotBack(
  { kube, now }: Run,
  { workload, since }: Moving,
  object: JsonObject,
  made: readonly JsonObject[],
  { state, why, isUnseen }: RolloutStatus,
): Promise<Cause | undefined> {
  const failures = await readCreationFailures(kube, workload.namespace);
  const rejected = failures.find(
    ({ owner, at: time, cause }) =>
      namesOfOwner(workload.namespace, owner).includes(textOfName(workload)) &&
      time >= since - 1000 &&
      !PASSES.has(cause),
  );
  if (rejected !== undefined) return { why: `no new pod can be made: ${rejected.message}` };
  const trouble = troubleOf(made);
  const seconds = deadlineOf(object);
  // Of a Deployment, Kubernetes' own condition decides, once it has seen the change.
  const isTimed = object["kind"] === "Deployment" && !isUnseen && conditionOf(object, "Progressing") !== undefined;
  const isLate = !isTimed && now() - since > (seconds + SPARE_SECONDS) * 1000;
  if (state !== "failed" && !isLate && trouble?.isFinal !== true) return undefined;
  const late = isLate && state !== "failed" ? `after ${seconds} s, ${why}` : why;
  if (trouble !== undefined) return causeOf({ ...trouble, why: `${trouble.why} (${late})` });
  const failed = objectOf(conditionOf(object, "ReplicaFailure"))["message"];
  return { why: failed === undefined ? late : `${String(failed)} (${late})` };
}

/** A quota has space when the old pods are gone, and a webhook may answer again. */
const PASSES: ReadonlySet<string> = new Set("quota own-certificate own-webhook own-token missing-service".split(" "));

/** By the restart that began then: pods have the time from their template, but not those of a Rollout. */
function isMadeBy(pod: JsonObject, at: number): boolean {
  const { annotations, creationTimestamp } = metadataOf(pod);
  return [annotations[RESTARTED_AT], creationTimestamp].some((time) => Date.parse(String(time)) >= at);
}

/**
 * A StatefulSet and a Rollout wait for a pod that is not ready, even to replace it (kubernetes#67250): such pods of an earlier revision
 * are deleted.
 */
async function unblock(run: Run, workload: JsonObject, pods: readonly JsonObject[]) {
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
    const isOwn = isUrgent || isMadeBy(pod, Date.parse(at));
    if (isReady(pod) || !isOld || !isOwn) continue;
    await held.write({});
    try {
      await kube.remove(podPath(namespace, name), resourceVersion);
    } catch (error) {
      // It has changed since it was read: it is looked at again.
      ownError(error, "cluster-conflict");
      continue;
    }
    report(`${namespace}/Pod/${name} is deleted: its controller waits for it`);
  }
}
