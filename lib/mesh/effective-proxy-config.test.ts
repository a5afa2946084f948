import { defined } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { parseMeshConfig } from "../../test/support/parse-mesh-config.ts";
import { baseProxyConfig, effectiveProxyConfig, type ProxyConfigTarget } from "./effective-proxy-config.ts";
import type { ProxyConfigResource } from "./proxy-config-resources.ts";

const mesh = parseMeshConfig(["defaultConfig: {concurrency: 1, proxyMetadata: {M: mesh}}"], "mesh");
const target = { namespace: "shop", labels: { app: "web" }, annotations: {} };

function setting(namespace: string, from: string, selector?: Readonly<Record<string, string>>): ProxyConfigResource {
  const settings = { proxyMetadata: { FROM: from, [from]: "1" } };
  return defined({ name: from, namespace, settings, selector });
}

describe("effectiveProxyConfig()", () => {
  it("is the mesh's default itself when nothing else is said", () => {
    const elsewhere = [setting("other", "other"), setting("shop", "api", { app: "api" }), setting("shop", "empty", {})];
    expect(effectiveProxyConfig(mesh, [], target)).toBe(mesh.defaultConfig);
    expect(effectiveProxyConfig(mesh, elsewhere, target)).toBe(mesh.defaultConfig);
  });

  it("takes them in order of precedence when all places speak", () => {
    const all = [
      setting("shop", "workload", { app: "web" }),
      setting("shop", "namespace"),
      setting("istio-system", "root"),
    ];
    const annotations = { "proxy.istio.io/config": "proxyMetadata: {FROM: annotation, annotation: '1'}" };
    const everything = { M: "mesh", root: "1", namespace: "1", annotation: "1", workload: "1" };
    const metadata = (resources: readonly ProxyConfigResource[], of: ProxyConfigTarget = { ...target, annotations }) =>
      effectiveProxyConfig(mesh, resources, of).proxyMetadata;
    expect(metadata(all)).toEqual({ ...everything, FROM: "workload" });
    expect(metadata(all.slice(1))["FROM"]).toBe("annotation");
    expect(metadata(all.slice(1), target)["FROM"]).toBe("namespace");
    expect(metadata(all.slice(2), target)["FROM"]).toBe("root");
  });

  it("takes the oldest when several resources are for the same workloads", () => {
    const resources = [setting("shop", "old"), setting("shop", "new")];
    expect(effectiveProxyConfig(mesh, resources, target).proxyMetadata).toEqual({ M: "mesh", FROM: "old", old: "1" });
  });

  it("ignores a selector in the root namespace when the workload is elsewhere", () => {
    const resources = [setting("istio-system", "root", { app: "web" })];
    expect(effectiveProxyConfig(mesh, resources, target)).toBe(mesh.defaultConfig);
    const there = effectiveProxyConfig(mesh, resources, { ...target, namespace: "istio-system" });
    expect(there.proxyMetadata["FROM"]).toBe("root");
  });

  it("lets no default go when an annotation sets a zero value", () => {
    const tproxy = parseMeshConfig(["defaultConfig: {interceptionMode: TPROXY}"], "mesh");
    const annotations = {
      "proxy.istio.io/config": "interceptionMode: REDIRECT\nholdApplicationUntilProxyStarts: false",
    };
    const config = effectiveProxyConfig(tproxy, [], { ...target, annotations });
    expect(config).toMatchObject({ interceptionMode: "TPROXY", holdApplicationUntilProxyStarts: false });
  });

  it("passes an annotation over when it cannot be read", () => {
    const annotations = { "proxy.istio.io/config": "{" };
    expect(effectiveProxyConfig(mesh, [], { ...target, annotations })).toBe(mesh.defaultConfig);
  });

  it("is the same object when the same places say the same", () => {
    const resources = [setting("shop", "namespace")];
    const annotations = { "proxy.istio.io/config": "meshId: m" };
    const once = effectiveProxyConfig(mesh, resources, { ...target, annotations });
    expect(effectiveProxyConfig(mesh, resources, { ...target, annotations: { ...annotations } })).toBe(once);
    expect(effectiveProxyConfig(mesh, resources, target)).not.toBe(once);
  });

  it("looks at own labels only when a selector names one of every object's", () => {
    const resources = [setting("shop", "x", { constructor: "x" })];
    expect(effectiveProxyConfig(mesh, resources, target)).toBe(mesh.defaultConfig);
  });
});

describe("baseProxyConfig()", () => {
  it("puts a default back when the mesh sets its field to zero", () => {
    const zero = parseMeshConfig(["defaultConfig: {controlPlaneAuthPolicy: NONE, concurrency: 3}"], "mesh");
    expect(zero.defaultConfig["controlPlaneAuthPolicy"]).toBeUndefined();
    const base = baseProxyConfig(zero);
    expect(base).toMatchObject({ controlPlaneAuthPolicy: "MUTUAL_TLS", concurrency: 3, statusPort: 15020 });
    expect(baseProxyConfig(zero)).toBe(base);
  });

  it("is the mesh's default itself when the mesh names its clusters otherwise", () => {
    const named = parseMeshConfig(["defaultConfig: {tracingServiceName: CANONICAL_NAME_ONLY}"], "mesh");
    expect(baseProxyConfig(named)).toBe(named.defaultConfig);
  });
});
