// Whether webhooks and policies choose a pod by their selectors.
import { type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";

/** @param namespace that of the pod; undefined where there is none */
export function isSelected(
  { namespaceSelector, objectSelector }: JsonObject,
  namespace: JsonObject | undefined,
  pod: JsonObject,
): boolean {
  return isChosen(namespaceSelector, namespace) && isChosen(objectSelector, pod);
}

function isChosen(selector: JsonValue | undefined, object: JsonObject | undefined): boolean {
  const labels = objectOf(objectOf(object?.["metadata"])["labels"]) as Readonly<Record<string, string>>;
  return matchesLabelSelector(parseLabelSelector(selector, "selector"), labels);
}
