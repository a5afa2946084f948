// What branches of templates would add that no sample takes, above the shipped templates.
import { compileRelease, type SourceTree } from "@outrigger/injector";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../test/support/shipped-tree.ts";
import { guardBranches } from "./guard-branches.ts";
import { parseGuardrails } from "./parse-guardrails.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await shippedTreeUntried();
});

const BASELINE = parseGuardrails("baseline");
const releaseOf = (tree: SourceTree) => compileRelease([shipped, tree]);

const branch = (text: string) =>
  `{{#if (eq (lookup metadata.annotations "evil.example/now") "yes")}}\n${text}{{/if}}\n`;

describe("guardBranches()", () => {
  const found = (tree: SourceTree, text = "baseline") =>
    guardBranches(parseGuardrails(text), releaseOf(tree), tree).map(({ path, line, message }) => ({
      place: `${path}:${line}`,
      what: /may: (.*?) \(/.exec(message)?.[1],
    }));
  const EVIL =
    "spec:\n  containers:\n  - name: evil\n    image: evil.example/a:1\n    securityContext:\n      privileged: true\n";

  it("finds constants behind branches that no sample takes, with their line", () => {
    expect(found({ "templates/evil": branch(EVIL) })).toEqual([{ place: "templates/evil:7", what: "privileged" }]);
    expect(found({ "templates/evil": branch("{{> evil}}\n"), "partials/evil": EVIL })).toEqual([
      { place: "partials/evil:6", what: "privileged" },
    ]);
    expect(found({ "templates/evil": branch(EVIL) }, "privileged,image:docker.io/*")).toEqual([
      { place: "templates/evil:5", what: "image evil.example/a:1" },
    ]);
  });

  it("judges a host path wherever it leads, and nothing else that a pod decides", () => {
    const path = branch('spec:\n  volumes:\n  - name: a\n    hostPath: {path: "{{metadata.name}}"}\n');
    expect(found({ "templates/evil": path })).toMatchObject([{ place: "templates/evil:5" }]);
    expect(found({ "templates/evil": path }, "baseline,hostPath:/run/*")).toEqual([]);
    const host = branch("spec:\n  hostPID: {{metadata.labels.x}}\n");
    expect(found({ "templates/evil": host })).toEqual([]);
  });

  it("finds what takes away whatever a pod has there", () => {
    const gone = branch("spec:\n  hostAliases:\n  - $patch: replace\n");
    expect(found({ "templates/evil": gone })).toContainEqual({
      place: "templates/evil:4",
      what: 'field spec.hostAliases[0]["$patch"]',
    });
  });

  it("says of a name that a pod decides in part what the template says of it, and nothing of one that it decides all of", () => {
    const secret = (name: string) => branch(`spec:\n  volumes:\n  - name: a\n    secret: {secretName: ${name}}\n`);
    const half = '"{{lookup metadata.labels "team"}}-oauth2"'.replaceAll('"team"', "'team'");
    for (const [name, setting, remedy] of [
      [half, "baseline,secret:mesh-*", "secret:*-oauth2"],
      [half, "baseline,secret:web-oauth2", "secret:*-oauth2"],
      [half, "baseline,secret:*-oauth2", undefined],
      [half, "baseline", undefined],
      ["'{{owner.name}}'", "baseline,secret:mesh-*", undefined],
    ] as const) {
      const tree = { "templates/evil": secret(name) };
      const messages = guardBranches(parseGuardrails(setting), releaseOf(tree), tree).map(({ message }) => message);
      expect(messages).toEqual(remedy === undefined ? [] : [expect.stringContaining(` add ${remedy} to `)]);
    }
    const image = branch("spec:\n  containers:\n  - name: a\n    image: 'evil.example/a:{{metadata.labels.tag}}'\n");
    expect(found({ "templates/evil": image }, "baseline,image:registry.example/*")).toMatchObject([
      { place: "templates/evil:5", what: "image evil.example/a:*" },
    ]);
    expect(found({ "templates/evil": image }, "baseline,image:evil.example/*")).toEqual([]);
    const claim = branch("spec:\n  volumes:\n  - name: a\n    persistentVolumeClaim: {claimName: '{{owner.name}}'}\n");
    expect(found({ "templates/evil": claim })).toMatchObject([{ place: "templates/evil:5", what: "claim *" }]);
  });

  it.each([
    ["a label", "metadata: {labels: {team: mesh}}\n", 1],
    ["an annotation", "metadata:\n  annotations:\n    note: mesh\n", 1],
    ["a recommended label", "metadata: {labels: {app.kubernetes.io/part-of: mesh}}\n", 1],
    ["a key of Istio's", "metadata: {labels: {topology.istio.io/network: mesh}}\n", 0],
    [
      "one that is guarded",
      'metadata:\n  labels:\n{{#unless (lookup metadata.labels "team")}}\n    team: mesh\n{{/unless}}\n    topology.istio.io/network: b\n',
      0,
    ],
  ])("names what a pod may have of its own: %s", (_what, text, count) => {
    const tree = { "templates/mark": text };
    const messages = guardBranches(BASELINE, releaseOf(tree), tree).map(({ message }) => message);
    expect(messages).toHaveLength(count);
    for (const message of messages)
      expect(message).toMatch(/write it behind \{\{#unless \(lookup metadata\.(labels|annotations) "/);
  });

  it("says nothing of the shipped templates, of branches that values rule out, and where guardrails are off", () => {
    expect(found({})).toEqual([]);
    expect(found({}, "restricted")).toEqual([]);
    expect(found({ "templates/evil": `{{#if values.global.proxy.privileged}}\n${EVIL}{{/if}}\n` })).toEqual([]);
    expect(found({ "templates/evil": branch(EVIL) }, "off")).toEqual([]);
  });
});
