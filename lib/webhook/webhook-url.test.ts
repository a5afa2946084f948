import { describe, expect, it } from "vitest";
import { formatSettings, parseSettings } from "./settings-annotation.ts";
import type { WebhookSettings } from "./webhook-settings.ts";
import { parseWebhookUrl, webhookUrl, withoutToken } from "./webhook-url.ts";

const TOKEN = "t".repeat(43);

describe("webhookUrl()", () => {
  it.each([
    { url: "https://a.test", token: TOKEN, revision: "default" },
    { url: "https://a.test/stage", token: TOKEN, revision: "1-30", clusterId: "a/b" },
    { url: "https://a.test", token: TOKEN, revision: "default", clusterId: "c", network: "n" },
    { url: "https://a.test", token: TOKEN, revision: "r", network: "n" },
  ])("is read back by parseWebhookUrl() when it is made of %j", (parts) => {
    expect(parseWebhookUrl(webhookUrl(parts))).toEqual(parts);
  });
});

describe("parseWebhookUrl()", () => {
  it.each(["", "https://a.test/inject", "https://a.test/t/x", "https://a.test/t/x/inject?y", "ftp://a/t/x/inject"])(
    "gives nothing when the URL is %j",
    (url) => expect(parseWebhookUrl(url)).toBeUndefined(),
  );
});

describe("withoutToken()", () => {
  it("shows no token", () => {
    expect(withoutToken(webhookUrl({ url: "https://a.test", token: TOKEN, revision: "r" }))).toBe(
      "https://a.test/t/…/r/r/inject",
    );
  });
});

describe("parseSettings()", () => {
  const settings: WebhookSettings = {
    deployment: "dev",
    url: "https://a.test",
    token: TOKEN,
    revision: "1-30",
    tags: ["prod"],
    phase: "namespace",
    namespaces: ["shop"],
    network: "n",
    timeoutSeconds: 5,
    safetyNet: "warn",
    failurePolicy: "Fail",
  };

  it("reads back what formatSettings() wrote, without the token", () => {
    const { token, ...kept } = settings;
    expect(formatSettings(settings)).not.toContain(token);
    expect(parseSettings(formatSettings(settings))).toEqual(kept);
  });

  it.each([
    undefined,
    "",
    "{",
    "[]",
    "{}",
    '{"url":"http://a"}',
    formatSettings({ ...settings, url: "http://a.test" }),
  ])("gives nothing when the annotation is %j", (text) => expect(parseSettings(text)).toBeUndefined());
});
