// No regular expression of the product takes more than linear time: pods, templates and manifests choose the texts.
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { expressionsIn, slowParts } from "./regular-expressions.ts";

const files = execFileSync("git", ["ls-files", "lib", "functions", "cli", "infra"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));

describe("regular expressions", () => {
  it("take linear time at most, in every file of the product", () => {
    const expressions = files.flatMap((file) => expressionsIn(file));
    const slow = expressions.flatMap((expression) => {
      const { file, line, pattern } = expression;
      return slowParts(expression).map((part) => `${file}:${line} /${pattern}/ is ${part}`);
    });
    expect(slow).toEqual([]);
    expect(expressions.length).toBeGreaterThan(250);
  });

  it.each(["/(a|a)*b/", "/(?:x?\\n+)*y/", "/ +$/", "/^a*a*b/"])("would be found: %s", (literal) => {
    const [expression] = expressionsIn("example.ts", `export const expression = ${literal};`);
    expect(expression && slowParts(expression)).not.toEqual([]);
  });
});
