// From wherever a variable of the proxy comes, and in whatever mesh, it is held and refused: with the shipped templates.
import { guardedInjection, parseGuardrails } from "@outrigger/guardrails";
import { loadRelease, type SourceTree } from "@outrigger/injector";
import { beforeAll, describe, expect, it } from "vitest";
import { compileUntried, shippedTree } from "../../../test/support/shipped-tree.ts";
import { compareReleases } from "../effect/compare-releases.ts";
import { HELD_BY_DEFAULT } from "../effect/effects.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await shippedTree();
});

const releaseOf = (tree: SourceTree) => compileUntried([shipped, tree]);

function heldBy(before: SourceTree, after: SourceTree): readonly string[] {
  const effects = compareReleases(releaseOf(before), releaseOf(after), [shipped, after]);
  return effects.map(({ name }) => name).filter((name) => HELD_BY_DEFAULT.includes(name));
}

function inject(tree: SourceTree, annotations: Readonly<Record<string, string>> = {}, guardrails = "baseline") {
  const pod = { metadata: { name: "a", annotations }, spec: { containers: [{ name: "app", image: "a/b:1" }] } };
  return guardedInjection(parseGuardrails(guardrails))(loadRelease(releaseOf(tree)), {
    pod,
    namespace: "shop",
    parameters: {},
  } as never);
}

const proxyConfig = (variables: string) => ({
  proxyconfigs: `apiVersion: networking.istio.io/v1beta1
kind: ProxyConfig
metadata: {name: own, namespace: shop}
spec: {environmentVariables: {${variables}}}
`,
});
const template = (text: string): SourceTree => ({
  config: "defaultTemplates: [sidecar, own]\n",
  "templates/own": text,
});
const CNI: SourceTree = { "values/cni": "pilot: {cni: {enabled: true}}\n" };
const INIT = `  initContainers:
  - name: istio-init
    image: registry.istio.io/release/proxyv2:1.31.0
    args: [istio-iptables, "-p", "15001"]
    securityContext: {capabilities: {add: [NET_ADMIN]}, runAsUser: 0}
`;

describe("a variable that the proxy does not need", () => {
  it.each<[string, SourceTree]>([
    ["mesh text", { mesh: "defaultConfig: {proxyMetadata: {ISTIO_BOOTSTRAP: /a}}\n" }],
    ["mesh text with a field", { mesh: "defaultConfig: {binaryPath: /a}\n" }],
    ["a value", { "values/own": "global: {proxy: {lifecycle: {postStart: {exec: {command: [sh, -c, evil]}}}}}\n" }],
    ["a ProxyConfig of a namespace", proxyConfig("LD_PRELOAD: /a")],
    ["a partial", { "partials/env-mesh": "- name: ISTIOD_SAN\n  value: evil\n" }],
  ])("is held and refused where it comes from %s", (_what, tree) => {
    expect(heldBy({}, tree)).toContain("control-plane-address");
    expect(() => inject(tree)).toThrow("guardrails");
  });

  it("is held where it comes from a ProxyConfig of a namespace that no sample is in", () => {
    const elsewhere = { proxyconfigs: proxyConfig("LD_PRELOAD: /a").proxyconfigs.replace("shop", "payments") };
    expect(heldBy({}, elsewhere)).toEqual(["control-plane-address"]);
    expect(heldBy(elsewhere, elsewhere)).toEqual([]);
  });

  it("is tuning where it is known", () => {
    for (const tree of [
      { mesh: "defaultConfig: {proxyMetadata: {ISTIO_META_DNS_CAPTURE: 'true'}}\n" },
      proxyConfig("SECRET_TTL: 12h"),
    ]) {
      expect(heldBy({}, tree)).toEqual([]);
      expect(inject(tree)).toMatchObject({ injected: true });
    }
  });

  it("is the author's who asks for it in an annotation, unless such annotations are bounded", () => {
    const annotations = {
      "proxy.istio.io/config": "proxyMetadata: {MY_SETTING: a}\nbinaryPath: /usr/local/bin/mine\n",
    };
    expect(inject({}, annotations)).toMatchObject({ injected: true });
    expect(() => inject({}, annotations, "baseline,boundedAnnotations")).toThrow("MY_SETTING");
    const bootstrap = { "sidecar.istio.io/bootstrapOverride": "mine" };
    expect(inject({}, bootstrap, "baseline,configMap:istio-*")).toMatchObject({ injected: true });
    const other = template("spec:\n  volumes:\n  - {name: custom-bootstrap-volume, hostPath: {path: /}}\n");
    expect(() => inject(other, bootstrap)).toThrow("hostPath");
  });
});

describe("a container by the name of one of Istio's", () => {
  const hidden = `spec:\n{{#if (lookup metadata.annotations "evil")}}\n${INIT}{{/if}}\n`;

  it("captures traffic where pods do it themselves", () => {
    expect(inject(template(`spec:\n${INIT}`))).toMatchObject({ injected: true });
  });

  it.each([
    ["in every pod", `spec:\n${INIT}`],
    ["behind a branch", hidden],
  ])("has no capability in a mesh with a CNI plugin, %s", (_where, text) => {
    expect(heldBy(CNI, { ...CNI, ...template(text) })).toContain("privileges-widened");
    // An edit that leaves the plugin in the same breath is held all the same.
    expect(heldBy(CNI, template(text))).toContain("privileges-widened");
    expect(() => inject({ ...CNI, ...template(text) }, { evil: "yes" })).toThrow("capability NET_ADMIN");
  });

  it("has none that its mode does not need", () => {
    const text =
      "spec:\n  initContainers:\n  - {name: istio-proxy, securityContext: {capabilities: {add: [NET_ADMIN]}}}\n";
    expect(heldBy({}, template(text))).toContain("privileges-widened");
    expect(() => inject(template(text))).toThrow("capability NET_ADMIN");
    expect(inject({}, { "sidecar.istio.io/interceptionMode": "TPROXY" })).toMatchObject({ injected: true });
  });
});
