import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nearTests, readImports } from "./near-tests.ts";

const imports = new Map<string, readonly string[]>([
  ["lib/pod/a.ts", ["lib/pod/b.ts"]],
  ["lib/pod/b.ts", []],
  ["lib/pod/a.test.ts", ["lib/pod/a.ts"]],
  ["lib/pod/deep/c.test.ts", ["lib/pod/a.ts"]],
  ["lib/pod/other.test.ts", ["lib/pod/other.ts"]],
  ["lib/pod/b.prop.test.ts", ["lib/pod/b.ts"]],
  ["lib/mesh/m.test.ts", ["lib/pod/a.ts", "lib/base/names.ts"]],
  ["lib/base/names.ts", []],
  ["test/e2e/e.test.ts", ["lib/pod/b.ts"]],
]);

describe("nearTests()", () => {
  it("are those of the subject that reach the file, with those that import it listed separately", () => {
    expect(nearTests(imports, "lib/pod/b.ts")).toEqual({
      direct: ["lib/pod/b.prop.test.ts"],
      indirect: ["lib/pod/a.test.ts", "lib/pod/deep/c.test.ts"],
    });
    expect(nearTests(imports, "lib/pod/a.ts")).toEqual({
      direct: ["lib/pod/a.test.ts", "lib/pod/deep/c.test.ts"],
      indirect: [],
    });
  });

  it("are the reference's cases too, of what an injection runs through, and come last", () => {
    const golden = [...imports, ["test/golden/golden.test.ts", ["lib/pod/a.ts", "lib/base/names.ts"]]] as const;
    expect(nearTests(new Map(golden), "lib/pod/b.ts").indirect.at(-1)).toBe("test/golden/golden.test.ts");
    expect(nearTests(new Map(golden), "lib/pod/other.ts").indirect).toEqual([]);
    expect(nearTests(new Map(golden), "lib/base/names.ts").indirect).toEqual([]);
  });

  it("count those that bear the file's name elsewhere among those that import it", () => {
    const more = new Map([
      ...imports,
      ["cli/deep/b.ts", []],
      ["cli/main.ts", ["cli/deep/b.ts"]],
      ["cli/a.test.ts", ["cli/main.ts"]],
      ["test/eks/b.test.ts", ["cli/main.ts"]],
    ] as const);
    expect(nearTests(more, "cli/deep/b.ts")).toEqual({ direct: ["test/eks/b.test.ts"], indirect: ["cli/a.test.ts"] });
  });

  it("are a laboratory's too, of what it is for", () => {
    const lab = [...imports, ["lib/rollouts/r.ts", []], ["test/eks/lab.test.ts", ["lib/rollouts/r.ts"]]] as const;
    expect(nearTests(new Map(lab), "lib/rollouts/r.ts")).toEqual({ direct: ["test/eks/lab.test.ts"], indirect: [] });
    const own = [...lab, ["lib/rollouts/r.test.ts", ["lib/rollouts/r.ts"]]] as const;
    expect(nearTests(new Map(own), "lib/rollouts/r.ts")).toEqual({
      direct: ["lib/rollouts/r.test.ts"],
      indirect: ["test/eks/lab.test.ts"],
    });
  });

  it("are those of other subjects that import the file where its own has none", () => {
    expect(nearTests(imports, "lib/base/names.ts")).toEqual({ direct: ["lib/mesh/m.test.ts"], indirect: [] });
  });
});

describe("nearTests() of a file that no test imports, in a subject without tests", () => {
  it("are those of the subjects that use it", () => {
    const more = new Map([...imports, ["lib/a/x.ts", []], ["lib/pod/b.ts", ["lib/a/x.ts"]]] as const);
    expect(nearTests(more, "lib/a/x.ts")).toEqual({
      direct: [],
      indirect: ["lib/pod/a.test.ts", "lib/pod/deep/c.test.ts", "lib/pod/b.prop.test.ts"],
    });
  });
});

describe("readImports()", () => {
  it("follows what is imported and exported, but not types", () => {
    const read = readImports(join(import.meta.dirname, "../.."), ["tools/mutation"]);
    expect(read.get("tools/mutation/near-tests.test.ts")).toEqual(["tools/mutation/near-tests.ts"]);
    expect(read.get("tools/mutation/mutation.ts")).toEqual([
      "tools/support/tool-options.ts",
      "tools/mutation/mutants.ts",
      "tools/mutation/named.ts",
      "tools/mutation/near-tests.ts",
      "tools/mutation/runner.ts",
      "tools/mutation/type-check.ts",
    ]);
    expect(read.get("tools/mutation/runner.ts")).toEqual([]);
  });

  describe("of names that come through a face", () => {
    let root: string;
    beforeEach(() => {
      root = mkdtempSync(join(tmpdir(), "outrigger-imports-"));
      mkdirSync(join(root, "lib/pod/deep"), { recursive: true });
    });
    afterEach(() => rmSync(root, { recursive: true }));

    function importedBy(statement: string): readonly string[] | undefined {
      const files = {
        "lib/pod/index.ts": 'export { a, type A } from "./a.ts"; export { c as see } from "./deep/b.ts";',
        "lib/pod/a.ts": "export const a = 1; export type A = 1;",
        "lib/pod/deep/b.ts": 'export { c } from "./c.ts"; export const b = 2;',
        "lib/pod/deep/c.ts": "export const c = 3;",
        "lib/user.ts": statement,
      };
      for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
      return readImports(root, ["lib"]).get("lib/user.ts");
    }

    it.each([
      ['import { a } from "@outrigger/pod";', ["lib/pod/a.ts"]],
      ['import { type A, a } from "./pod/index.ts";', ["lib/pod/a.ts"]],
      ['import { see as c } from "@outrigger/pod";', ["lib/pod/deep/c.ts"]],
      ['import { a, see } from "@outrigger/pod";', ["lib/pod/a.ts", "lib/pod/deep/c.ts"]],
      ['import { b, c } from "./pod/deep/b.ts";', ["lib/pod/deep/b.ts", "lib/pod/deep/c.ts"]],
      ['export { see } from "@outrigger/pod";', ["lib/pod/deep/c.ts"]],
      ['import * as pod from "@outrigger/pod";', ["lib/pod/index.ts"]],
      ['import "@outrigger/pod";', ["lib/pod/index.ts"]],
      ['const load = async () => (await import("./pod/a.ts")).a;', ["lib/pod/a.ts"]],
      ['const load = () => import("@outrigger/pod");', ["lib/pod/index.ts"]],
      ['import { main } from "@outrigger/cli";', ["cli/index.ts"]],
      ['import type { A } from "@outrigger/pod";', []],
      ['import { build } from "esbuild";', []],
    ])("names the files that declare them: %s", (statement, expected) => {
      expect(importedBy(statement)).toEqual(expected);
    });
  });
});
