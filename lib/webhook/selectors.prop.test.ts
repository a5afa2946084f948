// The selectors against Istio's documentation: which revision a pod gets, by the labels of its namespace and its own.

import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectorsOf, type WebhookSelectors } from "./selectors.ts";

const runs = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);

type Labels = Readonly<Record<string, string>>;

const revisions = fc.constantFrom(undefined, "default", "canary", "other");
const namespaceLabels = fc.record({
  "istio.io/rev": revisions,
  "istio-injection": fc.constantFrom(undefined, "enabled", "disabled"),
  "kubernetes.io/metadata.name": fc.constantFrom("shop", "cart", "kube-system"),
});
const podLabels = fc.record({
  "istio.io/rev": revisions,
  "sidecar.istio.io/inject": fc.constantFrom(undefined, "true", "false", "maybe"),
});

/**
 * Returns the revision that Istio's documentation says a pod gets. It is written in words of its own and uses no
 * selector.
 */
function expectedRevision(namespace: Labels, pod: Labels): string | undefined {
  if (namespace["kubernetes.io/metadata.name"] === "kube-system") return undefined;
  if (pod["sidecar.istio.io/inject"] === "false") return undefined;
  if (namespace["istio-injection"] !== undefined) {
    return namespace["istio-injection"] === "enabled" ? "default" : undefined;
  }
  if (namespace["istio.io/rev"] !== undefined) return namespace["istio.io/rev"];
  if (pod["istio.io/rev"] !== undefined) return pod["istio.io/rev"];
  return pod["sidecar.istio.io/inject"] === "true" ? "default" : undefined;
}

function chosenBy(selectors: readonly WebhookSelectors[], namespace: Labels, pod: Labels): number {
  const matches = (selector: unknown, labels: Labels) =>
    matchesLabelSelector(parseLabelSelector(selector, "selector"), labels);
  return selectors.filter(
    ({ namespaceSelector, objectSelector }) => matches(namespaceSelector, namespace) && matches(objectSelector, pod),
  ).length;
}

function withoutUndefined(labels: Readonly<Record<string, string | undefined>>): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== undefined)) as Labels;
}

describe("selectorsOf()", () => {
  it("chooses a pod once, and for the revision that Istio would", () => {
    fc.assert(
      fc.property(namespaceLabels, podLabels, fc.constantFrom("default", "canary"), (labels, podHas, revision) => {
        const [namespace, pod] = [withoutUndefined(labels), withoutUndefined(podHas)];
        const count = expectedRevision(namespace, pod) === revision ? 1 : 0;
        expect(chosenBy(selectorsOf(revision, []), namespace, pod)).toBe(count);
      }),
      { numRuns: runs },
    );
  });

  it("chooses pods of the named namespaces only when there are any", () => {
    const selectors = selectorsOf("default", ["shop"]);
    const chosen = (name: string) =>
      chosenBy(selectors, { "istio-injection": "enabled", "kubernetes.io/metadata.name": name }, {});
    expect([chosen("shop"), chosen("cart")]).toEqual([1, 0]);
  });
});
