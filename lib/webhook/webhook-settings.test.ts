import { describe, expect, it } from "vitest";
import { checkWebhookSettings, type WebhookSettings } from "./webhook-settings.ts";

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAAAA+/=\n-----END CERTIFICATE-----\n";
const SETTINGS: WebhookSettings = {
  deployment: "prod",
  url: "https://inject.example/prod",
  token: `${"a".repeat(41)}_-`,
  revision: "default",
  tags: [],
  phase: "cluster",
  namespaces: [],
  timeoutSeconds: 10,
};

describe("checkWebhookSettings()", () => {
  it.each<[string, Partial<WebhookSettings>]>([
    ["the least", {}],
    ["a path and a port", { url: "https://inject.example:8443/a/b" }],
    ["tags", { tags: ["a", "b"] }],
    ["namespaces in their phase", { phase: "namespace", namespaces: ["shop"] }],
    ["the shortest timeout", { timeoutSeconds: 1 }],
    ["the longest timeout", { timeoutSeconds: 30 }],
    ["a cluster id and network", { clusterId: "arn/a.b_c-1", network: "n" }],
    ["a safety net", { safetyNet: "deny" }],
    ["no safety net in the phase audit", { phase: "audit" }],
    ["certificates", { caBundle: ` ${CERTIFICATE}${CERTIFICATE}` }],
  ])("takes %s", (_what, changes) => {
    const settings = { ...SETTINGS, ...changes };
    expect(checkWebhookSettings(settings)).toBe(settings);
  });

  it.each<[string, Partial<WebhookSettings>]>([
    ["URL", { url: "http://inject.example" }],
    ["URL", { url: "inject.example" }],
    ["URL", { url: "https://inject.example?a" }],
    ["URL", { url: "https://inject.example/?" }],
    ["URL", { url: "https://inject.example/#" }],
    ["URL", { url: "https://inject.example/#a" }],
    ["URL", { url: "https://user@inject.example" }],
    ["URL", { url: "https://:secret@inject.example" }],
    ["token", { token: "a".repeat(42) }],
    ["token", { token: "a".repeat(44) }],
    ["token", { token: `${"a".repeat(42)}!` }],
    ['revision "A"', { revision: "A" }],
    ['tag "b_"', { tags: ["a", "b_"] }],
    ["tags", { tags: ["a", "a"] }],
    ["tags", { tags: ["a", "default"] }],
    ["deployment", { deployment: "Prod" }],
    ['namespace "a_b"', { phase: "namespace", namespaces: ["shop", "a_b"] }],
    ['namespace "kube-system"', { phase: "namespace", namespaces: ["kube-system"] }],
    ["phase namespace", { phase: "namespace" }],
    ["phase cluster", { namespaces: ["shop"] }],
    ["phase enforce", { phase: "enforce", namespaces: ["shop"] }],
    ["safety net", { phase: "audit", safetyNet: "warn" }],
    ["timeout", { timeoutSeconds: 0 }],
    ["timeout", { timeoutSeconds: 31 }],
    ["timeout", { timeoutSeconds: 1.5 }],
    ["clusterId", { clusterId: "" }],
    ["clusterId", { clusterId: "a b" }],
    ["clusterId", { clusterId: "-a" }],
    ["network", { network: "a-" }],
    ["network", { network: "a".repeat(64) }],
    ["network", { network: "a/b" }],
    ["CA bundle", { caBundle: "x" }],
    ["CA bundle", { caBundle: `${CERTIFICATE}x` }],
  ])("refuses a wrong %s: %j", (what, changes) => {
    expect(() => checkWebhookSettings({ ...SETTINGS, ...changes })).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining(what) }),
    );
  });

  it("shortens what it names", () => {
    expect(() => checkWebhookSettings({ ...SETTINGS, revision: "A".repeat(200) })).toThrow(`"${"A".repeat(80)}"`);
  });
});
