// Keys of annotations and labels are declared in two tables: nothing else of the product writes one as a literal.
import { readdirSync, readFileSync } from "node:fs";
import { annotationRules, metadataKeys } from "@outrigger/base";
import { valueRules } from "@outrigger/mesh";
import { objectKeys } from "@outrigger/webhook";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { isTest } from "./packages.ts";

const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(metadataKeys).map(([name, key]) => [key, `metadataKeys.${name}`] as const),
  ...Object.entries(objectKeys).map(([name, key]) => [key, `objectKeys.${name}`] as const),
]);

const TABLES: readonly string[] = ["lib/base/metadata-keys.ts", "lib/webhook/object-keys.ts"];

const FOLDERS: readonly string[] = ["lib", "cli", "studio", "functions"];

/** The fakes say what a cluster has, whatever the product believes. */
const OTHERS = /^lib\/fake-aws\/|\/node_modules\//;

/** The literals of a source text that are a known key, each with what to write. */
function literalKeys(text: string): readonly string[] {
  const found: string[] = [];
  new Visitor({
    Literal({ value }) {
      const name = typeof value === "string" ? NAMES.get(value) : undefined;
      if (name !== undefined) found.push(`"${value}": write ${name}`);
    },
    TemplateElement({ value: { cooked } }) {
      const name = NAMES.get(cooked ?? "");
      if (name !== undefined) found.push(`\`${cooked}\`: write ${name}`);
    },
  }).visit(parseSync("file.ts", text).program);
  return found;
}

function sourceFiles(folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`))
    .filter((file) => /\.tsx?$/.test(file) && !OTHERS.test(file) && !isTest(file) && !TABLES.includes(file));
}

describe("keys of annotations and labels", () => {
  it("are literals in the tables that declare them only", () => {
    const files = sourceFiles(FOLDERS);
    expect(files.length).toBeGreaterThan(500);
    const texts = files.map((file) => [file, readFileSync(file, "utf8")] as const);
    const suspects = texts.filter(([, text]) => [...NAMES.keys()].some((key) => text.includes(key)));
    expect(suspects.flatMap(([file, text]) => literalKeys(text).map((what) => `${file}: ${what}`))).toEqual([]);
  });

  it.each([
    'const revision = labels["istio.io/rev"];',
    'const labels = { "istio.io/rev": revision };',
    "const labels = [`istio.io/rev`];",
  ])("are found in %s", (text) => {
    expect(literalKeys(text)).toEqual([expect.stringContaining("istio.io/rev")]);
  });

  it("are not looked for in messages", () => {
    expect(literalKeys('const message = "Label the namespace istio.io/rev=TAG";')).toEqual([]);
  });

  it("are declared once", () => {
    expect(NAMES.size).toBe(Object.keys(metadataKeys).length + Object.keys(objectKeys).length);
  });
});

describe("the meanings of texts", () => {
  const files = sourceFiles(["lib/mesh", "lib/injector"]).filter((file) => file !== "lib/mesh/value-rules.ts");
  const texts = files.map((file) => readFileSync(file, "utf8")).join("\n");

  it.each(Object.keys(valueRules))("%s is that of an annotation, or of a value, a field or an argument", (name) => {
    const isAnnotations = [...annotationRules.values()].some((rule) => rule === name);
    expect(isAnnotations || new RegExp(`Rules\\.${name}\\b|"${name}"`).test(texts)).toBe(true);
  });
});
