import { describe, expect, it } from "vitest";
import { compileRelease } from "./compile-release.ts";
import { loadRelease, RELEASE_FORMAT } from "./load-release.ts";
import type { SourceTree } from "./source-tree.ts";

const TREE: SourceTree = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": "spec:\n  containers:\n  - name: istio-proxy\n    image: proxy\n  volumes: [{name: envoy}]\n",
  "samples/plain-pod": "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
};

const load = (layer: SourceTree = {}) => loadRelease(compileRelease([TREE, layer]));

describe("loadRelease()", () => {
  it("has settings for values that say nothing", () => {
    expect(load().settings).toEqual({
      clusterName: "",
      network: "",
      holdApplication: false,
      rewriteProbes: false,
      inboundTrafficPolicyMode: "passthrough",
    });
  });

  it("reads settings from values and mesh config", () => {
    const values = `global:
  network: 5
  multiCluster: {clusterName: c1}
  proxy: {holdApplicationUntilProxyStarts: true}
sidecarInjectorWebhook: {rewriteAppHTTPProbe: true}
`;
    const mesh = "inboundTrafficPolicy: {mode: LOCALHOST}\n";
    expect(load({ "values/10-mine": values, mesh }).settings).toEqual({
      clusterName: "c1",
      network: "5",
      holdApplication: true,
      rewriteProbes: true,
      inboundTrafficPolicyMode: "localhost",
    });
    expect(load({ "values/10-mine": "global: {network: null, multiCluster: x}\n" }).settings).toMatchObject({
      network: "",
      clusterName: "",
    });
    expect(load({ mesh: "inboundTrafficPolicy: {mode: PASSTHROUGH}\n" }).settings.inboundTrafficPolicyMode).toBe(
      "passthrough",
    );
  });

  it("knows the names that templates spell out", () => {
    const { isInjectable } = load();
    expect(["istio-proxy", "envoy", "web"].map(isInjectable)).toEqual([true, true, false]);
  });

  it("has the form that functions of the version before know, unless it needs more", () => {
    const config = 'defaultTemplates: [{name: sidecar, match: {podLabels: {logs: "yes"}}}]\n';
    const [plain, picky] = [compileRelease([TREE]), compileRelease([TREE, { config }])];
    const labelled = compileRelease([TREE, { config: "injectionLabel: sidecars.example.com/inject\n" }]);
    expect([plain.format, picky.format, labelled.format]).toEqual([2, 3, RELEASE_FORMAT]);
    expect([plain, picky].map(({ config }) => Object.hasOwn(config, "injectionLabel"))).toEqual([false, false]);
    expect(loadRelease(labelled).keys.inject).toBe("sidecars.example.com/inject");
    expect(loadRelease(picky).config.defaultTemplates).toHaveLength(1);
  });

  it("refuses a release of another format", () => {
    expect(() => loadRelease({ ...compileRelease([TREE]), format: 99 as never })).toThrow(
      expect.objectContaining({ code: "release-unsupported" }),
    );
  });
});
