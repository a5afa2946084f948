import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { judgeByPolicies } from "./policies.ts";

const PODS = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
const POD: JsonObject = {
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels: { app: "web" } } },
  spec: { containers: [{ name: "app", image: "app:1", ports: [{ containerPort: 8080 }] }] },
};
const BINDING = { policyName: "p", validationActions: ["Deny"] };

/** What becomes of a pod in the namespace `shop` with one policy and one binding. */
function judge(policy: JsonObject, binding: JsonObject = {}, pod: JsonObject = POD, isDryRun = false) {
  const [metadata, labels] = [{ name: "p" }, { team: "a" }];
  const spec = { failurePolicy: "Fail", matchConstraints: { resourceRules: [PODS] }, ...policy };
  const objects = new Map<string, JsonObject>([
    ["/api/v1/namespaces/shop", { kind: "Namespace", metadata: { name: "shop", labels } }],
    ["/policy", { kind: "ValidatingAdmissionPolicy", metadata, spec }],
    [
      "/binding",
      { kind: "ValidatingAdmissionPolicyBinding", metadata: { name: "b" }, spec: { ...BINDING, ...binding } },
    ],
  ]);
  const { refused, warnings } = judgeByPolicies({ objects }, { pod, namespace: "shop", isDryRun });
  return refused === undefined ? (warnings ?? []) : `${refused.code} ${String(refused.body["message"])}`;
}

const refusing = (expression: string, more: JsonObject = {}) => ({ validations: [{ expression, ...more }] });
const DENIED = `pods "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request:`;

describe("judgeByPolicies()", () => {
  it.each([
    ["takes what holds", refusing("object.metadata.name == 'web'"), []],
    ["refuses with the message", refusing("false", { message: "not here" }), `422 ${DENIED} not here`],
    ["names an expression without one", refusing("1 > 2"), `422 ${DENIED} failed expression: 1 > 2`],
    [
      "answers with the reason's code",
      refusing("false", { reason: "Forbidden" }),
      `403 ${DENIED} failed expression: false`,
    ],
    ["counts whole numbers as int", refusing("object.spec.containers[0].ports[0].containerPort == 8080"), []],
    ["finds text as Kubernetes does", refusing("'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1'.find('x') == ''"), []],
    [
      "knows the request",
      refusing("request.namespace == 'shop' && !request.dryRun && request.operation == 'CREATE'"),
      [],
    ],
    ["knows the namespace", refusing("namespaceObject.metadata.labels.team == 'a'"), []],
    ["leaves out what no condition chooses", { ...refusing("false"), matchConditions: [{ expression: "false" }] }, []],
    [
      "leaves other kinds alone",
      { ...refusing("false"), matchConstraints: { resourceRules: [{ ...PODS, resources: ["services"] }] } },
      [],
    ],
    ["ignores an error where that is asked", { ...refusing("object.none == 1"), failurePolicy: "Ignore" }, []],
  ] as const)("%s", (_what, policy, answer) => {
    expect(judge(policy)).toEqual(answer);
  });

  it.each([
    [
      "a field that is not there",
      refusing("object.none == 1"),
      "expression 'object.none == 1' resulted in error: No such key: none",
    ],
    [
      "a condition that cannot be read",
      { ...refusing("true"), matchConditions: [{ expression: "(" }] },
      "expression '(' resulted in error: ",
    ],
    [
      "what this fake does not evaluate",
      { ...refusing("true"), variables: [{ name: "x", expression: "true" }] },
      "this fake evaluates no policy",
    ],
  ] as const)("refuses for %s, and says so", (_what, policy, why) => {
    expect(judge(policy)).toContain(`422 ${DENIED} ${why}`);
  });

  it.each([
    ["its namespace", { namespaceSelector: { matchLabels: { team: "b" } } }],
    ["its own labels", { objectSelector: { matchLabels: { app: "other" } } }],
    ["the rules", { resourceRules: [{ ...PODS, operations: ["UPDATE"] }] }],
    ["an exclusion", { excludeResourceRules: [PODS] }],
  ])("asks no policy whose binding leaves a pod out by %s", (_what, matchResources) => {
    expect(judge(refusing("false"), { matchResources })).toEqual([]);
    expect(judge(refusing("false"), { matchResources: { namespaceSelector: {} } })).toContain("422");
  });

  it("warns where the binding says so, and only tells an audit otherwise", () => {
    const warned = `Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': mind`;
    const policy = refusing("false", { message: "mind" });
    expect(judge(policy, { validationActions: ["Warn"] })).toEqual([warned]);
    expect(judge(policy, { validationActions: ["Audit"] })).toEqual([]);
  });

  it("names a pod by what its name begins with, where it has none yet", () => {
    const pod = { ...POD, metadata: { generateName: "web-" } };
    expect(judge(refusing("false"), {}, pod)).toContain('pods "web-" is forbidden');
  });
});
