import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readTestCases } from "./test-cases.ts";

describe("readTestCases()", () => {
  let tree: string;
  beforeEach(() => {
    tree = mkdtempSync(join(tmpdir(), "outrigger-test-cases-"));
  });
  afterEach(() => rmSync(tree, { recursive: true }));
  const put = (file: string, text = "kind: Pod\n") => {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  };

  it("finds none where there is no folder", async () => {
    expect(await readTestCases(tree)).toEqual([]);
    expect(await readTestCases(tree, "prod")).toEqual([]);
  });

  it("reads the cases in the order of their names, then those of an environment, and no notes", async () => {
    put("tests/b/pod.yaml");
    put("tests/a/pod.yaml", "kind: Pod # a\n");
    put("tests/a/notes.md");
    put("tests/.hidden/pod.yaml");
    put("tests/README.md");
    put("environments/prod/tests/web/pod.yaml");
    const cases = await readTestCases(tree, "prod");
    expect(cases.map(({ name }) => name)).toEqual(["a", "b", "prod/web"]);
    expect(cases[0]).toEqual({
      name: "a",
      directory: join(tree, "tests/a"),
      pod: "kind: Pod # a\n",
      expected: undefined,
    });
    expect(await readTestCases(tree)).toHaveLength(2);
  });

  it.each([
    ["expected.yaml", "kind: Pod\n", { kind: "manifest", text: "kind: Pod\n" }],
    ["expected.yaml", "# why\nkind: Pod\n", { kind: "manifest", text: "# why\nkind: Pod\n" }],
    ["decision", " injected\n", { kind: "decision", text: "injected" }],
    ["decision", "policy-disabled", { kind: "decision", text: "policy-disabled" }],
    ["error", "# is not known\n", { kind: "error", text: "# is not known" }],
  ])("takes %s with %j", async (file, text, expected) => {
    put("tests/a/pod.yaml");
    put(`tests/a/${file}`, text);
    expect(await readTestCases(tree)).toMatchObject([{ expected }]);
  });

  it.each([
    ["expected.yaml", "\n  \n", "expected.yaml is empty: the test would say nothing"],
    ["expected.yaml", "# nothing\n \n  # yet\n", "expected.yaml is empty: the test would say nothing"],
    ["error", " \n", "error is empty: the test would say nothing"],
    ["decision", "inject", 'its decision is not known, did you mean "injected"'],
    ["decision", "whatever", "its decision is not known: use injected, skipped"],
    ["expected.yml", "a: 1\n", `${join("tests", "a", "expected.yml")} is not read, did you mean "expected.yaml"`],
  ])("names what is wrong with %s of %j", async (file, text, fault) => {
    put("tests/a/pod.yaml");
    put(`tests/a/${file}`, text);
    expect(await readTestCases(tree)).toMatchObject([{ fault: expect.stringContaining(fault) }]);
  });

  it("names a case without a pod, with two expectations, and one that is a file", async () => {
    put("tests/a/decision", "injected");
    put("tests/b/pod.yaml");
    put("tests/b/decision", "injected");
    put("tests/b/error", "x");
    put("tests/c.yml");
    expect((await readTestCases(tree)).map(({ name, fault }) => [name, fault])).toEqual([
      ["a", `${join("tests", "a")} has no pod.yaml; "outrigger new test a" makes one`],
      ["b", "it has decision and error: keep one of them"],
      ["c.yml", `it is a file: a test is a folder, as ${join("tests", "c", "pod.yaml")}`],
    ]);
  });
});
