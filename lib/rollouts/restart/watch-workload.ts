// Watching a workload that was restarted: why it does not come back, and what keeps it from being replaced once more.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { type KubeClient, readCreationFailures } from "@outrigger/cluster";
import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";
import type { RestartFailure } from "./journal.ts";
import { troubleOf } from "./pod-trouble.ts";
import { restartedAt } from "./restartable.ts";
import type { RolloutStatus } from "./rollout-status.ts";

export type Cause = Omit<RestartFailure, "workload">;

interface Watching {
  readonly kube: KubeClient;
  /** When the restart began, as its workloads say. */
  readonly at: string;
  readonly now: () => number;
  readonly report: (line: string) => void;
}

/** Another tool changed what shows that it was restarted. */
export const UNDONE: Cause = {
  why: "another tool has taken its restart back, or restarted it too: let it leave kubectl.kubernetes.io/restartedAt and restartAt alone",
};

/** Where a workload says nothing of a deadline: Kubernetes' own default for Deployments. */
const DEADLINE_SECONDS = 600;
const SPARE_SECONDS = 2;

/** Why a workload whose rollout is not complete will not come back by itself; undefined while it may. */
export async function whyNotBack(
  { kube, at, now }: Watching,
  object: JsonObject,
  { status: { state, why }, since }: { readonly status: RolloutStatus; readonly since: number },
): Promise<Cause | undefined> {
  if (restartedAt(object) !== at) return UNDONE;
  const rejected = await rejectionOf(kube, object, since);
  if (rejected !== undefined) return { why: rejected };
  const pods = await podsOf(kube, object);
  const trouble = troubleOf(pods, at);
  const { progressDeadlineSeconds } = objectOf(object["spec"]);
  const seconds = typeof progressDeadlineSeconds === "number" ? progressDeadlineSeconds : DEADLINE_SECONDS;
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

function conditionOf({ status }: JsonObject, type: string): JsonObject | undefined {
  const { conditions } = objectOf(status);
  return Array.isArray(conditions) ? conditions.map(objectOf).find((one) => one["type"] === type) : undefined;
}

/** Why no new pod can be made, where that will not pass by itself. */
async function rejectionOf(kube: KubeClient, workload: JsonObject, since: number): Promise<string | undefined> {
  const { name, namespace } = objectOf(workload["metadata"]);
  const kind = String(workload["kind"]);
  const isOwner = (owner: string) =>
    kind === "Deployment" || kind === "Rollout"
      ? owner.slice(0, owner.lastIndexOf("-")) === `ReplicaSet/${String(name)}`
      : owner === `${kind}/${String(name)}`;
  const failures = await readCreationFailures(kube, String(namespace));
  const last = failures.filter(({ owner, at, cause }) => isOwner(owner) && at >= since - 1000 && !PASSES.has(cause));
  return last[0] && `no new pod can be made: ${last[0].message}`;
}

/** A quota has space when the old pods are gone, and a webhook may answer again. */
const PASSES: ReadonlySet<string> = new Set([
  "quota",
  "own-certificate",
  "own-webhook",
  "own-token",
  "missing-service",
]);

async function podsOf(kube: Pick<KubeClient, "list">, workload: JsonObject): Promise<readonly JsonObject[]> {
  const { namespace } = objectOf(workload["metadata"]);
  const selector = parseLabelSelector(objectOf(workload["spec"])["selector"] ?? {}, "selector");
  const pods: JsonObject[] = [];
  for await (const pod of kube.list(podsPath(namespace), { labelSelector: selectorOf(workload) })) {
    const { labels } = objectOf(pod["metadata"]);
    if (matchesLabelSelector(selector, objectOf(labels) as Readonly<Record<string, string>>)) pods.push(pod);
  }
  return pods;
}

function podsPath(namespace: unknown): string {
  return `/api/v1/namespaces/${encodeURIComponent(String(namespace))}/pods`;
}

/** The part of a workload's selector that is equal labels: at least its own pods have them. */
export function selectorOf(workload: JsonObject): string {
  const { matchLabels } = objectOf(objectOf(workload["spec"])["selector"]);
  return Object.entries(objectOf(matchLabels))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",");
}

/**
 * A StatefulSet and a Rollout wait for a pod that is not ready, even to replace it (kubernetes#67250): such pods of an earlier revision
 * are deleted.
 */
export async function unblock({ kube, at, report }: Watching, workload: JsonObject): Promise<void> {
  const { updateRevision } = objectOf(workload["status"]);
  const isSet = workload["kind"] === "StatefulSet" && updateRevision !== undefined;
  if (!isSet && workload["kind"] !== "Rollout") return;
  for (const { metadata, status } of await podsOf(kube, workload)) {
    const { name, namespace, labels, resourceVersion, creationTimestamp, deletionTimestamp } = objectOf(metadata);
    const isReady = objectsOf(objectOf(status)["conditions"]).some(
      (one) => one["type"] === "Ready" && one["status"] === "True",
    );
    const isOld = isSet
      ? objectOf(labels)["controller-revision-hash"] !== updateRevision
      : Date.parse(String(creationTimestamp)) < Date.parse(at);
    if (isReady || !isOld || deletionTimestamp !== undefined) continue;
    await kube.remove(`${podsPath(namespace)}/${encodeURIComponent(String(name))}`, String(resourceVersion));
    report(`${String(namespace)}/Pod/${String(name)} is deleted: its controller waits for it`);
  }
}
