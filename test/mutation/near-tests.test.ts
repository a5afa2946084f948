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
  ["lib/mesh/m.test.ts", ["lib/kube/a.ts"]],
  ["test/e2e/e.test.ts", ["lib/kube/b.ts"]],
]);

describe("nearTests()", () => {
  it("are those that import the file, and those of its subject that reach it", () => {
    expect(nearTests(imports, "lib/kube/b.ts")).toEqual({
      direct: ["lib/kube/b.prop.test.ts"],
      subject: ["lib/kube/a.test.ts", "lib/kube/deep/c.test.ts"],
    });
    expect(nearTests(imports, "lib/kube/a.ts").direct).toEqual([
      "lib/kube/a.test.ts",
      "lib/kube/deep/c.test.ts",
      "lib/mesh/m.test.ts",
    ]);
  });
});

describe("readImports()", () => {
  it("follows what is imported and exported, but not types", () => {
    const read = readImports(join(import.meta.dirname, "../.."), ["test/mutation"]);
    expect(read.get("test/mutation/near-tests.test.ts")).toEqual(["test/mutation/near-tests.ts"]);
    expect(read.get("test/mutation/mutation.ts")).toEqual([
      "test/mutation/mutants.ts",
      "test/mutation/near-tests.ts",
      "test/mutation/runner.ts",
      "test/mutation/survivors.ts",
    ]);
    expect(read.get("test/mutation/runner.ts")).toEqual([]);
  });
});
