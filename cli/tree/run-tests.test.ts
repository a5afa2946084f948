import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileRelease, loadRelease, type SourceTree } from "@outrigger/injector";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runTest, writeSampleTests } from "./run-tests.ts";
import type { TestCase } from "./test-cases.ts";

const TREE: SourceTree = {
  config: "mesh: none\ndefaultTemplates: [agent]\n",
  "templates/agent": `spec:
  containers:
  - name: agent
    image: agent:1
    args: [a, b]
  - name: second
    image: second:1
`,
};
const POD =
  "kind: Pod\nmetadata: {name: web, labels: {app: web} }\nspec: {containers: [{name: web, image: web, args: [x]}]}\n";
const OUT = POD.replace("app: web", 'sidecar.istio.io/inject: "false"');
const REFUSED = POD.replace("labels: {app: web}", "annotations: {inject.istio.io/templates: gone}");

describe("runTest()", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-run-tests-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const injector = loadRelease(compileRelease([TREE]));
  const run = (pod: string, kind?: NonNullable<TestCase["expected"]>["kind"], text = "", update = false) => {
    const expected = kind && { kind, text };
    return runTest({ name: "web", directory, pod, expected }, injector, update);
  };
  const detail = async (...given: Parameters<typeof run>) => {
    const result = await run(...given);
    expect(result.outcome).toBe(result.detail === "" ? "passed" : "failed");
    return result.detail;
  };

  it("fails with the fault of a case that cannot be run", async () => {
    const fault = "it has no pod.yaml";
    expect(await runTest({ name: "web", directory, pod: "", expected: undefined, fault }, injector, true)).toEqual({
      name: "web",
      outcome: "failed",
      detail: fault,
    });
  });

  it("compares an error by its code or a part of its message, and an empty text with none", async () => {
    expect(await detail(REFUSED, "error", "template-unknown")).toBe("");
    expect(await detail(REFUSED, "error", "gone")).toBe("");
    expect(await detail(REFUSED, "error", "pod-invalid")).toMatch(
      /^expected an error with "pod-invalid", got template-unknown: .*gone/,
    );
    expect(await detail(REFUSED, "error", "")).toMatch(/^expected an error with "", got /);
    expect(await detail(POD, "error", "gone")).toBe('expected an error with "gone", but the injection succeeds');
  });

  it("fails where the injection does and no error is expected", async () => {
    expect(await detail(REFUSED, "decision", "injected")).toMatch(/^the injection fails: .*gone/);
    expect(await detail(REFUSED)).toMatch(/^the injection fails: /);
  });

  it("compares a decision with every pod, by outcome or by reason", async () => {
    for (const decision of ["injected", "policy-enabled"]) expect(await detail(POD, "decision", decision)).toBe("");
    for (const decision of ["skipped", "opted-out"]) expect(await detail(OUT, "decision", decision)).toBe("");
    expect(await detail(OUT, "decision", "injected")).toBe("expected injected, got skipped (opted-out)");
    expect(await detail(POD, "decision", "skipped")).toBe("expected skipped, got injected (policy-enabled)");
    expect(await detail(`${POD}---\n${OUT}`, "decision", "injected")).toBe(
      "expected injected, got skipped (opted-out)",
    );
    expect(await detail("kind: ConfigMap\nmetadata: {name: a}\n", "decision", "injected")).toBe(
      "expected injected, but pod.yaml has no pod",
    );
  });

  it("compares the fields that an expectation has, items with a name by it, and other lists whole", async () => {
    const within = (spec: string) => detail(POD, "manifest", `metadata: {labels: {app: web} }\nspec: ${spec}\n`);
    expect(await within("{containers: [{name: second, image: 'second:1'}]}")).toBe("");
    expect(await within("{containers: [{name: web}, {name: agent, args: [a, b]}]}")).toBe("");
    expect(await within("{containers: [{name: agent, args: [a]}]}")).toMatch(/\+.*- b/);
    expect(await within("{containers: [{name: agent, args: []}]}")).not.toBe("");
    expect(await within("{containers: [{name: agent, image: 'agent:2'}]}")).toMatch(/-.*agent:2[\s\S]*\+.*agent:1/);
    expect(await within("{containers: [{name: agent, image: 'agent:2'}]}")).not.toContain("second");
    expect(await within("{containers: [{name: gone}]}")).toMatch(/-.*gone/);
    expect(await within("{containers: {agent: 1} }")).not.toBe("");
    expect(await within("{hostNetwork: true}")).toMatch(/-.*hostNetwork/);
  });

  it("allows more documents than are expected, and not fewer", async () => {
    const other = "kind: ConfigMap\nmetadata: {name: a}\n";
    expect(await detail(`${POD}---\n${other}`, "manifest", "kind: Pod\n---\n")).toBe("");
    expect(await detail(POD, "manifest", "kind: Pod\n---\nkind: ConfigMap\n")).toMatch(/-.*ConfigMap/);
    const wrong = "kind: Pod\n---\nkind: ConfigMap\nmetadata: {name: b}\n";
    expect(await detail(`${POD}---\n${other}`, "manifest", wrong)).toMatch(/-.*name: b[\s\S]*\+.*name: a/);
  });

  it("compares the whole result where an expectation says that it is exact", async () => {
    const whole = "# exact\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {app: web}\n";
    expect(await detail("kind: ConfigMap\nmetadata: {name: a, labels: {app: web} }\n", "manifest", whole)).toBe("");
    expect(
      await detail("kind: ConfigMap\nmetadata: {name: a, labels: {app: web, b: c} }\n", "manifest", whole),
    ).toMatch(/\+.*b: c/);
  });

  it("says that an expectation is no YAML, and which file it is", async () => {
    expect(await detail(POD, "manifest", "spec: [\n")).toContain("tests/web/expected.yaml");
  });

  it("fails a case without an expectation, and writes one on request", async () => {
    expect(await detail(POD)).toBe("it has no expected.yaml, decision or error: write one, or run with --update");
    expect(await run(POD, undefined, "", true)).toEqual({ name: "web", outcome: "updated", detail: "" });
    const written = readFileSync(join(directory, "expected.yaml"), "utf8");
    expect(written).toMatch(/^# exact: .*\n[\s\S]*agent:1/);
    expect(await detail(POD, "manifest", written)).toBe("");
    expect(await detail(POD, "manifest", written, true)).toBe("");
    expect((await run(POD, "manifest", "kind: Pod\n", true)).outcome).toBe("updated");
  });

  it("writes nothing over a decision, nor through a link", async () => {
    expect(await detail(POD, "decision", "skipped", true)).toContain("expected skipped");
    expect(existsSync(join(directory, "expected.yaml"))).toBe(false);
    writeFileSync(join(directory, "other"), "mine\n");
    symlinkSync("other", join(directory, "expected.yaml"));
    expect(await detail(POD, undefined, "", true)).toBe(
      "tests/web/expected.yaml cannot be written: it is a symbolic link, or links lead in a circle",
    );
    expect(readFileSync(join(directory, "other"), "utf8")).toBe("mine\n");
  });
});

describe("writeSampleTests()", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-sample-tests-"));
    mkdirSync(join(directory, "tests"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const read = (file: string) => readFileSync(join(directory, "tests", file), "utf8");

  it("writes a test for each sample of the tree, in the order of their names, with its error where it fails", async () => {
    const tree = { ...TREE, "samples/refused": REFUSED, "samples/a": POD };
    const shipped = { "samples/shipped": POD };
    expect(await writeSampleTests(directory, compileRelease([TREE]), tree, shipped)).toEqual(["a", "refused"]);
    expect(read("a/pod.yaml")).toBe(POD);
    expect(read("a/expected.yaml")).toContain("agent:1");
    expect(existsSync(join(directory, "tests/a/error"))).toBe(false);
    expect(read("refused/error")).toMatch(/^(?!the injection fails).*gone.*\n$/);
    expect(existsSync(join(directory, "tests/refused/expected.yaml"))).toBe(false);
    expect(existsSync(join(directory, "tests/shipped"))).toBe(false);
  });

  it("takes the shipped samples for a tree without any", async () => {
    const names = await writeSampleTests(directory, compileRelease([TREE]), TREE, { "samples/shipped": POD });
    expect(names).toEqual(["shipped"]);
    expect(read("shipped/pod.yaml")).toBe(POD);
  });
});
