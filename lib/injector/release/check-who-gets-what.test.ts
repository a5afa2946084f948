import { describe, expect, it } from "vitest";
import { lintTree } from "./compile-release.ts";

const SHIPPED = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": "{{> proxy}}\n",
  "partials/proxy": "spec:\n  containers:\n  - name: istio-proxy\n    image: registry.example/proxy:1\n",
};
const AGENT = "spec:\n  containers:\n  - name: agent\n    image: registry.example/agent:1\n";
const POD = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

const messagesOf = (config: string, tree: Readonly<Record<string, string>> = {}) =>
  lintTree([SHIPPED, { config, "templates/agent": AGENT, "samples/web": POD, ...tree }]).findings.map(
    ({ path, message }) => `${path}: ${message}`,
  );

describe("checkWhoGetsWhat()", () => {
  it.each([
    ["the proxy of the mesh beside the tree's own", "defaultTemplates: [sidecar, agent]\n"],
    ["an alias with it", "aliases: {all: [sidecar, agent]}\ndefaultTemplates: [all]\n"],
    ["no list at all, though nobody gets the template: pods ask for it by name", "policy: enabled\n"],
    ["no mesh", "mesh: none\ndefaultTemplates: [agent]\n"],
    [
      "a match that no sample fits, for what every pod gets",
      "defaultTemplates: [sidecar, {name: sidecar, match: {namespaces: [edge]}}]\n",
    ],
  ])("takes %s", (_what, config) => {
    expect(messagesOf(config)).toEqual([]);
  });

  it("takes a proxy of the tree's own, also in a partial", () => {
    const own = { "templates/agent": SHIPPED["templates/sidecar"] };
    expect(messagesOf("defaultTemplates: [agent]\n", own)).toEqual([]);
  });

  it("takes a template that a sample asks for, and a mesh that a template reads", () => {
    const asking = POD.replace("name: web", 'name: web, annotations: {inject.istio.io/templates: "extra"}');
    const extra = AGENT.replace("spec:", "metadata: {annotations: {domain: {{meshConfig.trustDomain}} } }\nspec:");
    const more = { "samples/asking": asking, "templates/extra": extra, mesh: "trustDomain: example\n" };
    expect(messagesOf("mesh: none\ndefaultTemplates: [agent]\n", more)).toEqual([]);
  });

  it("warns of a list that forgets the proxy, and of a template that no pod gets", () => {
    expect(messagesOf("defaultTemplates: [agent]\n")).toEqual([expect.stringMatching(/^config: .*lose Istio's proxy/)]);
    expect(messagesOf("mesh: none\n")).toEqual([expect.stringMatching(/^templates\/agent: no pod gets/)]);
  });
});
