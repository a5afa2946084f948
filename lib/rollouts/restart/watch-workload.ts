// Watching a workload that was restarted: why it does not come back, and what keeps it from being replaced once more.
import { type JsonObject, objectOf, ownError } from "@outrigger/base";
import { type KubeClient, readCreationFailures } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import type { JudgePorts } from "../compare/judge-pod.ts";
import { conditionOf, isReady } from "../pod-status.ts";
import type { RestartFailure } from "./journal-entry.ts";
import { judgeAgain } from "./plan-restart.ts";
import { troubleOf } from "./pod-trouble.ts";
import { podPath, podsOf, type Reserved } from "./pods-of-workload.ts";
import {
  progressMark,
  RESTARTED_AT,
  type RolloutStatus,
  restartedAt,
  rolloutStatus,
  type WorkloadName,
} from "./workload.ts";

export type Cause = Omit<RestartFailure, "workload">;

/** Where a workload is that was begun: under way, back, as far as it was when it was to stop, or what keeps it. */
export type Look = "moving" | "back" | "halted" | Cause | { readonly left: string };

/** A workload that was begun and is not back yet. */
export interface Moving {
  readonly workload: WorkloadName;
  readonly reserved: Reserved;
  /** When it made progress last, or was begun. */
  since: number;
  /** How far it has been. */
  readonly marks: Set<string>;
  /** Since when it has been complete. */
  complete?: number;
  /** Its pods that are ready: uids. */
  ready: Set<string>;
  /** Of a change in place: uids of pods whose images were written. */
  readonly tried: Set<string>;
}

export function readyIn(pods: readonly JsonObject[]): Set<string> {
  return new Set(pods.filter(isReady).map((pod) => metadataOf(pod).uid));
}

/** A number that was there before is no progress: a pod that comes and goes does not move the deadline. */
export function moved(moving: Moving, mark: string, now: number): void {
  if (!moving.marks.has(mark)) moving.since = now;
  moving.marks.add(mark);
}

export interface Watching extends JudgePorts {
  readonly kube: KubeClient;
  /** When the restart began, as its workloads say. */
  readonly at: string;
  readonly now: () => number;
  readonly report: (line: string) => void;
  /** Milliseconds that a workload, or a changed pod, must be well before the next. */
  readonly bake: number;
  /** Why what pods are judged by is no longer so. */
  readonly whyMoved?: () => Promise<string | undefined>;
  /** Throws where another command has had the restart, or it was stopped. */
  readonly assertHeld: () => Promise<void>;
}

/** Looks at a workload that was restarted. */
export async function watchRestarted(
  run: Watching & { readonly isUrgent: boolean; readonly isStopping: boolean },
  moving: Moving,
  object: JsonObject,
): Promise<Look> {
  const status = rolloutStatus(object);
  const pods = await podsOf(run.kube, object);
  moving.ready = readyIn(pods);
  const isComplete = status.state === "complete";
  const back = pods.filter((pod) => isMadeBy(pod, run.at) && isReady(pod)).length;
  moved(moving, `${back} ${progressMark(object)}`, run.now());
  if (!isComplete) delete moving.complete;
  const cause = isComplete
    ? await whyNotDone(run, moving, object, pods)
    : await whyNotBack(run, object, { status, since: moving.since, pods });
  if (!isComplete && run.isUrgent) await unblock(run, object, pods);
  // What loses a release keeps no other waiting.
  if (cause !== undefined) return run.isUrgent ? { left: cause.why } : cause;
  if (!isComplete) return "moving";
  moving.complete ??= run.now();
  return run.isStopping || run.now() - moving.complete >= run.bake ? "back" : "moving";
}

/** A rollout can be complete and in vain. */
async function whyNotDone(
  run: Watching,
  { workload, complete }: Moving,
  object: JsonObject,
  pods: readonly JsonObject[],
): Promise<Cause | undefined> {
  if (restartedAt(object) !== run.at) return UNDONE;
  if (complete !== undefined) return undefined;
  // A webhook that is not called lets pods in without a sidecar.
  if ((await judgeAgain(run, workload, pods)) !== undefined) return undefined;
  const why = await run.whyMoved?.();
  return why === undefined ? IN_VAIN : { why };
}

const IN_VAIN: Cause = { why: "its new pods differ from what the release injects" };

/** Another tool changed what shows that it was restarted. */
const UNDONE: Cause = {
  why: "another tool has taken its restart back, or restarted it too: let it leave kubectl.kubernetes.io/restartedAt and restartAt alone",
};

/** Where a workload says nothing of a deadline: Kubernetes' own default for Deployments. */
const DEADLINE_SECONDS = 600;
const SPARE_SECONDS = 2;

interface Progress {
  readonly status: RolloutStatus;
  readonly since: number;
  readonly pods: readonly JsonObject[];
}

/** Why a workload whose rollout is not complete will not come back by itself; undefined while it may. */
async function whyNotBack(
  { kube, at, now }: Watching,
  object: JsonObject,
  { status: { state, why, isUnseen }, since, pods }: Progress,
): Promise<Cause | undefined> {
  if (restartedAt(object) !== at) return UNDONE;
  const rejected = await rejectionOf(kube, object, since);
  if (rejected !== undefined) return { why: rejected };
  const trouble = troubleOf(pods.filter((pod) => isMadeBy(pod, at)));
  const seconds = deadlineOf(object);
  // Of a Deployment, Kubernetes' own condition decides, once it has seen the change.
  const isTimed = object["kind"] === "Deployment" && !isUnseen && conditionOf(object, "Progressing") !== undefined;
  const isLate = !isTimed && now() - since > (seconds + SPARE_SECONDS) * 1000;
  if (state !== "failed" && !isLate && trouble?.isFinal !== true) return undefined;
  const failed = objectOf(conditionOf(object, "ReplicaFailure"))["message"];
  const cause = trouble === undefined ? failed : `pod ${trouble.pod}, container ${trouble.container}: ${trouble.why}`;
  const late = isLate && state !== "failed" ? `after ${seconds} s, ${why}` : why;
  return {
    why: cause === undefined ? late : `${String(cause)} (${late})`,
    ...(trouble !== undefined && { pod: trouble.pod, container: trouble.container }),
    ...(trouble?.isOwn === true && { isOwn: true }),
  };
}

/** How long a rollout may make no progress. */
export function deadlineOf({ spec }: JsonObject): number {
  const { progressDeadlineSeconds } = objectOf(spec);
  return typeof progressDeadlineSeconds === "number" ? progressDeadlineSeconds : DEADLINE_SECONDS;
}

/** By the restart that began then: pods have the time from their template, but not those of a Rollout. */
function isMadeBy({ metadata }: JsonObject, at: string): boolean {
  const { annotations, creationTimestamp } = metadataOf({ metadata });
  return annotations[RESTARTED_AT] === at || Date.parse(creationTimestamp) >= Date.parse(at);
}

/** Why no new pod can be made, where that will not pass by itself. */
async function rejectionOf(kube: KubeClient, workload: JsonObject, since: number): Promise<string | undefined> {
  const { name, namespace } = metadataOf(workload);
  const kind = String(workload["kind"]);
  const isOwner = (owner: string) =>
    kind === "Deployment" || kind === "Rollout"
      ? owner.slice(0, owner.lastIndexOf("-")) === `ReplicaSet/${name}`
      : owner === `${kind}/${name}`;
  const failures = await readCreationFailures(kube, namespace);
  const last = failures.filter(({ owner, at, cause }) => isOwner(owner) && at >= since - 1000 && !PASSES.has(cause));
  return last[0] && `no new pod can be made: ${last[0].message}`;
}

/** A quota has space when the old pods are gone, and a webhook may answer again. */
const PASSES: ReadonlySet<string> = new Set("quota own-certificate own-webhook own-token missing-service".split(" "));

/**
 * A StatefulSet and a Rollout wait for a pod that is not ready, even to replace it (kubernetes#67250): such pods of an earlier revision
 * are deleted.
 */
async function unblock(
  { kube, at, report, assertHeld }: Watching,
  workload: JsonObject,
  pods: readonly JsonObject[],
): Promise<void> {
  const { updateRevision } = objectOf(workload["status"]);
  const isSet = workload["kind"] === "StatefulSet" && updateRevision !== undefined;
  if (!isSet && workload["kind"] !== "Rollout") return;
  for (const pod of pods) {
    const { name, namespace, labels, resourceVersion, creationTimestamp } = metadataOf(pod);
    const isOld = isSet
      ? labels["controller-revision-hash"] !== updateRevision
      : Date.parse(creationTimestamp) < Date.parse(at);
    if (isReady(pod) || !isOld) continue;
    await assertHeld();
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
