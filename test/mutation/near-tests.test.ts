import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nearTests, readImports } from "./near-tests.ts";

const imports = new Map<string, readonly string[]>([
  ["lib/kube/a.ts", ["lib/kube/b.ts"]],
  ["lib/kube/b.ts", []],
  ["lib/kube/a.test.ts", ["lib/kube/a.ts"]],
  ["lib/kube/deep/c.test.ts", ["lib/kube/a.ts"]],
  ["lib/kube/other.test.ts", ["lib/kube/other.ts"]],
  ["lib/kube/b.prop.test.ts", ["lib/kube/b.ts"]],
  ["lib/mesh/m.test.ts", ["lib/kube/a.ts", "lib/names.ts"]],
  ["lib/names.ts", []],
  ["test/e2e/e.test.ts", ["lib/kube/b.ts"]],
]);

describe("nearTests()", () => {
  it("are those of the subject that reach the file, with those that import it listed separately", () => {
    expect(nearTests(imports, "lib/kube/b.ts")).toEqual({
      direct: ["lib/kube/b.prop.test.ts"],
      indirect: ["lib/kube/a.test.ts", "lib/kube/deep/c.test.ts"],
    });
    expect(nearTests(imports, "lib/kube/a.ts")).toEqual({
      direct: ["lib/kube/a.test.ts", "lib/kube/deep/c.test.ts"],
      indirect: [],
    });
  });

  it("are those of other subjects that import the file where its own has none", () => {
    expect(nearTests(imports, "lib/names.ts")).toEqual({ direct: ["lib/mesh/m.test.ts"], indirect: [] });
  });
});

describe("nearTests() of a file that no test imports, in a subject without tests", () => {
  it("are those of the subjects that use it", () => {
    const more = new Map([...imports, ["lib/a/x.ts", []], ["lib/kube/b.ts", ["lib/a/x.ts"]]] as const);
    expect(nearTests(more, "lib/a/x.ts")).toEqual({
      direct: [],
      indirect: ["lib/kube/a.test.ts", "lib/kube/deep/c.test.ts", "lib/kube/b.prop.test.ts"],
    });
  });
});

describe("readImports()", () => {
  it("follows what is imported and exported, but not types", () => {
    const read = readImports(join(import.meta.dirname, "../.."), ["test/mutation"]);
    expect(read.get("test/mutation/near-tests.test.ts")).toEqual(["test/mutation/near-tests.ts"]);
    expect(read.get("test/mutation/mutation.ts")).toEqual([
      "test/mutation/mutants.ts",
      "test/mutation/named.ts",
      "test/mutation/near-tests.ts",
      "test/mutation/runner.ts",
      "test/mutation/survivors.ts",
      "test/mutation/verdict-log.ts",
    ]);
    expect(read.get("test/mutation/runner.ts")).toEqual([]);
  });
});
