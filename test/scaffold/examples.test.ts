import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { readExamples } from "./examples.ts";

const examples = readdirSync("lib", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .sort()
  .map((file) => `lib/${file}`)
  .flatMap((file) => readExamples(readFileSync(file, "utf8"), file).map((example) => ({ file, ...example })));

describe("the examples in docstrings", () => {
  it("are there", () => {
    expect(examples.length).toBeGreaterThan(20);
    expect(examples.map(({ file }) => file)).toContain("lib/base/json.ts");
  });

  it.each(examples)("$file:$line holds: $expression", async ({ file, expression, expected }) => {
    const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(join(process.cwd(), file)).href);
    const names = Object.keys(exported);
    const values = Object.values(exported);
    const evaluate = (text: string): unknown => new Function(...names, `"use strict"; return (${text}\n);`)(...values);
    expect(evaluate(expression)).toStrictEqual(evaluate(expected));
  });
});

describe("readExamples()", () => {
  const documented = (...lines: readonly string[]) =>
    ["/**", " * Adds.", " *", " * @example", ...lines.map((line) => ` * ${line}`), " */"].join("\n");

  it("reads every line of a fence", () => {
    expect(readExamples(documented("```ts", "add(1, 2) // => 3", 'text("a // b") // => "c"', "```"), "a.ts")).toEqual([
      { line: 6, expression: "add(1, 2)", expected: "3" },
      { line: 7, expression: 'text("a // b")', expected: '"c"' },
    ]);
  });

  it.each([
    ["a line that expects nothing", ["```ts", "add(1, 2)", "```"], "a.ts:6: write the line as"],
    ["an empty fence", ["```ts", "```"], "a.ts:4: the @example is empty"],
    ["no fence", ["add(1, 2) // => 3"], "a.ts:4: the lines of an @example belong into"],
    ["a fence without an end", ["```ts", "add(1, 2) // => 3"], "a.ts:4: the lines of an @example belong into"],
  ])("throws for %s", (_title, lines, message) => {
    expect(() => readExamples(documented(...lines), "a.ts")).toThrow(message);
  });
});
