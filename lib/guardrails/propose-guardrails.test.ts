import { compileRelease, type SourceTree } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { compileUntried } from "../../test/support/shipped-tree.ts";
import { guardRelease } from "./guard-release.ts";
import { parseGuardrails } from "./parse-guardrails.ts";
import { neededEntries, proposeGuardrails } from "./propose-guardrails.ts";

const SHIPPED: SourceTree = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": "spec:\n  containers:\n  - name: istio-proxy\n    image: registry.example/istio/proxyv2:1\n",
  "samples/plain": "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: app:1}]}\n",
};
const NONE = "secret:none,configMap:none,audience:none,csi:none";

function treeWith(containers: readonly string[], volumes: readonly string[] = []): SourceTree {
  const list = (items: readonly string[]) => items.map((item) => `  - ${item}\n`).join("");
  const spec = `${containers.length > 0 ? `  containers:\n${list(containers)}` : ""}${volumes.length > 0 ? `  volumes:\n${list(volumes)}` : ""}`;
  return { "templates/own": `spec:\n${spec}` };
}

describe("proposeGuardrails()", () => {
  const proposedFor = (tree: SourceTree) => proposeGuardrails(compileRelease([SHIPPED, tree]), [SHIPPED, tree]);

  it("admits the repositories of the images that are used, and closes each kind of which nothing is", () => {
    expect(proposedFor({})).toBe(`baseline,image:registry.example/istio/*,${NONE}`);
  });

  it.each([
    ["busybox:1.36", "image:busybox:*"],
    ["busybox", "image:busybox:*"],
    ["registry.example:5000/a/b:1", "image:registry.example:5000/a/*"],
    [`a/b@sha256:${"0".repeat(64)}`, "image:a/*"],
    [`busybox@sha256:${"0".repeat(64)}`, "image:busybox:*"],
  ])("admits what is next to the image %s: %s", (image, entry) => {
    const tree = treeWith([`{name: agent, image: "${image}"}`]);
    const images = [entry, "image:registry.example/istio/*"].sort();
    expect(proposedFor(tree)).toBe(`baseline,${images.join(",")},${NONE}`);
  });

  it("names the Secrets, ConfigMaps, audiences and drivers of what only asking pods are given, sorted", () => {
    const tree = treeWith(
      [],
      [
        "{name: a, secret: {secretName: two}}",
        "{name: b, secret: {secretName: one}}",
        "{name: c, configMap: {name: c}}",
        "{name: d, csi: {driver: csi.example}}",
        "{name: e, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}]}}",
      ],
    );
    expect(proposedFor(tree)).toBe(
      "baseline,image:registry.example/istio/*,secret:one,secret:two,configMap:c,audience:vault,csi:csi.example",
    );
    expect(guardRelease(parseGuardrails(proposedFor(tree)), compileRelease([SHIPPED, tree]), [SHIPPED, tree])).toEqual(
      [],
    );
  });

  it("leaves out what a pod would be given that is denied", () => {
    const own = "spec:\n  volumes: [{name: a, secret: {secretName: s}}]\n  hostname: \"{{fail 'no'}}\"\n";
    const layers = [SHIPPED, { "templates/own": own }];
    expect(proposeGuardrails(compileUntried(layers), layers)).toBe(`baseline,image:registry.example/istio/*,${NONE}`);
  });
});

describe("neededEntries()", () => {
  const neededFor = (tree: SourceTree) => neededEntries(compileRelease([SHIPPED, tree]), [SHIPPED, tree]);

  it("are those of the samples and of pods that ask, for their containers, sorted and once", () => {
    const tree = treeWith(
      ["{name: pgbouncer, image: 'edoburu/pgbouncer:1.2', volumeMounts: [{name: a, mountPath: /a}]}"],
      ["{name: a, secret: {secretName: db}}"],
    );
    expect(neededFor(tree)).toEqual([
      "container:istio-proxy image:registry.example/istio/proxyv2:*",
      "container:pgbouncer image:edoburu/pgbouncer:*",
      "container:pgbouncer secret:db",
    ]);
  });

  it("are for every container of an author's where something is written into one", () => {
    const tree = {
      "templates/own":
        "spec:\n  containers:\n  {{#each spec.containers}}\n  - name: {{name}}\n    env: [{name: NODE_OPTIONS, value: a}]\n  {{/each}}\n",
    };
    expect(neededFor(tree)).toContain("field:spec.containers[*].env[NODE_OPTIONS]");
  });

  it("are for the field alone where it is none of a container's", () => {
    expect(neededFor({ "templates/own": "spec:\n  dnsPolicy: Default\n" })).toContain("field:spec.dnsPolicy");
  });
});
