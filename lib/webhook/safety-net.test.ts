import { describe, expect, it } from "vitest";
import { buildSafetyNet } from "./safety-net.ts";
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
});
