import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { readTable } from "../../test/reference/read-reference.ts";
import { parseMeshConfig } from "../../test/support/parse-mesh-config.ts";
import { defaultMeshConfig, readMeshConfig } from "./mesh-config.ts";

interface Row {
  readonly meshConfig: string;
  readonly valid: boolean;
  readonly json?: JsonObject & { readonly defaultConfig: JsonObject };
}

describe("parseMeshConfig()", () => {
  it("keeps a number that is set to 0 where unset means another", () => {
    expect(parseMeshConfig(["defaultConfig: {concurrency: 0}"], "mesh").defaultConfig).toMatchObject({
      concurrency: 0,
    });
  });

  it("gives the defaults when there is no text, or none that sets anything", () => {
    expect(parseMeshConfig([], "mesh")).toEqual(defaultMeshConfig);
    expect(parseMeshConfig(["", "{}", "defaultConfig: null"], "mesh")).toEqual(defaultMeshConfig);
  });

  it("merges defaultConfig and defaultProviders when two texts set different parts", () => {
    const mesh = parseMeshConfig(
      [
        "defaultConfig: {concurrency: 1, proxyMetadata: {A: a}}\ndefaultProviders: {tracing: [t]}",
        "defaultConfig: {proxyMetadata: {B: b}}\ndefaultProviders: {metrics: [m]}",
      ],
      "mesh",
    );
    expect(mesh.defaultConfig).toMatchObject({ concurrency: 1, proxyMetadata: { A: "a", B: "b" }, statusPort: 15020 });
    expect(mesh["defaultProviders"]).toEqual({ tracing: ["t"], metrics: ["m"] });
  });

  it.each([
    ["1.5", 1.5],
    ["'1.5'", 1.5],
    ["'2e1'", 20],
    ["0", undefined],
    ["'null'", undefined],
    ["'NaN'", "NaN"],
    ["Infinity", "Infinity"],
    ["-Infinity", "-Infinity"],
  ])("reads a share of traces that is written %s as the reference does", (written, sampling) => {
    const mesh = parseMeshConfig([`defaultConfig: {tracing: {zipkin: {address: a:1}, sampling: ${written}}}`], "mesh");
    expect((mesh.defaultConfig["tracing"] as JsonObject)["sampling"]).toEqual(sampling);
  });

  it.each(["x", "infinity", "'1.'", "'0x1'", "true", "[1]", `'${"1".repeat(101)}'`])(
    "rejects a share of traces that is written %s",
    (written) => {
      const text = `defaultConfig: {tracing: {sampling: ${written}}}`;
      expect(() => parseMeshConfig([text], "mesh")).toThrow("must be a number");
    },
  );

  it.each([2_147_483_647, -2_147_483_648])("takes %i for a number of 32 bits, though it is no port", (port) => {
    expect(() => parseMeshConfig([`proxyListenPort: ${port}`], "mesh")).toThrow(
      `proxyListenPort cannot be "${String(port)}": use a port from 1 to 65535`,
    );
  });

  it.each([
    ["defaultConfig: {statNameLength: 2147483648}", "from -2147483648 to 2147483647"],
    ["defaultConfig: {statNameLength: -2147483649}", "from -2147483648 to 2147483647"],
    ["defaultConfig: {tracing: {maxPathTagLength: 4294967296}}", "from 0 to 4294967295"],
    ["defaultConfig: {tracing: {maxPathTagLength: -1}}", "from 0 to 4294967295"],
  ])("takes no number in %s that its field cannot hold", (text, bounds) => {
    expect(() => parseMeshConfig([text], "mesh")).toThrow(`must be ${bounds}`);
  });

  it("shows 60 characters of a key that is not known, in its warning", () => {
    const { unknown } = readMeshConfig([`${"k".repeat(61)}: 1`, `${"l".repeat(60)}: 1`], "mesh");
    expect(unknown.join("\n")).toContain(`${"k".repeat(60)}…`);
    expect(unknown.join("\n")).toContain("l".repeat(60));
    expect(unknown.join("\n")).not.toContain("k".repeat(61));
    expect(unknown.join("\n")).not.toContain(`${"l".repeat(60)}…`);
  });

  it("replaces other messages as a whole when a text sets a part of them", () => {
    const mesh = parseMeshConfig(["localityLbSetting: {failoverPriority: [a]}\noutboundTrafficPolicy: {}"], "mesh");
    expect(mesh["localityLbSetting"]).toEqual({ failoverPriority: ["a"] });
    expect(mesh["outboundTrafficPolicy"]).toEqual({});
  });

  it("puts a provider in the place of its namesake when there is one, and else at the end", () => {
    const mesh = parseMeshConfig(
      [
        "extensionProviders: [{name: envoy, zipkin: {service: z, port: 1}}, {name: new, prometheus: {}}]",
        "extensionProviders: [{name: new, stackdriver: {}}]",
      ],
      "mesh",
    );
    const providers = mesh["extensionProviders"] as readonly JsonObject[];
    expect(providers.map(({ name }) => name)).toEqual(["prometheus", "stackdriver", "envoy", "new"]);
    expect(providers.slice(2)).toEqual([
      { name: "envoy", zipkin: { service: "z", port: 1 } },
      { name: "new", stackdriver: {} },
    ]);
  });

  it("unites trust domain aliases when several texts have them", () => {
    const mesh = parseMeshConfig(["trustDomainAliases: [c, a]", "trustDomainAliases: [b, a]"], "mesh");
    expect(mesh.trustDomainAliases).toEqual(["a", "b", "c"]);
  });

  it("leaves a flag out when a text turns it off", () => {
    expect(parseMeshConfig(["enableTracing: false"], "mesh")["enableTracing"]).toBeUndefined();
    expect(parseMeshConfig(["enableAutoMtls: false"], "mesh")["enableAutoMtls"]).toBe(false);
  });

  it.each([
    ["- a", "The text must be a mapping of fields"],
    ["proxyListenPort: x", 'proxyListenPort cannot be "x": use a port from 1 to 65535'],
    ["connectTimeout: 2h", "connectTimeout must be at most 1h"],
    ["connectTimeout: 1us", 'connectTimeout cannot be "0.000001s": use a duration of whole milliseconds'],
    ["protocolDetectionTimeout: 1us", "protocolDetectionTimeout must be a whole number of milliseconds"],
    ["trustDomain: a_b", 'trustDomain cannot be "a_b": use a domain, like cluster.local'],
    ["trustDomainAliases: [a, '']", 'trustDomainAliases[0] cannot be "": use a domain, like cluster.local'],
    ["defaultConfig: {statusPort: 0}", 'defaultConfig.statusPort cannot be "0": use a port from 1 to 65535'],
    ["defaultConfig: {proxyMetadata: {A: 1}}", "defaultConfig.proxyMetadata.A must be text"],
    ["defaultConfig: text", "defaultConfig must be a mapping of fields"],
    ["serviceSettings: [{hosts: [a, 'b.*']}]", "serviceSettings[0].hosts[1] must be a host name"],
    ["meshMTLS: {ecdhCurves: [P-256]}", "meshMTLS.ecdhCurves cannot be set"],
    ["outboundTrafficPolicy: {mode: NOPE}", "outboundTrafficPolicy.mode must be REGISTRY_ONLY"],
  ])("names source, field and what is allowed when a text is %j", (text, problem) => {
    expect(() => parseMeshConfig(["{}", text], "mesh")).toThrow(
      expect.objectContaining({
        code: "mesh-invalid",
        path: "mesh",
        message: expect.stringContaining(`Cannot read mesh as MeshConfig: ${problem}`),
      }),
    );
  });

  it("names line and column when a text is not YAML", () => {
    expect(() => parseMeshConfig(["a: 1\nb: [\n"], "mesh")).toThrow(
      expect.objectContaining({
        code: "yaml-invalid",
        path: "mesh",
        line: expect.any(Number),
        column: expect.any(Number),
      }),
    );
  });

  it("agrees with every measured row", () => {
    for (const { meshConfig, valid, json } of readTable<Row>("mesh-config")) {
      if (json === undefined || !valid) {
        expect(() => parseMeshConfig([meshConfig], "mesh"), meshConfig).toThrow();
        continue;
      }
      // What templates rely on is always there; the table has no zero values.
      const always = { interceptionMode: "REDIRECT", proxyMetadata: {} };
      const expected = { ...json, defaultConfig: { ...always, ...json.defaultConfig } };
      expect({ meshConfig, json: parseMeshConfig([meshConfig], "mesh") }).toEqual({ meshConfig, json: expected });
    }
  });
});

describe("readMeshConfig()", () => {
  it("names fields that have no effect when a text has them, at any depth", () => {
    const text = "noSuch: 1\noutboundTrafficPolicy: {moed: x}\ndefaultConfig: {concurency: 2}";
    const { unknown } = readMeshConfig([text], "mesh");
    expect(unknown).toEqual(["defaultConfig.concurency", "outboundTrafficPolicy.moed", "noSuch"]);
  });
});
