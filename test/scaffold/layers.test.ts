import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { entryPoints, layers } from "./layers.ts";

/** Every source file of the product, tests included. */
const sources = ["lib", "functions", "cli", "studio", "infra"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`),
);

describe("the layer table", () => {
  it("allows every import of the product", () => {
    const files = sources.filter((file) => !file.includes(".test.") && !file.includes(".prop."));
    expect(files.length).toBeGreaterThan(250);
    const findings = files.flatMap((file) => importsOf(readFileSync(file, "utf8")).flatMap((to) => refusal(file, to)));
    expect(findings).toEqual([]);
  });

  it("has no row that covers no file", () => {
    const isUsed = (path: string) => sources.some((file) => file === path || file.startsWith(`${path}/`));
    expect(Object.keys(layers).filter((path) => !isUsed(path))).toEqual([]);
  });

  it.each([
    ["lib/json.ts", "../cli/main.ts"],
    ["lib/json.ts", "node:fs"],
    ["lib/json.ts", "./kube/yaml.ts"],
    ["lib/anything-new/file.ts", "../errors.ts"],
    ["lib/kube/a.ts", "../anything-new/file.ts"],
    ["lib/template/shape/parse-shape.ts", "handlebars"],
    ["lib/template/compile/parse-anything.ts", "handlebars"],
    ["lib/template/a.ts", "../kube/strategic-merge.ts"],
    ["lib/kube/a.ts", "../inject/inject-pod.ts"],
    ["lib/mesh/a.ts", "../template/load-templates.ts"],
    ["lib/inject/a.ts", "../release/compile-release.ts"],
    ["lib/release/a.ts", "../source/source-directory.ts"],
    ["lib/webhook/a.ts", "../cluster/kube-access.ts"],
    ["lib/admission/a.ts", "../serve/cluster-record.ts"],
    ["lib/serve/a.ts", "../publish/run-publisher.ts"],
    ["lib/cluster/a.ts", "../../cli/main.ts"],
    ["lib/inject/a.ts", "@aws-sdk/client-ssm"],
    ["functions/inject/a.ts", "../publish/handler.ts"],
    ["functions/inject/a.ts", "@aws-sdk/client-ssm"],
    ["cli/a.ts", "../functions/inject/handler.ts"],
  ])("refuses an import in %s of %s", (file, specifier) => {
    expect(refusal(file, specifier)).toHaveLength(1);
  });

  it.each([
    ["lib/kube/a.ts", "../json.ts"],
    ["lib/template/a.ts", "../kube/yaml.ts"],
    ["lib/template/compile/parse-template.ts", "handlebars"],
    ["lib/cluster/a.ts", "@aws-sdk/client-eks"],
    ["functions/inject/a.ts", "../../lib/inject/inject-pod.ts"],
    ["functions/publish/a.ts", "./handler.ts"],
  ])("accepts an import in %s of %s", (file, specifier) => {
    expect(refusal(file, specifier)).toEqual([]);
  });

  it("sees imports of types, of side effects, over several lines, and re-exports", () => {
    const source = [
      'import type { A } from "a";',
      'import {\n  b,\n  type B,\n} from "b";',
      'import "c";',
      'export { d } from "d";',
      'export type * from "e";',
      'const f = await import("f");',
      'type G = import("g").G;',
      'const h = require("h");',
    ].join("\n");
    expect(importsOf(source)).toEqual(["a", "b", "c", "d", "e", "f", "g", "h"]);
  });
});

function importsOf(source: string): readonly string[] {
  const pattern = /^(?:import|export)\s(?:[^"';]*?\sfrom\s)?\s*"([^"]+)"|\b(?:import|require)\(\s*"([^"]+)"/gm;
  return [...source.matchAll(pattern)].map(([, declared, called]) => declared ?? called ?? "");
}

/** One line that says what is refused, or nothing. */
function refusal(file: string, specifier: string): readonly string[] {
  const row = rowOf(file);
  if (row === undefined) return [`${file}: ${dirname(file)} has no row in the layer table`];
  const allowed = specifier.startsWith(".")
    ? allowsFile(row, file, join(dirname(file), specifier))
    : layers[row]?.packages.some(
        (name) => name === specifier || (name.endsWith("*") && specifier.startsWith(name.slice(0, -1))),
      );
  return allowed === true ? [] : [`${file} may not import ${specifier}: see ${row} in test/scaffold/layers.ts`];
}

function allowsFile(row: string, from: string, to: string): boolean {
  const target = rowOf(to);
  if (target === undefined) return false;
  if (target === row || (row !== "lib" && target.startsWith(`${row}/`))) return true;
  const isEntryPoint = entryPoints.some((folder) => from.startsWith(`${folder}/`));
  return (layers[row]?.folders ?? []).some((folder) => {
    if (folder === to || folder === target || target.startsWith(`${folder}/`))
      return folder !== "lib" || target === "lib" || isEntryPoint;
    return false;
  });
}

/** The longest row that covers the file. The row `lib` covers the files directly in it and nothing below. */
function rowOf(file: string): string | undefined {
  const covers = (path: string) =>
    path === "lib" ? dirname(file) === "lib" : file === path || file.startsWith(`${path}/`);
  return Object.keys(layers)
    .filter(covers)
    .sort((a, b) => b.length - a.length)[0];
}
