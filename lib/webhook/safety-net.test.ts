import { describe, expect, it } from "vitest";
import { injectedByPolicy, injectedCondition, SHIPPED_POLICY } from "./injection-rules.ts";
import { matchConditionsOf } from "./match-conditions.ts";
import { buildSafetyNet } from "./safety-net.ts";
import { selectorsOf } from "./selectors.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

const SETTINGS: WebhookSettings = {
  deployment: "dev",
  url: "https://example.test",
  token: "t".repeat(43),
  revision: "default",
  tags: ["prod"],
  phase: "cluster",
  namespaces: [],
  timeoutSeconds: 10,
};

describe("buildSafetyNet()", () => {
  it("builds nothing when no net is asked for", () => {
    expect(buildSafetyNet(SETTINGS)).toEqual([]);
  });

  it("builds a policy, and a binding for every selector of the revision and of its tags", () => {
    const [policy, ...bindings] = buildSafetyNet({ ...SETTINGS, safetyNet: "deny" });
    expect(policy?.kind).toBe("ValidatingAdmissionPolicy");
    for (const { apiVersion } of [policy, ...bindings].filter((each) => each !== undefined))
      expect(apiVersion).toBe("admissionregistration.k8s.io/v1");
    expect(bindings.map(({ metadata }) => metadata.name)).toEqual(
      ["rev-namespace", "rev-object", "namespace", "object", "prod-rev-namespace", "prod-rev-object"].map(
        (ending) => `outrigger-sidecar-injector-${ending}`,
      ),
    );
    for (const { spec } of bindings) {
      expect(spec).toMatchObject({ policyName: "outrigger-sidecar-injector", validationActions: ["Deny"] });
    }
  });

  it("warns instead when it is asked to", () => {
    const [, binding] = buildSafetyNet({ ...SETTINGS, safetyNet: "warn" });
    expect(binding?.spec).toMatchObject({ validationActions: ["Warn"] });
  });

  it("writes the policy out as an API server reads it back", () => {
    const [policy] = buildSafetyNet({ ...SETTINGS, revision: "1-30", tags: [], safetyNet: "deny" });
    expect(policy).toEqual({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "outrigger-sidecar-injector-1-30", labels: LABELS },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [
            { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], scope: "*" },
          ],
        },
        matchConditions: [...matchConditionsOf("enforce"), injectedByPolicy(SHIPPED_POLICY)],
        validations: [
          {
            expression: injectedCondition(),
            message: expect.stringContaining("the pod was not injected"),
            reason: "Invalid",
          },
        ],
      },
    });
  });

  it("judges by the release's own policy where that is known", () => {
    const injection = { ...SHIPPED_POLICY, policy: "disabled" } as const;
    const [policy] = buildSafetyNet({ ...SETTINGS, safetyNet: "deny", injection });
    expect(JSON.stringify(policy?.spec["matchConditions"])).toContain(
      JSON.stringify(injectedByPolicy(injection).expression),
    );
  });

  it("binds it by the selectors of the webhooks", () => {
    const settings = { ...SETTINGS, revision: "1-30", tags: [], namespaces: ["shop"], phase: "namespace" } as const;
    const [, ...bindings] = buildSafetyNet({ ...settings, safetyNet: "warn" });
    expect(bindings).toEqual(
      selectorsOf("1-30", ["shop"]).map(({ name, namespaceSelector, objectSelector }) => ({
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingAdmissionPolicyBinding",
        metadata: { name: `outrigger-sidecar-injector-1-30-${name.replace(".", "-")}`, labels: LABELS },
        spec: {
          policyName: "outrigger-sidecar-injector-1-30",
          validationActions: ["Warn"],
          matchResources: { matchPolicy: "Equivalent", namespaceSelector, objectSelector },
        },
      })),
    );
  });

  it("refuses settings that no webhook can have", () => {
    expect(() => buildSafetyNet({ ...SETTINGS, timeoutSeconds: 0 })).toThrow("timeout");
  });
});

const LABELS = {
  "app.kubernetes.io/managed-by": "outrigger",
  "app.kubernetes.io/instance": "dev",
  "outrigger/deployment": "dev",
  "outrigger/revision": "1-30",
};
