// An edit is the difference of what two releases write: everything that is not on the list of everyday changes is named, whether a
// sample shows it or not.
import { compileRelease, lintSource, type Release, type SourceTree } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { CAPTURE, CASES, hidden, plainly, SHIPPED } from "../../../test/support/attacks.ts";
import { describeDifference, describeDifferences, unlistedDifferences } from "./edit-difference.ts";

const AGENT = `metadata:
  labels: {team: a}
spec:
  containers:
  - name: agent
    image: registry.example/agent:1
    args: [--level, info]
    env:
    - {name: DD_LOG_LEVEL, value: info}
    - {name: OTHER, value: "1"}
    resources: {limits: {memory: 1Gi} }
    readinessProbe: {httpGet: {path: /r, port: 80}, periodSeconds: 10}
  {{#each (default (list) values.hosts)}}
  - name: {{this}}
    image: registry.example/host:1
  {{/each}}
`;
const BASE: SourceTree = {
  config: "defaultTemplates: [sidecar, agent]\n",
  "templates/agent": AGENT,
  "values/10-own": "hosts: []\nlevel: info\n",
};

function namedIn(after: SourceTree, before: SourceTree = BASE): readonly string[] {
  const found = unlistedDifferences(compileRelease([SHIPPED, before]), compileRelease([SHIPPED, after]), after);
  return found.map(describeDifference);
}

const agent = (from: string | RegExp, to: string): SourceTree => {
  const text = AGENT.replace(from, to);
  expect(text).not.toBe(AGENT);
  return { ...BASE, "templates/agent": text };
};

describe("unlistedDifferences()", () => {
  it.each<readonly [what: string, tree: SourceTree]>([
    ["nothing", BASE],
    ["another tag", agent("agent:1", "agent:2")],
    ["more memory", agent("1Gi", "2Gi")],
    ["a log level", agent("DD_LOG_LEVEL, value: info", "DD_LOG_LEVEL, value: debug")],
    ["a number of a probe", agent("periodSeconds: 10", "periodSeconds: 20")],
    ["another value of a label", agent("team: a", "team: b")],
    ["a comment", agent("spec:", "# what it is for\nspec: {{! here }}")],
    ["another quote", agent('value: "1"', "value: '1'")],
    ["a sample", { ...BASE, "samples/more": "kind: Pod\nspec: {containers: [{name: a, image: a}]}\n" }],
    ["a value that nothing reads", { ...BASE, "values/10-own": "hosts: []\nlevel: debug\n" }],
    ["a mesh setting that no injection reads", { ...BASE, mesh: "accessLogFile: /dev/stdout\n" }],
    ["the mesh's concurrency", { ...BASE, mesh: "defaultConfig: {concurrency: 4}\n" }],
    [
      "a partial for what was written before",
      {
        ...agent(/ {4}image: .*agent:1\n/, "    {{> image}}\n"),
        "partials/image": "image: registry.example/agent:1\n",
      },
    ],
  ])("names nothing for %s", (_what, tree) => {
    expect(namedIn(tree)).toEqual([]);
  });

  it.each<readonly [what: string, tree: SourceTree, named: string]>([
    [
      "another image",
      agent("agent:1", "evil:1"),
      "spec.containers[agent].image: registry.example/agent:1 → registry.example/evil:1",
    ],
    ["an image without a tag", agent("agent:1", "agent"), "spec.containers[agent].image"],
    ["too much memory", agent("1Gi", "100Gi"), "spec.containers[agent].resources.limits.memory: 1Gi → 100Gi"],
    ["an argument", agent("--level, info", "--level, debug"), "spec.containers[agent].args[1]: info → debug"],
    ["arguments in another order", agent("--level, info", "info, --level"), "spec.containers[agent].args[0]"],
    ["a variable", agent('value: "1"', 'value: "2"'), 'spec.containers[agent].env[OTHER].value: "1" → "2"'],
    ["variables in another order", agent(/( {4}- \{name: DD.*\n)( {4}- \{name: OTHER.*\n)/, "$2$1"), "the structure"],
    ["a field that goes", agent(/ {4}readinessProbe.*\n/, ""), "readinessProbe.httpGet.path: /r → nothing"],
    ["a field more", agent("spec:", "spec:\n  hostPID: true"), "templates/agent:4: spec.hostPID: nothing → true"],
    [
      "a list that a value fills",
      { ...BASE, "values/10-own": "hosts: [evil]\nlevel: info\n" },
      "spec.containers[evil].image",
    ],
    [
      "a selector",
      { ...BASE, config: `${BASE["config"]}neverInjectSelector: [{matchLabels: {a: b}}]\n` },
      "config.neverInjectSelector",
    ],
    ["another template by default", { ...BASE, config: "defaultTemplates: [sidecar]\n" }, "config.defaultTemplates"],
    [
      "metadata of the proxy",
      { ...BASE, mesh: "defaultConfig: {proxyMetadata: {ISTIO_BOOTSTRAP: /a}}\n" },
      "mesh.defaultConfig.proxyMetadata",
    ],
  ])("names %s", (_what, tree, named) => {
    expect(namedIn(tree).join("\n")).toContain(named);
  });

  it.each([
    "spec.tolerations",
    "spec.dnsPolicy",
    '(eq metadata.namespace "shop")',
    '(eq owner.kind "Job")',
    '(lookup metadata.labels "pod-template-hash")',
  ])("names what is written, and what is no longer written, where %s decides", (condition) => {
    const line = "    args: [--level, info]\n";
    const named = namedIn(
      agent(line, `    {{#if ${condition}}}\n    args: [--cleanup]\n    {{else}}\n${line}    {{/if}}\n`),
    );
    expect(named).toContainEqual(expect.stringMatching(/args\[0\]: nothing → --cleanup, if /));
    expect(named).toContainEqual(expect.stringMatching(/args\[0\]: nothing → --level, unless /));
    expect(named).toContainEqual(expect.stringMatching(/args\[0\]: --level → nothing$/));
  });

  it("names another label by which pods ask for injection: who is injected is another", () => {
    const labelled = { ...BASE, config: `${BASE["config"]}injectionLabel: logs.example.com/inject\n` };
    expect(namedIn(labelled)).toEqual([expect.stringContaining("config.injectionLabel")]);
    expect(namedIn(BASE, labelled)).toEqual([expect.stringContaining("config.injectionLabel")]);
  });

  it("follows a value into the field that a text of the tree writes of it", () => {
    const read = (level: string): SourceTree => ({
      ...agent('value: "1"', "value: {{values.global.proxy.logLevel}} "),
      "values/10-own": `global: {proxy: {logLevel: ${level}} }\nhosts: []\n`,
    });
    expect(namedIn(read("debug"), read("info"))).toEqual([
      'templates/agent:10: spec.containers[agent].env[OTHER].value: "info" → "debug"',
    ]);
  });

  it("follows the tag to what a text of the tree writes of the proxy's image, other than an image", () => {
    const tagged = (from: string, to: string, tag: string): SourceTree => ({
      ...agent(from, to),
      "values/10-own": `global: {hub: registry.example, tag: "${tag}"}\nhosts: []\n`,
    });
    const argument = (tag: string) => tagged("[--level, info]", '["{{proxyImage}}", "{{proxyInitImage}}"]', tag);
    expect(namedIn(argument("2"), argument("1"))).toEqual([
      'templates/agent:7: spec.containers[agent].args[0]: "registry.example/proxyv2:1" → "registry.example/proxyv2:2"',
      'templates/agent:7: spec.containers[agent].args[1]: "registry.example/proxyv2:1" → "registry.example/proxyv2:2"',
    ]);
    const image = (tag: string) => tagged("registry.example/agent:1", "{{proxyImage}}", tag);
    expect(namedIn(image("2"), image("1"))).toEqual([]);
  });

  it("names an edit of a template with more branches than can be read", () => {
    const branches = Array.from({ length: 800 }, (_, at) => `{{#if (lookup metadata.labels "a-${at}")}}{{/if}}`);
    // Neither a sample nor a branch is tried: what publication refuses may be served already.
    const releaseOf = (more: string) => {
      const tree = { "templates/agent": `${AGENT}{{! ${more} }}${branches.join("")}${more}` };
      return [lintSource([{ ...BASE, ...tree }], true).release as Release, tree] as const;
    };
    const [before] = releaseOf("");
    const [after, tree] = releaseOf("  hostPID: true\n");
    expect(unlistedDifferences(before, before, tree)).toEqual([]);
    expect(unlistedDifferences(before, after, tree).map(describeDifference)).toEqual([
      "templates/agent: the structure: nothing → another structure",
    ]);
  });

  it("names each of the attacks, behind a branch too", () => {
    const before = compileRelease([SHIPPED, plainly("")]);
    const missed = [...CASES.map(({ text }) => text), ...CAPTURE].flatMap((text) => {
      const tree = hidden(text);
      return unlistedDifferences(before, compileRelease([SHIPPED, tree]), tree).length > 0 ? [] : [text];
    });
    expect(missed).toEqual([]);
  });
});

describe("describeDifferences()", () => {
  it("counts what one line does not hold", () => {
    const difference = {
      template: "a",
      path: "spec.hostPID",
      conditions: [],
      place: { path: "templates/a", line: 3 },
      after: "true",
    };
    expect(describeDifferences([difference, difference, difference])).toBe(
      "templates/a:3: spec.hostPID: nothing → true; 2 more",
    );
    expect(describeDifferences([{ ...difference, conditions: ["if ".padEnd(300, "a")] }]).length).toBeLessThanOrEqual(
      140,
    );
    expect(describeDifferences([])).toBe("");
  });
});
