import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { guardrailEntries, isOnShelf, takeExample } from "./take-example.ts";

const TEMPLATE = "spec:\n  initContainers:\n  - {name: agent, image: agent, restartPolicy: Always}\n";
const AGENT = {
  name: "agent",
  tree: { config: "mesh: none\ndefaultTemplates: [agent]\n", "templates/agent": TEMPLATE },
  files: {
    "config.yaml": "mesh: none\ndefaultTemplates: [agent]\n",
    "README.md": "# Agent\n",
    "templates/agent.hbs": TEMPLATE,
    "values/agent.yaml": "agent: {}\n",
    "samples/web.yaml": 'kind: Pod\nmetadata:\n  labels: {sidecar.istio.io/inject: "true"}\n',
    "tests/web/pod.yaml": "kind: Deployment\nspec:\n  template:\n    metadata:\n      labels: {app: web}\n",
    "tests/web/expected.yaml": "spec: {}\n",
    "tests/out/pod.yaml": "kind: Pod\n",
    "tests/out/decision": "skipped\n",
  },
};
const config = (files: { readonly edited: Readonly<Record<string, string>> }) =>
  parseYaml(files.edited["config.yaml"] ?? "", "config");

describe("isOnShelf()", () => {
  it("is so for templates of one's own and no mesh", () => {
    expect(isOnShelf({ tree: { "templates/agent": "" } })).toBe(true);
    expect(isOnShelf({ tree: { "templates/agent": "", mesh: "" } })).toBe(false);
    expect(isOnShelf({ tree: { "values/agent": "" } })).toBe(false);
  });
});

describe("takeExample()", () => {
  it("takes the files in folders, samples and tests under the example's name, and no test of a decision", () => {
    const { fresh } = takeExample(AGENT, {});
    expect(Object.keys(fresh)).toEqual([
      "templates/agent.hbs",
      "values/agent.yaml",
      "samples/agent-web.yaml",
      "tests/agent-web/pod.yaml",
      "tests/agent-web/expected.yaml",
    ]);
    expect(fresh["templates/agent.hbs"]).toBe(TEMPLATE);
    expect(fresh["samples/agent-web.yaml"]).toBe(AGENT.files["samples/web.yaml"]);
  });

  it("adds the template to the defaults; a tree that says nothing of them keeps Istio's sidecar", () => {
    expect(config(takeExample(AGENT, {}))).toEqual({ defaultTemplates: ["sidecar", "agent"] });
    expect(config(takeExample(AGENT, { config: "mesh: none\n" }))).toEqual({
      mesh: "none",
      defaultTemplates: ["agent"],
    });
    expect(config(takeExample(AGENT, { config: "defaultTemplates: [mine]\n" }))).toEqual({
      defaultTemplates: ["mine", "agent"],
    });
  });

  it("keeps the comments of the config, and refuses one that cannot be edited, with the way out", () => {
    const { edited } = takeExample(AGENT, { config: "# ours\npolicy: enabled # always\n" });
    expect(edited["config.yaml"]).toMatch(/^# ours\npolicy: enabled # always\ndefaultTemplates:\n/);
    expect(takeExample(AGENT, { config: "# ours\n" }).edited["config.yaml"]).toMatch(/^# ours\ndefaultTemplates:\n/);
    expect(() => takeExample(AGENT, { config: "? policy\n: enabled\n" })).toThrow(
      expect.objectContaining({
        code: "tree-invalid",
        path: "config",
        message: "Cannot edit config.yaml: write it in block style, one key a line",
      }),
    );
  });

  it("refuses default templates that are no list", () => {
    expect(() => takeExample(AGENT, { config: "defaultTemplates: mine\n" })).toThrow("it must be a list");
    const wrong = { ...AGENT, tree: { ...AGENT.tree, config: "defaultTemplates: agent\n" } };
    expect(() => takeExample(wrong, {})).toThrow("it must be a list");
  });

  it("gives it to the pods with a label, and the label to its samples and tests", () => {
    const { fresh, edited, entries } = takeExample(AGENT, {}, { logs: "yes" });
    expect(entries).toEqual([{ name: "agent", match: { podLabels: { logs: "yes" } } }]);
    expect(config({ edited })).toEqual({ defaultTemplates: ["sidecar", ...entries] });
    expect(parseYaml(fresh["samples/agent-web.yaml"] ?? "", "")).toEqual({
      kind: "Pod",
      metadata: { labels: { "sidecar.istio.io/inject": "true", logs: "yes" } },
    });
    expect(parseYaml(fresh["tests/agent-web/pod.yaml"] ?? "", "")).toEqual({
      kind: "Deployment",
      spec: { template: { metadata: { labels: { app: "web", logs: "yes" } } } },
    });
    expect(fresh["tests/agent-web/expected.yaml"]).toBe("spec: {}\n");
  });

  it("names the template of an entry that is for some pods, and keeps for whom it is", () => {
    const entry = "defaultTemplates:\n- {name: agent, match: {namespaces: [shop]} }\n";
    const some = { ...AGENT, tree: { ...AGENT.tree, config: entry } };
    expect(takeExample(some, {}).entries).toEqual([{ name: "agent", match: { namespaces: ["shop"] } }]);
    expect(takeExample(some, {}, { logs: "yes" }).entries).toEqual([
      { name: "agent", match: { podLabels: { logs: "yes" } } },
    ]);
  });

  it("has pods ask by the tree's own label", () => {
    const { fresh } = takeExample(AGENT, { config: "injectionLabel: example.com/agent\n" });
    expect(fresh["samples/agent-web.yaml"]).toContain('example.com/agent: "true"');
    expect(fresh["tests/agent-web/pod.yaml"]).toBe(AGENT.files["tests/web/pod.yaml"]);
  });

  it("brings the annotations by which other tools know the pod, next to those that are there", () => {
    const marks = "defaultTemplates: [agent]\ninjectedAnnotations: {agent/injected: done}\n";
    const marking = { ...AGENT, tree: { ...AGENT.tree, config: marks } };
    expect(config(takeExample(marking, {}))).toMatchObject({ injectedAnnotations: { "agent/injected": "done" } });
    expect(config(takeExample(marking, { config: "injectedAnnotations:\n  a: b\n" }))).toMatchObject({
      injectedAnnotations: { a: "b", "agent/injected": "done" },
    });
    expect(config(takeExample(AGENT, {}))).not.toHaveProperty("injectedAnnotations");
  });

  it("writes its schema, or adds its properties to the one that is there", () => {
    const schema = "type: object\nproperties:\n  agent: {type: object}\n";
    const checked = { ...AGENT, tree: { ...AGENT.tree, schema } };
    expect(takeExample(AGENT, { schema: "type: object\n" }).edited).not.toHaveProperty("schema.yaml");
    expect(takeExample(checked, {}).edited["schema.yaml"]).toBe(schema);
    const own = "type: object\nproperties:\n  mine:\n    type: string\n";
    expect(parseYaml(takeExample(checked, { schema: own }).edited["schema.yaml"] ?? "", "schema")).toEqual({
      type: "object",
      properties: { mine: { type: "string" }, agent: { type: "object" } },
    });
  });
});

describe("guardrailEntries()", () => {
  it("names what a template adds that closed guardrails refuse", () => {
    expect(guardrailEntries(AGENT, {})).toEqual(["container:agent image:agent"]);
    expect(guardrailEntries({ tree: { config: "mesh: none\ndefaultTemplates: []\n" } }, {})).toEqual([]);
  });
});
