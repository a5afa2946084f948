import { describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../../../test/support/shipped-tree.ts";
import { lintTree } from "../compile-release.ts";
import type { SourceTree } from "../source-tree.ts";

const shipped = await shippedTreeUntried();

function warned(own: SourceTree): readonly string[] {
  return lintTree([shipped, own]).findings.map(
    ({ path, line, column, message }) => `${path}:${line}:${column} ${message}`,
  );
}

const REVISION = "revision: canary\n";

describe("settings that must agree", () => {
  it.each<[string, SourceTree, string]>([
    [
      "the certificates of another revision",
      { config: REVISION, "values/10": REVISION },
      "values/10:1:11 proxies get their certificates from istiod-canary.istio-system.svc:15012, and their configuration from istiod.istio-system.svc:15012",
    ],
    [
      "the certificates of another namespace",
      { "values/10": "global: {istioNamespace: mesh}\n" },
      "values/10:1:26 proxies get their certificates from istiod.mesh.svc:15012",
    ],
    [
      "the configuration of another namespace",
      { mesh: "defaultConfig: {discoveryAddress: istiod.mesh.svc:15012}\n" },
      "mesh:1:35 proxies get their certificates from istiod.istio-system.svc:15012, and their configuration from istiod.mesh.svc:15012",
    ],
    [
      "another istiod by its whole address",
      { "values/10": "global:\n  caAddress: istiod.mesh.svc.cluster.local:15012\n" },
      "values/10:2:14 proxies get their certificates from istiod.mesh.svc.cluster.local:15012",
    ],
    [
      "a trust domain that the mesh overrides",
      { "values/10": "global: {trustDomain: shop.example}\n" },
      "values/10:1:23 values.global.trustDomain shop.example is not used: trustDomain in mesh is cluster.local",
    ],
    [
      "another mesh ID",
      { mesh: "defaultConfig: {meshId: one}\n", "values/10": "global: {meshID: two}\n" },
      "values/10:1:18 values.global.meshID is two, and defaultConfig.meshId in mesh is one",
    ],
    [
      "a mesh ID in the mesh alone",
      { mesh: "defaultConfig: {meshId: one}\n" },
      "mesh:1:25 values.global.meshID is not set, and defaultConfig.meshId in mesh is one",
    ],
    [
      "a status port in the values alone",
      { "values/10": "global: {proxy: {statusPort: 15022}}\n" },
      "values/10:1:30 values.global.proxy.statusPort is 15022, and defaultConfig.statusPort in mesh is 15020",
    ],
    [
      "a status port in the mesh alone",
      { mesh: "defaultConfig: {statusPort: 15022}\n" },
      "mesh:1:29 values.global.proxy.statusPort is 15020, and defaultConfig.statusPort in mesh is 15022",
    ],
    [
      "a status port that the proxy uses",
      { mesh: "defaultConfig: {statusPort: 15021}\n", "values/10": "global: {proxy: {statusPort: 15021}}\n" },
      "values/10:1:30 values.global.proxy.statusPort is 15021, which is reserved for Istio (Envoy health)",
    ],
    [
      "a status port that tunnels use",
      { mesh: "defaultConfig: {statusPort: 15008}\n", "values/10": "global: {proxy: {statusPort: 15008}}\n" },
      "values/10:1:30 values.global.proxy.statusPort is 15008, which is reserved for Istio (HBONE tunnel)",
    ],
    [
      "a status port that takes inbound traffic",
      {
        mesh: "proxyInboundListenPort: 15008\ndefaultConfig: {statusPort: 15008}\n",
        "values/10": "global: {proxy: {statusPort: 15008}}\n",
      },
      "values/10:1:30 values.global.proxy.statusPort is 15008, which is reserved for Istio (inbound traffic capture)",
    ],
    [
      "a revision in the config alone",
      { config: REVISION },
      "config:1:11 values.revision is default, and revision in config is canary",
    ],
  ])("warns of %s", (_what, own, warning) => {
    expect(warned(own)).toEqual([expect.stringContaining(warning)]);
  });

  it.each<[string, SourceTree]>([
    ["nothing", {}],
    [
      "one revision everywhere",
      {
        config: REVISION,
        "values/10": REVISION,
        mesh: "defaultConfig: {discoveryAddress: istiod-canary.istio-system.svc:15012}\n",
      },
    ],
    ["the default revision by its name", { "values/10": "revision: ''\n", config: "revision: default\n" }],
    [
      "one namespace everywhere",
      {
        "values/10": "global: {istioNamespace: mesh}\n",
        mesh: "defaultConfig: {discoveryAddress: istiod.mesh.svc:15012}\n",
      },
    ],
    [
      "another certificate authority",
      { "values/10": "global: {caAddress: 'cert-manager-istio-csr.cert-manager.svc:443'}\n" },
    ],
    ["an istiod outside the cluster", { mesh: "defaultConfig: {discoveryAddress: istiod.example.com:15012}\n" }],
    [
      "the chart's service of such an istiod",
      { mesh: "defaultConfig: {discoveryAddress: istiod-remote.istio-system.svc:15012}\n" },
    ],
    ["one trust domain", { mesh: "trustDomain: shop.example\n", "values/10": "global: {trustDomain: shop.example}\n" }],
    ["a trust domain in the mesh alone", { mesh: "trustDomain: shop.example\n" }],
    ["one mesh ID", { mesh: "defaultConfig: {meshId: one}\n", "values/10": "global: {meshID: one}\n" }],
    ["a mesh ID in the values alone", { "values/10": "global: {meshID: one}\n" }],
    [
      "one status port",
      { mesh: "defaultConfig: {statusPort: 15022}\n", "values/10": "global: {proxy: {statusPort: 15022}}\n" },
    ],
  ])("accepts %s", (_what, own) => {
    expect(warned(own)).toEqual([]);
  });

  it("names no place where the tree itself says neither", () => {
    const { findings } = lintTree([{ ...shipped, "values/90": "global: {trustDomain: a.example}\n" }, {}]);
    expect(findings).toEqual([expect.objectContaining({ path: "", message: expect.stringContaining("trustDomain") })]);
  });

  it("compares nothing that values of one's own do not have", () => {
    const { findings } = lintTree([
      shipped,
      {
        config: "defaults: none\nrevision: canary\ndefaultTemplates: [a]\n",
        "templates/a": "metadata: {labels: {a: b}}\n",
      },
    ]);
    expect(findings.filter(({ message }) => message.includes("in config is"))).toEqual([]);
  });
});
