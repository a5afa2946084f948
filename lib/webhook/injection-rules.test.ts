import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { injectedByPolicy, injectedCondition, isInjected, SHIPPED_POLICY } from "./injection-rules.ts";

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
    const given = { ...SHIPPED_POLICY, policy, neverInjectSelector: never, alwaysInjectSelector: always };
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

  const HAS = '(has(object.metadata) && has(object.metadata.labels) && "a" in object.metadata.labels)';
  const IS_IN = `(${HAS} && object.metadata.labels["a"] in ["x", "y"])`;
  it.each([
    ["In", IS_IN],
    ["NotIn", `!${IS_IN}`],
    ["Exists", HAS],
    ["DoesNotExist", `!${HAS}`],
  ] as const)("writes the operator %s in CEL", (operator, text) => {
    const selector = { requirements: [{ key: "a", operator, values: ["x", "y"] }] };
    const { expression } = injectedByPolicy({ ...SHIPPED_POLICY, neverInjectSelector: [selector] });
    expect(expression).toContain(` && !(${text}) && (true))`);
  });

  it("asks for all requirements of a selector, and leaves out one that is empty", () => {
    const [a, b] = ["a", "b"].map((key) => ({ key, operator: "Exists", values: [] }) as const);
    const selectors = [{ requirements: [a, b] }, { requirements: [] }] as const;
    const { expression } = injectedByPolicy({
      ...SHIPPED_POLICY,
      policy: "disabled",
      neverInjectSelector: [{ requirements: [] }],
      alwaysInjectSelector: selectors as never,
    });
    expect(expression).toMatch(
      / && \(\(\(.* && "a" in object\.metadata\.labels\) && \(.* && "b" in object\.metadata\.labels\)\)\)\)$/,
    );
    expect(expression.split('"a" in')).toHaveLength(2);
    expect(expression).not.toContain("()");
  });

  it("asks for a template where each default one is for some pods only", () => {
    const plain = injectedByPolicy(SHIPPED_POLICY).expression;
    const match = { podLabels: SELECTOR, namespaces: ["shop", "till"] };
    const named =
      '(has(object.metadata) && has(object.metadata.annotations) && "inject.istio.io/templates" in object.metadata.annotations)';
    const defaultTemplates = [
      { name: "logs", match },
      { name: "vault", match: { namespaces: ["mail"] } },
    ];
    expect(injectedByPolicy({ ...SHIPPED_POLICY, defaultTemplates }).expression).toBe(
      `(${plain}) && (${named} || ${HAS_A} && request.namespace in ["shop", "till"] || request.namespace in ["mail"])`,
    );
    const other = { ...SHIPPED_POLICY, defaultTemplates: [...defaultTemplates, "sidecar"] };
    expect(injectedByPolicy(other).expression).toBe(plain);
  });
});

describe("isInjected()", () => {
  const podWith = (status: string | undefined, spec: Pod["spec"]): Pod => ({
    metadata: status === undefined ? {} : { annotations: { "sidecar.istio.io/status": status } },
    spec,
  });
  const record = '{"containers":["proxy"],"initContainers":["init"]}';
  const [proxy, init] = [{ name: "proxy" }, { name: "init" }];

  it.each<[string, boolean, Pod]>([
    ["a pod with a record and its containers", true, podWith(record, { containers: [proxy], initContainers: [init] })],
    ["the same as native sidecars", true, podWith(record, { containers: [], initContainers: [init, proxy] })],
    ["a record that names none", true, podWith("{}", { containers: [] })],
    ["a record that is no JSON", true, podWith("{", { containers: [] })],
    ["a record that is a list", true, podWith("[]", { containers: [] })],
    ["a record whose lists are none", true, podWith('{"containers":5}', { containers: [] })],
    ["a record of what cannot be a text", true, podWith('{"containers":[{"toString":1}]}', { containers: [] })],
    ["a pod without a record", false, podWith(undefined, { containers: [proxy] })],
    ["a record without its container", false, podWith(record, { containers: [], initContainers: [init] })],
    ["a record without its init container", false, podWith(record, { containers: [proxy] })],
    ["an image that was to be replaced", false, podWith("{}", { containers: [{ name: "a", image: "auto" }] })],
  ])("of %s is %s", (_, expected, pod) => {
    expect(isInjected(pod)).toBe(expected);
  });

  it("is written in CEL for an API server", () => {
    const map = "object.metadata.annotations";
    const status = `${map}["sidecar.istio.io/status"]`;
    const exists = (list: string) =>
      `(has(object.spec) && has(object.spec.${list}) && object.spec.${list}.exists(c, '"' + c.name + '"' == n))`;
    const complete = (list: string) =>
      `${status}.find('"${list}":\\\\[[^\\\\]]*\\\\]').findAll('"[^"]+"').all(n, n == '"${list}"' || ${exists("containers")} || ${exists("initContainers")})`;
    expect(injectedCondition()).toBe(
      [
        `(has(object.metadata) && has(${map}) && "sidecar.istio.io/status" in ${map})`,
        '(!has(object.spec) || !has(object.spec.containers) || !object.spec.containers.exists(c, has(c.image) && c.image == "auto"))',
        complete("containers"),
        complete("initContainers"),
      ].join(" && "),
    );
  });
});
