// Watching a workload that was restarted: why it does not come back, and what keeps it from being replaced once more.
import { type JsonObject, objectOf } from "@outrigger/base";
import { type KubeClient, readCreationFailures } from "@outrigger/cluster";
import { matchesLabelSelector, metadataOf, parseLabelSelector } from "@outrigger/pod";
import type { JudgePorts } from "../compare/judge-pod.ts";
import { conditionOf, isReady } from "../pod-status.ts";
import type { RestartFailure } from "./journal.ts";
import { judgeAgain, readWorkload } from "./plan-restart.ts";
import { troubleOf } from "./pod-trouble.ts";
import {
  RESTARTED_AT,
  type RolloutStatus,
  restartedAt,
  rolloutStatus,
  selectorOf,
  type WorkloadName,
} from "./workload.ts";

export type Cause = Omit<RestartFailure, "workload">;

/** Where a workload is that was begun: under way, back, as far as it was when it was to stop, or what keeps it. */
export type Look = "moving" | "back" | "halted" | Cause | { readonly left: string };

interface Watching {
  readonly kube: KubeClient;
  /** When the restart began, as its workloads say. */
  readonly at: string;
  readonly now: () => number;
  readonly report: (line: string) => void;
}

/** Looks at a workload that was restarted. */
export async function watchRestarted(
  run: Watching & JudgePorts & { readonly isUrgent: boolean },
  { workload, since }: { readonly workload: WorkloadName; readonly since: number },
): Promise<Look> {
  const object = await readWorkload(run.kube, workload);
  if (object === undefined) return "back";
  const status = rolloutStatus(object);
  const isComplete = status.state === "complete";
  const cause = isComplete ? await whyNotDone(run, workload, object) : await whyNotBack(run, object, { status, since });
  if (!isComplete && run.isUrgent) await unblock(run, object);
  // What loses a release keeps no other waiting.
  if (cause !== undefined) return run.isUrgent ? { left: cause.why } : cause;
  return isComplete ? "back" : "moving";
}

/** A rollout can be complete and in vain. */
async function whyNotDone(
  run: Watching & JudgePorts,
  workload: WorkloadName,
  object: JsonObject,
): Promise<Cause | undefined> {
  if (restartedAt(object) !== run.at) return UNDONE;
  // A webhook that is not called lets pods in without a sidecar.
  return (await judgeAgain(run.kube, run, workload, object)) === undefined ? IN_VAIN : undefined;
}

const IN_VAIN: Cause = { why: "its new pods differ from what the release injects" };

/** Another tool changed what shows that it was restarted. */
const UNDONE: Cause = {
  why: "another tool has taken its restart back, or restarted it too: let it leave kubectl.kubernetes.io/restartedAt and restartAt alone",
};

/** Where a workload says nothing of a deadline: Kubernetes' own default for Deployments. */
const DEADLINE_SECONDS = 600;
const SPARE_SECONDS = 2;

/** Why a workload whose rollout is not complete will not come back by itself; undefined while it may. */
async function whyNotBack(
  { kube, at, now }: Watching,
  object: JsonObject,
  { status: { state, why }, since }: { readonly status: RolloutStatus; readonly since: number },
): Promise<Cause | undefined> {
  if (restartedAt(object) !== at) return UNDONE;
  const rejected = await rejectionOf(kube, object, since);
  if (rejected !== undefined) return { why: rejected };
  const pods = await podsOf(kube, object);
  const trouble = troubleOf(pods.filter((pod) => isMadeBy(pod, at)));
  const seconds = deadlineOf(object);
  const isLate = now() - since > (seconds + SPARE_SECONDS) * 1000;
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

export async function podsOf(kube: Pick<KubeClient, "list">, workload: JsonObject): Promise<readonly JsonObject[]> {
  const { namespace } = metadataOf(workload);
  const selector = parseLabelSelector(objectOf(workload["spec"])["selector"] ?? {}, "selector");
  const pods: JsonObject[] = [];
  for await (const pod of kube.list(podsPath(namespace), { labelSelector: selectorOf(workload) })) {
    if (matchesLabelSelector(selector, metadataOf(pod).labels)) pods.push(pod);
  }
  return pods;
}

function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
}

export function podPath(namespace: string, name: string): string {
  return `${podsPath(namespace)}/${encodeURIComponent(name)}`;
}

/**
 * A StatefulSet and a Rollout wait for a pod that is not ready, even to replace it (kubernetes#67250): such pods of an earlier revision
 * are deleted.
 */
async function unblock({ kube, at, report }: Watching, workload: JsonObject): Promise<void> {
  const { updateRevision } = objectOf(workload["status"]);
  const isSet = workload["kind"] === "StatefulSet" && updateRevision !== undefined;
  if (!isSet && workload["kind"] !== "Rollout") return;
  for (const pod of await podsOf(kube, workload)) {
    const { name, namespace, labels, resourceVersion, creationTimestamp, deletionTimestamp } = metadataOf(pod);
    const isOld = isSet
      ? labels["controller-revision-hash"] !== updateRevision
      : Date.parse(creationTimestamp) < Date.parse(at);
    if (isReady(pod) || !isOld || deletionTimestamp !== "") continue;
    await kube.remove(podPath(namespace, name), resourceVersion);
    report(`${namespace}/Pod/${name} is deleted: its controller waits for it`);
  }
}
