import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { readTable } from "../../test/reference/read-reference.ts";
import { applyProxyConfig, defaultProxyConfig, mergeProxyConfig, proxyConfigDifferences } from "./proxy-config.ts";
import { validateProxyConfig } from "./validate-proxy-config.ts";

interface Row {
  readonly config: string;
  readonly valid: boolean;
  readonly json?: JsonObject;
}

describe("applyProxyConfig()", () => {
  it("replaces fields and merges metadata when a text sets both", () => {
    const base = applyProxyConfig(
      defaultProxyConfig,
      "concurrency: 2\nproxyMetadata: {A: a, B: b}\nextraStatTags: [x]",
    );
    const config = applyProxyConfig(base, "concurrency: 0\nproxyMetadata: {B: c}\nextraStatTags: [z]");
    expect(config).toMatchObject({ concurrency: 0, proxyMetadata: { A: "a", B: "c" }, extraStatTags: ["z"] });
  });

  it("gives the base itself when a text sets nothing", () => {
    for (const text of ["", "{}", "null", "# comment", "noSuchField: 1", "concurrency: null"]) {
      expect(applyProxyConfig(defaultProxyConfig, text)).toBe(defaultProxyConfig);
    }
  });

  it("clears a default when a text sets the zero value, and keeps what templates rely on", () => {
    const config = applyProxyConfig(
      defaultProxyConfig,
      "statusPort: 0\ninterceptionMode: REDIRECT\ncontrolPlaneAuthPolicy: NONE",
    );
    expect(config).toMatchObject({ statusPort: 0, interceptionMode: "REDIRECT", proxyMetadata: {} });
    expect(config["controlPlaneAuthPolicy"]).toBeUndefined();
  });

  it("clears the other member when a text sets one of a oneof", () => {
    const config = applyProxyConfig(defaultProxyConfig, "tracingServiceName: APP_LABEL_AND_NAMESPACE");
    expect(config["serviceCluster"]).toBeUndefined();
    expect(config["tracingServiceName"]).toBe("APP_LABEL_AND_NAMESPACE");
    const both = applyProxyConfig(defaultProxyConfig, "tracingServiceName: CANONICAL_NAME_ONLY\nserviceCluster: x");
    expect(both["serviceCluster"]).toBeUndefined();
  });

  it("keeps some of the headers when a text sets others", () => {
    const base = applyProxyConfig(
      defaultProxyConfig,
      "proxyHeaders: {requestId: {disabled: true}, xForwardedHost: {enabled: true}}",
    );
    const config = applyProxyConfig(base, "proxyHeaders: {server: {value: x}}");
    expect(config.proxyHeaders).toEqual({ requestId: { disabled: true }, server: { value: "x" } });
  });

  it.each(["forwardedClientCert", "requestId", "attemptCount", "server", "envoyDebugHeaders"])(
    "keeps %s when a text sets another header",
    (name) => {
      const setting = name === "forwardedClientCert" ? "SANITIZE" : { disabled: true };
      const other = name === "server" ? "requestId" : "server";
      const base = applyProxyConfig(defaultProxyConfig, JSON.stringify({ proxyHeaders: { [name]: setting } }));
      const config = applyProxyConfig(base, JSON.stringify({ proxyHeaders: { [other]: { disabled: true } } }));
      expect(config.proxyHeaders).toEqual({ [name]: setting, [other]: { disabled: true } });
    },
  );

  it("reads both names of a field, the JSON name first, when a text gives them", () => {
    expect(applyProxyConfig(defaultProxyConfig, "status_port: 1\nstatusPort: 2").statusPort).toBe(2);
    expect(applyProxyConfig(defaultProxyConfig, "status_port: 1").statusPort).toBe(1);
  });

  it("names the field when a value has the wrong form", () => {
    const text = "tracing:\n  openCensusAgent:\n    context: [W3C_TRACE_CONTEXT, NOPE]";
    expect(() => applyProxyConfig(defaultProxyConfig, text)).toThrow(
      expect.objectContaining({
        code: "mesh-invalid",
        path: "tracing.openCensusAgent.context[1]",
        message: expect.stringContaining("W3C_TRACE_CONTEXT"),
      }),
    );
  });

  it("makes an own entry of metadata when its key is __proto__", () => {
    const { proxyMetadata } = applyProxyConfig(defaultProxyConfig, "proxyMetadata: {__proto__: x, constructor: z}");
    expect(Object.entries(proxyMetadata)).toEqual([
      ["__proto__", "x"],
      ["constructor", "z"],
    ]);
  });

  it("refuses in bounded time when a text is huge, deep or full of aliases", () => {
    const bomb = `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [${"*a, ".repeat(9)}*a]`).join("\n")}`;
    for (const text of ["[".repeat(100_000), bomb, `proxyMetadata:\n  ${"k".repeat(1_000_000)}: 1`]) {
      let message = "";
      try {
        applyProxyConfig(defaultProxyConfig, text);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).not.toBe("");
      expect(message.length).toBeLessThan(300);
    }
  });
});

describe("mergeProxyConfig()", () => {
  it("lets no default go when a message has no zero values", () => {
    expect(mergeProxyConfig(defaultProxyConfig, {})).toBe(defaultProxyConfig);
    expect(mergeProxyConfig(defaultProxyConfig, { concurrency: 0 })).toEqual({ ...defaultProxyConfig, concurrency: 0 });
  });
});

describe("proxyConfigDifferences()", () => {
  it("is empty when nothing differs from the defaults", () => {
    expect(proxyConfigDifferences(defaultProxyConfig)).toEqual({});
  });

  it("has one text when the same settings come in another order", () => {
    const one = applyProxyConfig(defaultProxyConfig, "concurrency: 1\nproxyMetadata: {B: b, A: a}\nmeshId: m");
    const other = applyProxyConfig(
      applyProxyConfig(defaultProxyConfig, "meshId: m\nproxyMetadata: {A: a}"),
      "concurrency: 1\nproxyMetadata: {B: b}",
    );
    expect(JSON.stringify(proxyConfigDifferences(one))).toBe(JSON.stringify(proxyConfigDifferences(other)));
    expect(JSON.stringify(proxyConfigDifferences(one))).toBe(
      '{"concurrency":1,"proxyMetadata":{"A":"a","B":"b"},"meshId":"m"}',
    );
  });

  it("agrees with every measured row", () => {
    for (const { config, valid, json } of readTable<Row>("proxy-config")) {
      expect({ config, isValid: validateProxyConfig(config) === undefined }).toEqual({ config, isValid: valid });
      if (!valid) continue;
      const differences = proxyConfigDifferences(applyProxyConfig(defaultProxyConfig, config));
      expect({ config, json: differences }).toEqual({ config, json });
    }
  });
});
