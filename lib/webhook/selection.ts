// Whether an API server sends a pod to webhooks, by their selectors.

import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";

type Labels = Readonly<Record<string, string>>;

/**
 * Whether an API server sends a pod to webhooks, by their selectors: where both selectors of one of them match. Match conditions
 * decide further, and are not evaluated. A selector that this version cannot read counts as one that matches: the API server has
 * accepted it.
 *
 * @param webhooks as a configuration has them, or as one is built
 *
 * @example
 * ```ts
 * selectionOf([{ namespaceSelector: { matchLabels: { a: "b" } } }])({ a: "b" }, {}) // => true
 * selectionOf([{ namespaceSelector: { matchLabels: { a: "b" } } }])({}, {}) // => false
 * ```
 */
export function selectionOf(
  webhooks: readonly { readonly namespaceSelector?: unknown; readonly objectSelector?: unknown }[],
): (namespace: Labels, pod: Labels) => boolean {
  const pairs = webhooks.map(({ namespaceSelector, objectSelector }) => [
    matcherOf(namespaceSelector),
    matcherOf(objectSelector),
  ]);
  return (namespace, pod) => pairs.some(([ofNamespace, ofPod]) => ofNamespace?.(namespace) && ofPod?.(pod));
}

function matcherOf(selector: unknown): (labels: Labels) => boolean {
  try {
    const parsed = parseLabelSelector(selector, "selector");
    return (labels) => matchesLabelSelector(parsed, labels);
  } catch {
    return () => true;
  }
}
