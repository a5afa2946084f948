// Whose a pod is, and which budgets it is under. A pod belongs to the controller that its owner references name: labels may be shared.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { isRunning, matchesLabelSelector, metadataOf, type Pod, parseLabelSelector } from "@outrigger/pod";
import { workloadOf } from "../running.ts";
import { freshLook, type Reserved, type Run } from "./run.ts";
import { paceOf, selectorOf } from "./workload.ts";

/** The pods of a workload that run. */
export async function podsOf(kube: Pick<KubeClient, "list">, workload: JsonObject): Promise<readonly JsonObject[]> {
  const pods: JsonObject[] = [];
  const path = podsPath(metadataOf(workload).namespace);
  for await (const pod of kube.list(path, { labelSelector: selectorOf(workload) })) {
    if (isRunning(pod) && isOwned(pod, workload)) pods.push(pod);
  }
  return pods;
}

/** By its controller, or by that of its ReplicaSet, whose name and hash say which it is. */
function isOwned(pod: JsonObject, workload: JsonObject): boolean {
  const { kind, name } = workloadOf(pod as Pod);
  const controller = metadataOf(pod).ownerReferences.find((owner) => owner.controller);
  const own = metadataOf(workload);
  const isDirect = controller?.kind === kind;
  return kind === workload["kind"] && name === own.name && (!isDirect || controller?.uid === own.uid);
}

function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
}

export function podPath(namespace: string, name: string): string {
  return `${podsPath(namespace)}/${encodeURIComponent(name)}`;
}

/** The namespace's PodDisruptionBudgets, as they are in one look. */
async function budgetsOf(kube: Pick<KubeClient, "list">, namespace: string): Promise<readonly JsonObject[]> {
  const budgets: JsonObject[] = [];
  const path = `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`;
  for await (const budget of kube.list(path)) budgets.push(budget);
  return budgets;
}

/** Before it is begun: as many as its own strategy lets be down. */
export function reservationOf(workload: JsonObject, pods: readonly JsonObject[]): Reserved {
  const labelled = pods.length === 0 ? [objectOf(objectOf(workload["spec"])["template"])] : pods;
  const labels = labelled.map((one) => metadataOf(one).labels);
  return { labels, namespace: metadataOf(workload).namespace, pods: paceOf(workload, pods.length) };
}

/**
 * How many pods the budgets of a workload allow to be disrupted now, with all that is in motion deducted: infinitely many where it has
 * none. Neither a rollout nor a new image asks them, so a restart does.
 */
export async function allowedFor(run: Run, { labels, namespace }: Reserved): Promise<number> {
  if (run.isUrgent) return Number.POSITIVE_INFINITY;
  const { budgets } = freshLook(run);
  const reading = budgets.get(namespace) ?? budgetsOf(run.kube, namespace);
  budgets.set(namespace, reading);
  const allowed = (await reading).flatMap(({ spec, status }) => {
    const { selector } = objectOf(spec);
    if (selector === undefined) return [];
    const parsed = parseLabelSelector(selector, "selector");
    const isOver = (own: Reserved["labels"]) => own.some((each) => matchesLabelSelector(parsed, each));
    if (!isOver(labels)) return [];
    const { disruptionsAllowed } = objectOf(status);
    const free = typeof disruptionsAllowed === "number" ? disruptionsAllowed : 0;
    const taken = [...run.moving.values()].filter(
      ({ reserved: one }) => one.namespace === namespace && isOver(one.labels),
    );
    return [taken.reduce((rest, { reserved }) => rest - reserved.pods, free)];
  });
  return Math.min(...allowed, Number.POSITIVE_INFINITY);
}
