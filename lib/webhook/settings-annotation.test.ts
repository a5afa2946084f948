import { describe, expect, it } from "vitest";
import { formatSettings, parseSettings } from "./settings-annotation.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

const SETTINGS: WebhookSettings = {
  deployment: "prod",
  url: "https://inject.example/prod",
  token: "t".repeat(43),
  revision: "v1",
  tags: ["a", "b"],
  phase: "namespace",
  namespaces: ["shop"],
  timeoutSeconds: 5,
  clusterId: "c1",
  network: "n1",
  failurePolicy: "Fail",
  reinvocationPolicy: "Never",
  safetyNet: "warn",
  stacks: ["arn:stack/1/Shop"],
  caBundle: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
};
const { token: _, ...KEPT } = SETTINGS;
const REQUIRED = { deployment: "prod", url: "https://inject.example/prod", revision: "v1" };
const parse = (value: unknown) => parseSettings(JSON.stringify(value));

describe("formatSettings() and parseSettings()", () => {
  it("keep everything but the token", () => {
    expect(formatSettings(SETTINGS)).not.toContain(SETTINGS.token);
    expect(parseSettings(formatSettings(SETTINGS))).toEqual(KEPT);
    expect(parse({ ...KEPT, failurePolicy: "Ignore", safetyNet: "deny" })).toMatchObject({
      failurePolicy: "Ignore",
      safetyNet: "deny",
    });
  });

  it("have defaults for what is missing or makes no sense", () => {
    const defaults = { ...REQUIRED, tags: [], phase: "audit", namespaces: [], timeoutSeconds: 10 };
    expect(parse(REQUIRED)).toEqual(defaults);
    const nonsense = {
      tags: "x",
      phase: "x",
      namespaces: 1,
      timeoutSeconds: "5",
      clusterId: 1,
      network: [],
      caBundle: null,
      failurePolicy: "x",
      stacks: [1],
      safetyNet: "off",
    };
    expect(parse({ ...REQUIRED, ...nonsense })).toEqual(defaults);
    expect(parse({ ...REQUIRED, tags: ["a", 1] })).toMatchObject({ tags: ["a"] });
  });

  it("read the phase under its earlier name, where it has no other", () => {
    expect(parse({ ...REQUIRED, stage: "cluster" })).toMatchObject({ phase: "cluster" });
    expect(parse({ ...REQUIRED, stage: "cluster", phase: "enforce" })).toMatchObject({ phase: "enforce" });
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a number", 5],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["no deployment", JSON.stringify({ ...REQUIRED, deployment: undefined })],
    ["no URL", JSON.stringify({ ...REQUIRED, url: 5 })],
    ["no revision", JSON.stringify({ ...REQUIRED, revision: undefined })],
    ["what cannot be", JSON.stringify({ ...REQUIRED, timeoutSeconds: 60 })],
    ["more than fits", JSON.stringify({ ...REQUIRED, more: "x".repeat(256 * 1024) })],
  ])("are undefined for %s", (_what, text) => {
    expect(parseSettings(text)).toBeUndefined();
  });
});
