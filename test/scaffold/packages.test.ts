// The layers: what a package may use is its package.json, and how others use it is its face.
import { readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { undocumented } from "./faces.ts";
import { importsOf, type Package, readPackages, readSources } from "./packages.ts";
import { circles, fileGraph, packageGraph, refusal, unusedDependencies } from "./refuse-imports.ts";

const packages = readPackages();
const sources = readSources();

describe("imports", () => {
  it("use faces and what package.json declares", () => {
    expect(sources.size).toBeGreaterThan(1000);
    expect([...sources].flatMap(([file, imports]) => imports.flatMap((one) => refusal(packages, file, one)))).toEqual(
      [],
    );
  });

  it("use every dependency that is declared", () => {
    expect(packages.flatMap((one) => unusedDependencies(one, sources))).toEqual([]);
  });

  it("close no circle of packages", () => {
    expect(circles(packageGraph(packages))).toEqual([]);
  });

  it("close no circle of files, those of types included", () => {
    expect(circles(fileGraph(sources, packages))).toEqual([]);
  });

  const refused = (file: string, specifier: string, from: readonly Package[] = packages) =>
    refusal(from, file, { specifier, isType: false });

  it.each([
    ["lib/base/json.ts", "node:fs"],
    ["lib/yaml/a.ts", "@outrigger/pod"],
    ["lib/yaml/a.ts", "../pod/index.ts"],
    ["lib/yaml/a.test.ts", "../pod/index.ts"],
    ["lib/pod/a.ts", "@outrigger/yaml/yaml.ts"],
    ["lib/pod/a.test.ts", "@outrigger/base/json.ts"],
    ["lib/pod/a.ts", "@outrigger/injector"],
    ["lib/pod/a.ts", "handlebars"],
    ["lib/injector/a.ts", "@outrigger/publisher"],
    ["lib/serving/a.ts", "@outrigger/publisher"],
    ["lib/cluster/a.ts", "../../cli/main.ts"],
    ["lib/cluster/a.ts", "../../test/support/sleep.ts"],
    ["cli/a.ts", "../functions/inject/handler.ts"],
    ["cli/a.ts", "../lib/base/json.ts"],
    ["functions/inject/a.ts", "../publish/handler.ts"],
    ["functions/inject/a.ts", "../../lib/base/json.ts"],
    ["functions/inject/a.cjs", "../../cli/main.ts"],
    ["infra/serverless-plugin.cjs", "../scripts/build/package-functions.ts"],
    ["test/e2e/a.test.ts", "../../lib/base/json.ts"],
  ])("refuses an import in %s of %s", (file, specifier) => {
    expect(refused(file, specifier)).toHaveLength(1);
  });

  it.each([
    ["lib/pod/a.ts", "@outrigger/base"],
    ["lib/pod/a.test.ts", "fast-check"],
    ["lib/pod/a.test.ts", "../../test/support/sleep.ts"],
    ["lib/pod/validate/a.ts", "../schema.ts"],
    ["lib/serving/a.ts", "node:crypto"],
    ["functions/publish/a.ts", "./handler.ts"],
    ["test/e2e/a.test.ts", "@outrigger/base"],
  ])("accepts an import in %s of %s", (file, specifier) => {
    expect(refused(file, specifier)).toEqual([]);
  });

  it("are read in every form that loads a file", () => {
    const text = [
      'import type { A } from "a";',
      'import {\n  b,\n  type B,\n} from "b";',
      'import "c";',
      'export { d } from "d";',
      'export type * from "e";',
      'const f = await import("f");',
      'type G = import("g").G;',
      'const h = require("h");',
    ].join("\n");
    const read = importsOf("a.ts", text);
    expect(read.map(({ specifier }) => specifier).toSorted()).toEqual(["a", "b", "c", "d", "e", "f", "g", "h"]);
    expect(read.filter(({ isType }) => isType).map(({ specifier }) => specifier)).toEqual(["a", "e", "g"]);
    expect(importsOf("a.cjs", 'const h = require("h");')).toEqual([{ specifier: "h", isType: false }]);
  });

  it("are refused where they close a circle or a dependency is of no use", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["a"]],
      ["d", ["d"]],
    ]);
    expect(circles(graph)).toEqual(["a → b → c → a", "d → d"]);
    const one = { name: "x", folder: "lib/x", faces: [], dependencies: ["used", "unused"], devDependencies: ["used"] };
    const files = new Map([["lib/x/a.ts", [{ specifier: "used/deep", isType: true }]]]);
    expect(unusedDependencies(one, files)).toHaveLength(2);
  });
});

describe("packages", () => {
  it.each(packages.filter(({ faces }) => faces.length > 0))(
    "$name has a docstring for each name of its face",
    ({ faces }) => {
      expect(faces.flatMap((face) => undocumented(face))).toEqual([]);
    },
  );

  it.each(packages.filter(({ faces }) => faces.length > 0))(
    "$name says what it is for, with an example",
    ({ folder }) => {
      const page = readFileSync(join(folder, "README.md"), "utf8");
      expect(page).toMatch(/^```(?:ts|js)\n/m);
    },
  );
});
