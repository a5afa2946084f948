import { describe, expect, it } from "vitest";
import { injectedByPolicy, SHIPPED_POLICY } from "./injection-rules.ts";

const SELECTOR = { requirements: [{ key: "a", operator: "Exists", values: [] }] } as const;
const HAS_A = '((has(object.metadata) && has(object.metadata.labels) && "a" in object.metadata.labels))';
const inject = (value: string) => {
  const map = (field: string) =>
    `(has(object.metadata) && has(object.metadata.${field}) && "sidecar.istio.io/inject" in object.metadata.${field})`;
  const is = (field: string) => `object.metadata.${field}["sidecar.istio.io/inject"] == "${value}"`;
  return `((${map("labels")} && ${is("labels")}) || (!${map("labels")} && ${map("annotations")} && ${is("annotations")}))`;
};

describe("injectedByPolicy()", () => {
  it.each([
    ["enabled", [], [], "true"],
    ["enabled", [], [SELECTOR], "true"],
    ["disabled", [], [], "false"],
    ["disabled", [], [SELECTOR, SELECTOR], `${HAS_A} || ${HAS_A}`],
  ] as const)("is the rest of decide()'s table for policy %s", (policy, never, always, rest) => {
    const given = { policy, neverInjectSelector: never, alwaysInjectSelector: always };
    expect(injectedByPolicy(given)).toEqual({
      name: "injected-by-the-release",
      expression: `${inject("true")} || (!${inject("false")} && (${rest}))`,
    });
  });

  it("leaves out pods that a selector excludes, before the policy decides", () => {
    const { expression } = injectedByPolicy({ ...SHIPPED_POLICY, neverInjectSelector: [SELECTOR] });
    expect(expression).toBe(`${inject("true")} || (!${inject("false")} && !${HAS_A} && (true))`);
  });

  it("injects nothing where the policy is unknown", () => {
    expect(injectedByPolicy({ ...SHIPPED_POLICY, policy: "unknown" }).expression).toBe("false");
  });
});
