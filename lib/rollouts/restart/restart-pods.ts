// A workload whose controller makes new pods of all of its pods: why it does not come back, and what keeps it from being replaced once
// more.
import { type JsonObject, objectOf, ownError } from "@outrigger/base";
import { readCreationFailures } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import { conditionOf, isReady } from "../pod-status.ts";
import type { Cause } from "./journal-entry.ts";
import { judgeAgain, readWorkload } from "./plan-restart.ts";
import { causeOf, troubleOf } from "./pod-trouble.ts";
import { podPath } from "./pods-of-workload.ts";
import { type Action, isStopping, type Moving, moved, type Run } from "./run.ts";
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
} from "./workload.ts";

export const restartPods: Action = {
  word: "restarted",
  isBegun: ({ at }, object) => restartedAt(object) === at,
  whyLeft: async () => undefined,
  async begin({ kube, at }, { workload }, object) {
    try {
      await kube.mergePatch(pathOfWorkload(workload) as string, restartPatch(object, at));
      return true;
    } catch (error) {
      ownError(error, "cluster-conflict");
      // The answer may have been lost, and the conflict is with its own write.
      const now = await readWorkload(kube, workload);
      return now !== undefined && restartedAt(now) === at;
    }
  },
  async look(run, moving, object, pods) {
    const status = rolloutStatus(object);
    const back = pods.filter((pod) => isMadeBy(pod, run.at) && isReady(pod)).length;
    moved(moving, `${back} ${progressMark(object)}`, run.now());
    const isComplete = status.state === "complete";
    if (!isComplete) delete moving.complete;
    const cause = await (isComplete ? whyInVain : whyNotBack)(run, moving, object, pods, status);
    if (!isComplete && run.isUrgent) await unblock(run, object, pods);
    // What loses a release keeps no other waiting.
    if (cause !== undefined) return run.isUrgent ? { left: cause.why } : cause;
    if (!isComplete) return "moving";
    moving.complete ??= run.now();
    return isStopping(run) || run.now() - moving.complete >= run.bake ? "back" : "moving";
  },
};

type WhyNot = (
  run: Run,
  moving: Moving,
  object: JsonObject,
  pods: readonly JsonObject[],
  status: RolloutStatus,
) => Promise<Cause | undefined>;

/** A rollout can be complete and in vain. */
const whyInVain: WhyNot = async (run, { workload, complete }, object, pods) => {
  if (restartedAt(object) !== run.at) return UNDONE;
  if (complete !== undefined) return undefined;
  // A webhook that is not called lets pods in without a sidecar.
  if ((await judgeAgain(run, workload, pods)) !== undefined) return undefined;
  return { why: (await run.whyMoved?.()) ?? "its new pods differ from what the release injects" };
};

/** Another tool changed what shows that it was restarted. */
const UNDONE: Cause = {
  why: "another tool has taken its restart back, or restarted it too: let it leave kubectl.kubernetes.io/restartedAt and restartAt alone",
};

const SPARE_SECONDS = 2;

/** Why a workload whose rollout is not complete will not come back by itself; undefined while it may. */
const whyNotBack: WhyNot = async ({ kube, at, now }, { workload, since }, object, pods, { state, why, isUnseen }) => {
  if (restartedAt(object) !== at) return UNDONE;
  const failures = await readCreationFailures(kube, workload.namespace);
  const rejected = failures.find(
    ({ owner, at: time, cause }) =>
      namesOfOwner(workload.namespace, owner).includes(textOfName(workload)) &&
      time >= since - 1000 &&
      !PASSES.has(cause),
  );
  if (rejected !== undefined) return { why: `no new pod can be made: ${rejected.message}` };
  const trouble = troubleOf(pods.filter((pod) => isMadeBy(pod, at)));
  const seconds = deadlineOf(object);
  // Of a Deployment, Kubernetes' own condition decides, once it has seen the change.
  const isTimed = object["kind"] === "Deployment" && !isUnseen && conditionOf(object, "Progressing") !== undefined;
  const isLate = !isTimed && now() - since > (seconds + SPARE_SECONDS) * 1000;
  if (state !== "failed" && !isLate && trouble?.isFinal !== true) return undefined;
  const late = isLate && state !== "failed" ? `after ${seconds} s, ${why}` : why;
  if (trouble !== undefined) return causeOf({ ...trouble, why: `${trouble.why} (${late})` });
  const failed = objectOf(conditionOf(object, "ReplicaFailure"))["message"];
  return { why: failed === undefined ? late : `${String(failed)} (${late})` };
};

/** A quota has space when the old pods are gone, and a webhook may answer again. */
const PASSES: ReadonlySet<string> = new Set("quota own-certificate own-webhook own-token missing-service".split(" "));

/** By the restart that began then: pods have the time from their template, but not those of a Rollout. */
function isMadeBy(pod: JsonObject, at: string): boolean {
  const { annotations, creationTimestamp } = metadataOf(pod);
  return annotations[RESTARTED_AT] === at || Date.parse(creationTimestamp) >= Date.parse(at);
}

/**
 * A StatefulSet and a Rollout wait for a pod that is not ready, even to replace it (kubernetes#67250): such pods of an earlier revision
 * are deleted.
 */
async function unblock({ kube, at, report, held }: Run, workload: JsonObject, pods: readonly JsonObject[]) {
  const { updateRevision } = objectOf(workload["status"]);
  const isSet = workload["kind"] === "StatefulSet" && updateRevision !== undefined;
  if (!isSet && workload["kind"] !== "Rollout") return;
  for (const pod of pods) {
    const { name, namespace, labels, resourceVersion, creationTimestamp } = metadataOf(pod);
    const isOld = isSet
      ? labels["controller-revision-hash"] !== updateRevision
      : Date.parse(creationTimestamp) < Date.parse(at);
    if (isReady(pod) || !isOld) continue;
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
