import type { SourceTree } from "@outrigger/injector";
import { beforeAll, describe, expect, it } from "vitest";
import { compileUntried, shippedTree } from "../../../test/support/shipped-tree.ts";
import { compareReleases } from "./compare-releases.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await shippedTree();
});

function effects(before: SourceTree, after: SourceTree) {
  const [was, is] = [before, after].map((tree) => compileUntried([shipped, tree]));
  return compareReleases(was as never, is as never, [shipped, after]);
}

const names = (before: SourceTree, after: SourceTree) => effects(before, after).map(({ name }) => name);
const values = (text: string): SourceTree => ({ "values/10-mine": text });

const AGENT = "spec:\n  containers:\n  - name: agent\n    image: registry.example/agent:1\n";

const withAgent = (match: string): SourceTree => ({
  config: `defaultTemplates: [sidecar, {name: agent, match: ${match}}]`,
  "templates/agent": AGENT,
});

describe("compareReleases()", () => {
  it.each<[string, SourceTree, SourceTree, readonly string[]]>([
    ["nothing", {}, { "values/10-mine": "{}" }, []],
    ["another tag", {}, values("global: {tag: 1.31.1}"), ["image"]],
    ["a misspelt registry", {}, values("global: {hub: docker.io/istoi}"), ["registry-misspelt", "image-registry"]],
    ["another registry", {}, values("global: {hub: registry.example/istio}"), ["image-registry"]],
    [
      "another path, which is no slip",
      values("global: {hub: registry.example:5000/istio}"),
      values("global: {hub: registry.example:5000/mesh}"),
      ["image-registry"],
    ],
    [
      "a slip from a registry of one's own",
      values("global: {hub: registry.example:5000/istio}"),
      values("global: {hub: registry.example:5000/istoi}"),
      ["registry-misspelt", "image-registry"],
    ],
    ["a port that is not captured", {}, values('global: {proxy: {excludeOutboundPorts: "3306"}}'), ["command"]],
    [
      "an address range that is not",
      {},
      values('global: {proxy: {excludeIPRanges: "10.0.0.0/8"}}'),
      ["capture-changed", "command"],
    ],
    [
      "three times the CPU",
      {},
      values("global: {proxy: {resources: {requests: {cpu: 300m}}}}"),
      ["resources-doubled", "settings"],
    ],
    ["a privileged proxy", {}, values("global: {proxy: {privileged: true}}"), ["privileges-widened", "settings"]],
    [
      "a typo in the control plane",
      {},
      { mesh: "defaultConfig: {discoveryAddress: istoid.istio-system.svc:15012}" },
      ["control-plane-address", "settings"],
    ],
    ["a native sidecar that is a container", {}, { config: "nativeSidecars: false" }, ["settings"]],
    [
      "a template of which no sample is told that it is for fewer pods",
      withAgent("{podLabels: {logs: [all, yes-please]} }"),
      withAgent("{podLabels: {logs: [all]} }"),
      ["container-gone"],
    ],
    [
      "a namespace less",
      withAgent("{namespaces: [shop, till]}"),
      withAgent("{namespaces: [till]}"),
      ["container-gone"],
    ],
    ["a namespace more", withAgent("{namespaces: [till]}"), withAgent("{namespaces: [till, shop]}"), ["added"]],
    ["the same match, written otherwise", withAgent("{namespaces: [till]}"), withAgent("{namespaces: ['till']}"), []],
    ["no policy", {}, { config: "policy: disabled" }, ["sidecar-gone"]],
    [
      "a selector that matches every app",
      {},
      { config: "neverInjectSelector: [{matchExpressions: [{key: app, operator: Exists}]}]" },
      ["sidecar-gone"],
    ],
    [
      "a sidecar of nothing",
      {},
      { "templates/sidecar": "{{! nothing }}" },
      ["container-gone", "volume-gone", "capture-changed", "settings", "metadata"],
    ],
    [
      "another default template",
      {},
      { config: "defaultTemplates: [grpc-agent]" },
      ["container-gone", "volume-gone", "privileges-widened", "capture-changed", "added", "settings", "metadata"],
    ],
    ["a container more", {}, { config: "defaultTemplates: [sidecar, agent]", "templates/agent": AGENT }, ["added"]],
    ["a template that pods may ask for, gone", { "templates/agent": AGENT }, {}, ["sidecar-gone"]],
    ["an alias that is gone", { config: "aliases: {own: [sidecar]}" }, {}, ["sidecar-gone"]],
    [
      "a label",
      {},
      { "templates/labels": "metadata: {labels: {team: mesh}}", config: "defaultTemplates: [sidecar, labels]" },
      ["metadata"],
    ],
  ])("names the classes of %s", (_what, before, after, expected) => {
    expect(names(before, after)).toEqual(expected);
  });

  it.each([
    ["hostPID: true", "hostPID"],
    ["hostNetwork: true", "hostNetwork"],
    ["shareProcessNamespace: true", "shareProcessNamespace"],
    ["serviceAccountName: admin", "serviceAccountName admin"],
    ["volumes: [{name: root, hostPath: {path: /}}]", "hostPath /"],
    ["containers: [{name: x, image: x, securityContext: {privileged: true}}]", "x: privileged"],
    [
      "containers: [{name: x, image: x, securityContext: {capabilities: {add: [SYS_ADMIN]}}}]",
      "x: capability SYS_ADMIN",
    ],
    ["containers: [{name: x, image: x, ports: [{containerPort: 1, hostPort: 1}]}]", "x: hostPort 1"],
    ["containers: [{name: x, image: x, securityContext: {seccompProfile: {type: Unconfined}}}]", "x: unconfined"],
    [
      "initContainers: [{name: istio-proxy, restartPolicy: Always, securityContext: {runAsNonRoot: false, runAsUser: 0}}]",
      "istio-proxy: a user that may be root",
    ],
    [
      "initContainers: [{name: istio-proxy, restartPolicy: Always, securityContext: {allowPrivilegeEscalation: true}}]",
      "istio-proxy: allowPrivilegeEscalation",
    ],
  ])("finds wider privileges in %s", (spec, power) => {
    const after = { config: "defaultTemplates: [sidecar, wide]", "templates/wide": `spec:\n  ${spec}\n` };
    const [widened] = effects({}, after);
    expect(widened).toEqual({ name: "privileges-widened", example: expect.stringContaining(power) });
  });

  it("names each container that a class is of", () => {
    const found = effects({}, values("global: {proxy: {resources: {limits: {memory: 2Gi}}}}"));
    expect(found.find(({ name }) => name === "settings")?.example).toMatch(/: istio-init, istio-proxy$/);
  });

  it.each([
    ["sidecar.istio.io/interceptionMode", "TPROXY"],
    ["traffic.sidecar.istio.io/includeOutboundIPRanges", "10.0.0.0/8"],
    ["traffic.sidecar.istio.io/excludeOutboundIPRanges", "10.0.0.0/8"],
    ["traffic.sidecar.istio.io/includeInboundPorts", '"80"'],
    ["k8s.v1.cni.cncf.io/networks", "other"],
  ])("finds another capture in the annotation %s, which a CNI plugin reads", (annotation, value) => {
    const after = {
      config: "defaultTemplates: [sidecar, capture]",
      "templates/capture": `metadata:\n  annotations:\n    ${annotation}: ${value}\n`,
    };
    expect(names({}, after)).toContain("capture-changed");
  });

  it("is not led astray by samples that the edit has replaced", () => {
    const out =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {sidecar.istio.io/inject: 'false'}}\nspec: {containers: [{name: a, image: a}]}";
    const samples = Object.fromEntries(
      Object.keys(shipped).flatMap((path) => (path.startsWith("samples/") ? [[path, out]] : [])),
    );
    expect(names({}, { ...samples, config: "policy: disabled" })).toEqual(["sidecar-gone"]);
  });

  it("gives no value of an environment and nothing that an author wrote", () => {
    const env =
      "spec:\n  initContainers:\n  - name: istio-proxy\n    restartPolicy: Always\n    env: [{name: TZ, value: s3cret}]\n";
    const found = effects({}, { "templates/env": env, config: "defaultTemplates: [sidecar, env]" });
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain("s3cret");
  });

  it("finds no more than images and settings between one Istio release and the next, in both directions", () => {
    const releases = ["1.28", "1.29", "1.30", "1.31", "development"].map((istio) => ({ config: `istio: "${istio}"` }));
    const steps = releases.slice(1).flatMap((after, index) => {
      const before = releases[index] as SourceTree;
      return [names(before, after), names(after, before)];
    });
    expect(new Set(steps.flat())).toEqual(new Set(["image", "settings"]));
  });
});
