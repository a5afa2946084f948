import type { SourceTree } from "@outrigger/injector";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { beforeAll, describe, expect, it } from "vitest";
import { addedLines } from "./added-lines.ts";
import { compare, examine } from "./examine.ts";
import { createCompiler, preview } from "./preview.ts";
import type { PodChoice } from "./question.ts";

const POD: PodChoice = { kind: "sample", name: "plain-pod" };
const BROKEN = { "partials/proxy-image": "{{#if values}}\n" };
let shipped: SourceTree;
beforeAll(async () => {
  shipped = await readSourceTree("templates");
});

const ask = (own: SourceTree, pod = POD, namespace = "") =>
  preview({ kind: "preview", shipped, own, pod, namespace, against: undefined }, createCompiler());
const manifest = (text: string, index = 0): PodChoice => ({ kind: "manifest", text, index });

describe("preview()", () => {
  it("injects the pod, and marks exactly the lines that the pod did not have", () => {
    const { outcome } = ask({});
    if (outcome?.decision !== "injected") throw new Error("not injected");
    expect(outcome).toMatchObject({ pods: 1, reason: "policy-enabled", templates: ["sidecar"] });
    const added = new Set(addedLines(outcome.before, outcome.after));
    const kept = outcome.after.split("\n").filter((_line, index) => !added.has(index + 1));
    expect(outcome.before.split("\n")).toEqual(expect.arrayContaining(kept));
    expect(
      outcome.after
        .split("\n")
        .filter((_line, index) => added.has(index + 1))
        .join("\n"),
    ).toContain("istio-proxy");
  });

  const SAMPLE = (namespace: string) =>
    `kind: Pod\nmetadata: {name: a, namespace: ${namespace}}\nspec: {containers: [{name: a, image: b}]}\n`;

  it.each<[string, SourceTree, PodChoice]>([
    ["a sample without a namespace", {}, POD],
    ["a sample of another namespace", { "samples/of-shop": SAMPLE("shop") }, { kind: "sample", name: "of-shop" }],
    ["a manifest of another namespace", {}, manifest(SAMPLE("shop"))],
  ])("tries %s in the namespace that the reader names", (_, own, pod) => {
    expect(ask(own, pod, "kube-system").outcome).toMatchObject({
      decision: "skipped",
      reason: "system-namespace",
      namespace: "kube-system",
    });
    const only = '{{#if (eq metadata.namespace "team-a")}}metadata: {labels: {team: a}}\n{{/if}}\n';
    const tree = { ...own, "templates/team": only, config: "defaultTemplates: [sidecar, team]\n" };
    expect(ask(tree, pod, "team-a").outcome).toMatchObject({ after: expect.stringContaining("team: a") });
    expect(ask(tree, pod).outcome).not.toMatchObject({ after: expect.stringContaining("team: a") });
  });

  it("tries a pod in its own namespace where the reader names none", () => {
    const own = { "samples/of-shop": SAMPLE("shop") };
    expect(ask(own, { kind: "sample", name: "of-shop" }).outcome).toMatchObject({ namespace: "shop" });
    expect(ask({}).outcome).toMatchObject({ namespace: "default" });
    expect(ask({}, manifest("kind: Service")).outcome).toMatchObject({ namespace: "" });
  });

  it("warns of what the pod's author should correct, injected or not", () => {
    const pod = (metadata: string) =>
      manifest(`{kind: Pod, metadata: {name: a, ${metadata}}, spec: {containers: [{name: a, image: b}]}}`);
    expect(
      ask({}, pod("annotations: {proxy.istio.io/config: 'concurency: 1', proxy.istio.io/confg: a}")).outcome,
    ).toMatchObject({
      decision: "injected",
      warnings: [expect.stringContaining("concurency"), expect.stringContaining("did you mean proxy.istio.io/config?")],
    });
    const skipped = 'labels: {sidecar.istio.io/inject: "false", istio-injection: enabled}';
    expect(ask({}, pod(skipped)).outcome).toMatchObject({
      decision: "skipped",
      warnings: [expect.stringContaining("label istio-injection is for namespaces")],
    });
  });

  it("names the label by which pods ask: Istio's, or the config's own", () => {
    const optedOut = (label: string) =>
      manifest(
        `{kind: Pod, metadata: {name: a, labels: {${label}: "false"}}, spec: {containers: [{name: a, image: b}]}}`,
      );
    const own = { config: "injectionLabel: logs.example.com/inject\n" };
    expect(ask({}, optedOut("sidecar.istio.io/inject")).outcome).toMatchObject({
      reason: "opted-out",
      label: "sidecar.istio.io/inject",
    });
    expect(ask(own, optedOut("logs.example.com/inject")).outcome).toMatchObject({
      reason: "opted-out",
      label: "logs.example.com/inject",
    });
    expect(ask(own).outcome).toMatchObject({ decision: "injected", label: "logs.example.com/inject" });
  });

  it("has no outcome where the tree has errors, and says which", () => {
    expect(ask(BROKEN)).toMatchObject({
      outcome: undefined,
      findings: [{ path: "partials/proxy-image", severity: "error", line: 2 }],
    });
    const twice = ask({ "templates/sidecar": "metadata: {}\nmetadata: {}\n" });
    expect(twice.outcome).toBeUndefined();
    expect(twice.findings).toMatchObject([{ path: "templates/sidecar", severity: "error" }]);
  });

  it.each<[string, SourceTree, string]>([
    [
      "braces that Parameter Store refuses",
      { "values/10": "global: {proxy: {resources: {limits: {memory: 2Gi} }}}\n" },
      "put a space between",
    ],
    [
      "a template of 512,000 bytes",
      { "templates/own": `spec: {}\n# ${"x".repeat(512_000)}\n` },
      "a parameter holds 8192",
    ],
  ])("finds what lint finds, and still shows the pod: %s", (_, own, message) => {
    const { findings, outcome } = ask(own);
    const found = expect.arrayContaining([
      expect.objectContaining({ severity: "error", message: expect.stringContaining(message) }),
    ]);
    expect(findings).toEqual(found);
    expect(outcome?.decision).toBe("injected");
    const examined = examine({ kind: "examine", shipped, own, saved: {}, manifests: [] });
    expect(examined.findings).toEqual(found);
    expect(examined.impact).toBeDefined();
  });

  it("says why a pod is not injected, or refused", () => {
    const pod = (annotations: string) =>
      manifest(
        `{apiVersion: v1, kind: Pod, metadata: {name: a, ${annotations}}, spec: {containers: [{name: a, image: b}]}}`,
      );
    expect(ask({}, pod('labels: {sidecar.istio.io/inject: "false"}')).outcome).toMatchObject({ decision: "skipped" });
    expect(ask({}, pod("annotations: {inject.istio.io/templates: nonsense}")).outcome).toMatchObject({
      decision: "refused",
      reason: "template-unknown",
    });
    expect(ask({}, manifest("a: [")).outcome).toMatchObject({ decision: "refused" });
    expect(ask({}, manifest("kind: Service")).outcome).toMatchObject({
      decision: "refused",
      reason: "manifest-invalid",
    });
  });

  it("shows the chosen pod of a manifest with several", () => {
    const pod = (name: string) =>
      `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: a, image: b}]}}`;
    expect(ask({}, manifest(`${pod("one")}\n---\n${pod("two")}`, 1)).outcome).toMatchObject({
      pods: 2,
      before: expect.stringContaining("name: two"),
    });
  });
});

describe("examine()", () => {
  it("groups pods that an edit changes alike, and names what templates may use", () => {
    const own = { "values/10-a": "global: {hub: registry.example/other}\n" };
    const { impact, findings, names } = examine({
      kind: "examine",
      shipped,
      own,
      saved: {},
      manifests: [],
      workloads: [],
    });
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    const changed = impact?.changes.flatMap(({ names: those }) => those) ?? [];
    const samples = Object.keys(shipped).filter((path) => path.startsWith("samples/"));
    expect(samples).toEqual(expect.arrayContaining([...changed]));
    expect(changed.length + (impact?.unchanged ?? 0)).toBe(samples.length);
    expect(impact?.changes[0]?.fields.join()).toContain("registry.example/other/");
    expect(names?.paths).toEqual(
      expect.arrayContaining(["values.global.hub", "meshConfig.defaultConfig", "metadata.labels"]),
    );
  });

  it("changes nothing by an edit without effect, and has no impact where the tree has errors", () => {
    const same = examine({
      kind: "examine",
      shipped,
      own: { "values/10-a": "{}" },
      saved: {},
      manifests: [],
      workloads: [],
    });
    expect(same.impact).toMatchObject({ changes: [], unchanged: 4 });
    const broken = examine({ kind: "examine", shipped, own: BROKEN, saved: {}, manifests: [] });
    expect(broken).toMatchObject({ impact: undefined, names: undefined });
  });
});

describe("compare()", () => {
  const pods = () => ({ shipped, own: {}, manifests: [], workloads: [] });

  it("shows what changes where the releases are of one tree, compiled over other shipped templates", () => {
    const own = { config: 'istio: "1.30"\n' };
    const before = compileRelease([{ ...shipped, "partials/proxy-image": "image: registry.example/older:1\n" }, own]);
    const after = compileRelease([shipped, own]);
    const { impact } = compare({ kind: "compare", before, after, ...pods() });
    expect(impact.unchanged).toBeLessThan(4);
    expect(impact.changes[0]?.fields.join()).toContain("registry.example/older:1");
    const still = compare({ kind: "compare", before, after: structuredClone(before), ...pods() });
    expect(still.impact).toEqual({ unchanged: 4, changes: [] });
  });

  it("does not guess about a release of another format", () => {
    const release = compileRelease([shipped]);
    const asked = { kind: "compare", before: { ...release, format: 1 }, after: release, ...pods() } as const;
    expect(() => compare(asked)).toThrow("Cannot load a release of format 1");
  });
});

const SMALL = { "templates/sidecar": "metadata: {labels: {a: '{{metadata.name}}'}}\n", "samples/a": "kind: Pod\n" };

it("createCompiler() compiles the same trees once, whatever their samples, and other trees again", () => {
  const compile = createCompiler();
  const first = compile({ shipped: SMALL, own: { config: "policy: enabled\n" } });
  expect(first).toMatchObject({ findings: [], traced: { compiled: { templates: { sidecar: {} } } } });
  // As a message channel copies them, with a sample more.
  const again = compile({
    shipped: { ...SMALL, "samples/b": "" },
    own: structuredClone({ config: "policy: enabled\n" }),
  });
  expect(again).toBe(first);
  const others = [
    {},
    { config: "policy: disabled\n" },
    { config: "policy: enabled\n", "partials/b": "" },
    { mesh: "{}" },
  ];
  for (const own of others) expect(compile({ shipped: SMALL, own })).not.toBe(first);
  expect(compile({ shipped: SMALL, own: { "templates/b": "{{#if" } })).toMatchObject({
    traced: undefined,
    findings: [{ path: "templates/b" }],
  });
});
