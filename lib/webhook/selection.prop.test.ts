// The selection against the API server's rules in words of their own, and against what `explain` says of the same webhooks.
import type { JsonObject } from "@outrigger/base";
import fc from "fast-check";
import { expect, it } from "vitest";
import { explainSelection } from "./explain-selection.ts";
import { selectionOf } from "./selection.ts";

const runs = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);

const key = fc.constantFrom("a", "b", "istio.io/rev", "toString");
const value = fc.constantFrom("", "x", "y");
const labels = fc.dictionary(key, value);
const expression = fc.oneof(
  fc.record({ key, operator: fc.constantFrom("In", "NotIn"), values: fc.array(value, { minLength: 1, maxLength: 2 }) }),
  fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist") }),
);
const selector = fc.option(
  fc.record({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) }, { requiredKeys: [] }),
  { nil: undefined },
);
const webhook = fc.record({ namespaceSelector: selector, objectSelector: selector });

type Given = { readonly matchLabels?: object; readonly matchExpressions?: readonly Asked[] } | undefined;
type Asked = { readonly key: string; readonly operator: string; readonly values?: readonly string[] };

/** The reference's documentation of LabelSelector, sentence by sentence. Absent selectors match everything. */
function isMatched(given: Given, has: Readonly<Record<string, string>>): boolean {
  const entries = new Map(Object.entries(has));
  const byLabels = Object.entries(given?.matchLabels ?? {}).every(([name, wanted]) => entries.get(name) === wanted);
  const byExpressions = (given?.matchExpressions ?? []).every((one) => {
    const found = entries.get(one.key);
    if (one.operator === "Exists") return found !== undefined;
    if (one.operator === "DoesNotExist") return found === undefined;
    const isIn = found !== undefined && (one.values ?? []).includes(found);
    // A label that is missing is in no set, and so NotIn every one.
    return one.operator === "In" ? isIn : !isIn;
  });
  return byLabels && byExpressions;
}

it("selectionOf() sends what an API server sends, and what explainSelection() says is sent", () => {
  fc.assert(
    fc.property(fc.array(webhook, { maxLength: 3 }), labels, labels, (webhooks, namespace, pod) => {
      const own = { ...namespace, "kubernetes.io/metadata.name": "shop" };
      const sent = webhooks.some(
        (one) => isMatched(one.namespaceSelector as Given, own) && isMatched(one.objectSelector as Given, pod),
      );
      expect(selectionOf(webhooks)(own, pod)).toBe(sent);
      const configuration = { metadata: { name: "w" }, webhooks: webhooks.map((one) => ({ name: "w", ...one })) };
      const explained = explainSelection(
        [configuration as unknown as JsonObject],
        { name: "shop", labels: namespace },
        { metadata: { labels: pod } } as never,
      );
      expect(explained.some(({ isSent }) => isSent)).toBe(sent);
    }),
    { numRuns: runs },
  );
});

it("selectionOf() counts a selector that cannot be read as one that matches", () => {
  const unread = { matchExpressions: [{ key: "a", operator: "Near" }] };
  expect(selectionOf([{ namespaceSelector: unread, objectSelector: {} }])({}, {})).toBe(true);
  expect(selectionOf([{ namespaceSelector: unread, objectSelector: { matchLabels: { a: "b" } } }])({}, {})).toBe(false);
});
