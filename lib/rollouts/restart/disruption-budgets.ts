// PodDisruptionBudgets: a rollout does not ask them, so a restart waits until they allow a disruption. Pure.
import { type JsonObject, objectOf } from "@outrigger/base";
import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";

/**
 * The name of a budget that allows no disruption of a workload's pods now; undefined where all of them do.
 *
 * @param budgets those of the workload's namespace
 */
export function blockingBudget(workload: JsonObject, budgets: readonly JsonObject[]): string | undefined {
  const template = objectOf(objectOf(workload["spec"])["template"]);
  const labels = objectOf(objectOf(template["metadata"])["labels"]) as Readonly<Record<string, string>>;
  const blocking = budgets.find(({ spec, status }) => {
    const { selector } = objectOf(spec);
    const isOf = selector !== undefined && matchesLabelSelector(parseLabelSelector(selector, "selector"), labels);
    const { disruptionsAllowed } = objectOf(status);
    return isOf && !(typeof disruptionsAllowed === "number" && disruptionsAllowed > 0);
  });
  return blocking === undefined ? undefined : String(objectOf(blocking["metadata"])["name"]);
}
