// Whose a pod is, and which budgets it is under. A pod belongs to the controller that its owner references name: labels may be shared.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { isRunning, matchesLabelSelector, metadataOf, type Pod, parseLabelSelector } from "@outrigger/pod";
import { workloadOf } from "../running.ts";
import { labelsOfTemplate, paceOf, selectorOf } from "./workload.ts";

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
export async function budgetsOf(kube: Pick<KubeClient, "list">, namespace: string): Promise<readonly JsonObject[]> {
  const budgets: JsonObject[] = [];
  const path = `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`;
  for await (const budget of kube.list(path)) budgets.push(budget);
  return budgets;
}

/** What a workload in motion takes of its budgets, whether their status counts it by now or not. */
export interface Reserved {
  /** Labels of its pods. */
  readonly labels: readonly Readonly<Record<string, string>>[];
  readonly namespace: string;
  /** So many pods may be down because of it. */
  pods: number;
}

/** Before it is begun: as many as its own strategy lets be down. */
export function reservationOf(workload: JsonObject, pods: readonly JsonObject[]): Reserved {
  const labels = pods.length === 0 ? [labelsOfTemplate(workload)] : pods.map((pod) => metadataOf(pod).labels);
  return { labels, namespace: metadataOf(workload).namespace, pods: paceOf(workload, pods.length) };
}

/**
 * How many pods the budgets of a workload allow to be disrupted now: infinitely many where it has none. Neither a rollout nor a new
 * image asks them, so a restart does.
 *
 * @param taken by all that is in motion
 */
export function allowedDisruptions(
  { labels, namespace }: Reserved,
  budgets: readonly JsonObject[],
  taken: readonly Reserved[],
): number {
  const allowed = budgets.flatMap(({ spec, status }) => {
    const { selector } = objectOf(spec);
    if (selector === undefined) return [];
    const parsed = parseLabelSelector(selector, "selector");
    const isOver = (reserved: Reserved) =>
      reserved.namespace === namespace && reserved.labels.some((each) => matchesLabelSelector(parsed, each));
    if (!labels.some((each) => matchesLabelSelector(parsed, each))) return [];
    const { disruptionsAllowed } = objectOf(status);
    const free = typeof disruptionsAllowed === "number" ? disruptionsAllowed : 0;
    return [taken.filter(isOver).reduce((rest, { pods }) => rest - pods, free)];
  });
  return Math.min(...allowed, Number.POSITIVE_INFINITY);
}
