// PodDisruptionBudgets: neither a rollout nor a new image asks them, so a restart waits until they allow a disruption.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";

/**
 * How many pods of a workload its budgets allow to be disrupted now: infinitely many where it has none.
 *
 * @param budgets those of the workload's namespace
 */
export function allowedDisruptions(workload: JsonObject, budgets: readonly JsonObject[]): number {
  const template = objectOf(objectOf(workload["spec"])["template"]);
  const labels = objectOf(objectOf(template["metadata"])["labels"]) as Readonly<Record<string, string>>;
  const own = budgets.filter(({ spec }) => {
    const { selector } = objectOf(spec);
    return selector !== undefined && matchesLabelSelector(parseLabelSelector(selector, "selector"), labels);
  });
  const allowed = own.map(({ status }) => objectOf(status)["disruptionsAllowed"]);
  return Math.min(...allowed.map((count) => (typeof count === "number" ? count : 0)), Number.POSITIVE_INFINITY);
}

export async function budgetsOf(kube: Pick<KubeClient, "list">, namespace: string): Promise<readonly JsonObject[]> {
  const budgets: JsonObject[] = [];
  const path = `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`;
  for await (const budget of kube.list(path)) budgets.push(budget);
  return budgets;
}
