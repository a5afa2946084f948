import { describe, expect, it } from "vitest";
import { readTable } from "../../test/reference/read-reference.ts";
import { isEmptySelector, matchesLabelSelector, parseLabelSelector } from "./label-selector.ts";

interface Row {
  readonly selector: unknown;
  readonly error?: string;
  readonly empty?: boolean;
  readonly matches?: readonly { readonly labels: Readonly<Record<string, string>>; readonly matches: boolean }[];
}

describe("parseLabelSelector()", () => {
  it("is empty when nothing is given", () => {
    expect(isEmptySelector(parseLabelSelector(undefined, "s"))).toBe(true);
    expect(isEmptySelector(parseLabelSelector(null, "s"))).toBe(true);
    expect(isEmptySelector(parseLabelSelector({ matchLabels: {}, matchExpressions: [] }, "s"))).toBe(true);
  });

  it.each([
    ["s.matchLabel", { matchLabel: { a: "b" } }],
    ["s.matchExpressions[0].value", { matchExpressions: [{ key: "a", operator: "Exists", value: "x" }] }],
    ["s.matchExpressions[0].values", { matchExpressions: [{ key: "a", operator: "In" }] }],
    ["s.matchExpressions[0].values", { matchExpressions: [{ key: "a", operator: "DoesNotExist", values: ["x"] }] }],
    ["s.matchExpressions[0].values[0]", { matchExpressions: [{ key: "a", operator: "In", values: [1] }] }],
    ["s.matchExpressions[0].operator", { matchExpressions: [{ key: "a", operator: "in", values: ["x"] }] }],
    ["s.matchExpressions[0].key", { matchExpressions: [{ key: "Bad.Prefix/a", operator: "Exists" }] }],
    ["s.matchExpressions[0].key", { matchExpressions: [{ key: "a".repeat(64), operator: "Exists" }] }],
    ["s.matchExpressions[0]", { matchExpressions: ["a"] }],
    ["s.matchLabels[a]", { matchLabels: { a: true } }],
    ["s", ["a"]],
  ])("points at %s when that is wrong", (path, selector) => {
    expect(() => parseLabelSelector(selector, "s")).toThrow(expect.objectContaining({ code: "config-invalid", path }));
  });

  it.each(["a", "example.com/a", "a.b/C_d.e-f"])("takes %s for a key", (key) => {
    const requirement = { key, operator: "Exists" } as const;
    expect(parseLabelSelector({ matchExpressions: [requirement] }, "s").requirements).toEqual([
      { ...requirement, values: [] },
    ]);
  });
});

describe("matchesLabelSelector()", () => {
  it("reads own labels only when a key is called like an object's method", () => {
    const selector = parseLabelSelector({ matchExpressions: [{ key: "constructor", operator: "Exists" }] }, "s");
    expect(matchesLabelSelector(selector, {})).toBe(false);
    expect(matchesLabelSelector(selector, { constructor: "x" } as never)).toBe(true);
  });

  it("takes NotIn and DoesNotExist for fulfilled when there are no labels", () => {
    const notIn = parseLabelSelector({ matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] }, "s");
    const absent = parseLabelSelector({ matchExpressions: [{ key: "a", operator: "DoesNotExist" }] }, "s");
    expect(matchesLabelSelector(notIn, undefined)).toBe(true);
    expect(matchesLabelSelector(absent, undefined)).toBe(true);
  });

  it("agrees with every measured row", () => {
    for (const row of readTable<Row>("selectors")) {
      if (row.error !== undefined) {
        expect(() => parseLabelSelector(row.selector, "s"), row.error).toThrow();
        continue;
      }
      const selector = parseLabelSelector(row.selector, "s");
      expect(isEmptySelector(selector)).toBe(row.empty);
      for (const { labels, matches } of row.matches ?? []) {
        expect({ ...row, labels, matches: matchesLabelSelector(selector, labels) }).toEqual({
          ...row,
          labels,
          matches,
        });
      }
    }
  });
});
