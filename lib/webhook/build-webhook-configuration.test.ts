import { describe, expect, it } from "vitest";
import { buildWebhookConfigurations } from "./build-webhook-configuration.ts";
import { matchConditionsOf } from "./match-conditions.ts";
import { selectorsOf } from "./selectors.ts";
import { formatSettings } from "./settings-annotation.ts";
import { DEFAULT_TIMEOUT_SECONDS, type WebhookSettings } from "./webhook-settings.ts";
import { webhookUrl } from "./webhook-url.ts";

const SETTINGS: WebhookSettings = {
  deployment: "dev",
  url: "https://example.test/base/",
  token: "t".repeat(43),
  revision: "default",
  tags: [],
  phase: "cluster",
  namespaces: [],
  timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
};

function build(settings: Partial<WebhookSettings> = {}) {
  return buildWebhookConfigurations({ ...SETTINGS, ...settings });
}

function webhooksOf(settings: Partial<WebhookSettings> = {}) {
  return build(settings).flatMap(({ webhooks }) => webhooks);
}

describe("buildWebhookConfigurations()", () => {
  it("builds Istio's four webhooks when the revision is the default one", () => {
    expect(build().map(({ metadata, webhooks }) => [metadata.name, webhooks.map(({ name }) => name)])).toEqual([
      [
        "outrigger-sidecar-injector",
        ["rev.namespace", "rev.object", "namespace", "object"].map((name) => `${name}.sidecar-injector.outrigger`),
      ],
    ]);
  });

  it("writes every field out that an API server would fill in", () => {
    const [configuration] = build({ revision: "1-30", tags: ["prod"] }).slice(1);
    const settings = { ...SETTINGS, revision: "1-30", tags: ["prod"] };
    expect(configuration).toEqual({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: {
        name: "outrigger-revision-tag-prod",
        labels: {
          "app.kubernetes.io/managed-by": "outrigger",
          "app.kubernetes.io/instance": "dev",
          "outrigger/deployment": "dev",
          "outrigger/revision": "1-30",
          "outrigger/tag": "prod",
        },
        annotations: { "outrigger/settings": formatSettings(settings) },
      },
      webhooks: selectorsOf("prod", []).map(({ name, namespaceSelector, objectSelector }) => ({
        name: `${name}.sidecar-injector.outrigger`,
        clientConfig: { url: webhookUrl(settings) },
        rules: [
          { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], scope: "Namespaced" },
        ],
        failurePolicy: "Ignore",
        matchPolicy: "Equivalent",
        namespaceSelector,
        objectSelector,
        matchConditions: matchConditionsOf("cluster"),
        sideEffects: "None",
        timeoutSeconds: 10,
        reinvocationPolicy: "IfNeeded",
        admissionReviewVersions: ["v1", "v1beta1"],
      })),
    });
  });

  it("has the failure policy that it is given, whatever the phase", () => {
    for (const { failurePolicy } of webhooksOf({ phase: "enforce", failurePolicy: "Ignore" }))
      expect(failurePolicy).toBe("Ignore");
  });

  it("asks for pods in whatever version they are written, and to be called again after other webhooks", () => {
    for (const webhook of webhooksOf()) {
      expect(webhook).toMatchObject({ matchPolicy: "Equivalent", reinvocationPolicy: "IfNeeded", sideEffects: "None" });
    }
    for (const webhook of webhooksOf({ reinvocationPolicy: "Never" })) expect(webhook.reinvocationPolicy).toBe("Never");
  });

  it("builds the two by revision and those of each tag when it is another", () => {
    const built = build({ revision: "1-30", tags: ["prod", "default"] });
    expect(built.map(({ metadata, webhooks }) => [metadata.name, webhooks.length])).toEqual([
      ["outrigger-sidecar-injector-1-30", 2],
      ["outrigger-revision-tag-prod", 2],
      ["outrigger-revision-tag-default", 4],
    ]);
    const urls = new Set(built.flatMap(({ webhooks }) => webhooks.map(({ clientConfig }) => clientConfig.url)));
    expect([...urls]).toEqual([`https://example.test/base/t/${SETTINGS.token}/r/1-30/inject`]);
  });

  it("puts the parameters of Istio's path into the URL when there are any", () => {
    const [webhook] = webhooksOf({ clusterId: "eks/one", network: "net-1" });
    expect(webhook?.clientConfig).toEqual({
      url: `https://example.test/base/t/${SETTINGS.token}/inject/cluster/eks--slash--one/net/net-1`,
    });
  });

  it.each([
    ["audit", "Ignore"],
    ["namespace", "Ignore"],
    ["cluster", "Ignore"],
    ["enforce", "Fail"],
  ] as const)("has every failure policy of phase %s at %s", (phase, policy) => {
    const namespaces = phase === "namespace" ? ["shop"] : [];
    for (const webhook of webhooksOf({ phase, namespaces })) expect(webhook.failurePolicy).toBe(policy);
  });

  it("asks about dry runs only when the phase is audit", () => {
    const names = (phase: "audit" | "cluster") =>
      webhooksOf({ phase }).map(({ matchConditions }) => matchConditions.some(({ name }) => name === "dry-run"));
    expect([names("audit"), names("cluster")]).toEqual([Array(4).fill(true), Array(4).fill(false)]);
  });

  it("gives no configuration what istiod would put its own CA into", () => {
    for (const { metadata, webhooks } of build({ tags: ["prod"] })) {
      expect(Object.keys(metadata.labels)).not.toContain("istio.io/rev");
      for (const { name } of webhooks) expect(name).not.toMatch(/istio\.io$/);
    }
  });

  it("keeps what was asked for in an annotation, without the token", () => {
    const [configuration] = build();
    expect(configuration?.metadata.annotations?.["outrigger/settings"]).toContain('"phase":"cluster"');
    expect(JSON.stringify(configuration?.metadata)).not.toContain(SETTINGS.token);
  });

  it("has a CA only when it is given one, as base64 of PEM", () => {
    expect(webhooksOf().some(({ clientConfig }) => "caBundle" in clientConfig)).toBe(false);
    const pem = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----";
    expect(atob(webhooksOf({ caBundle: pem })[0]?.clientConfig.caBundle ?? "")).toBe(`${pem}\n`);
  });

  it.each([
    [{ url: "http://example.test" }, "an API server calls https:// only"],
    [{ url: "https://example.test/?a=b" }, "no user, query or fragment"],
    [{ url: "https://u:p@example.test/" }, "no user, query or fragment"],
    [{ url: "nonsense" }, "an API server calls https:// only"],
    [{ token: "short" }, "43 letters"],
    [{ revision: "A_b" }, 'revision "A_b"'],
    [{ tags: ["a", "a"] }, "one is given twice"],
    [{ tags: ["default"] }, "the revision itself"],
    [{ phase: "namespace" }, "--namespace"],
    [{ namespaces: ["shop"] }, "phase namespace only"],
    [{ phase: "namespace", namespaces: ["kube-system"] }, "never injected"],
    [{ timeoutSeconds: 31 }, "1 to 30"],
    [{ timeoutSeconds: 1.5 }, "1 to 30"],
    [{ network: "a b" }, "network"],
    [{ clusterId: "../x?y" }, "clusterId"],
    [{ caBundle: "no" }, "PEM"],
    [{ phase: "audit", safetyNet: "deny" }, "reject them all"],
  ] satisfies [Partial<WebhookSettings>, string][])("refuses %j with the way out", (settings, message) => {
    expect(() => build(settings)).toThrow(message);
    expect(() => build(settings)).not.toThrow(SETTINGS.token);
  });
});
