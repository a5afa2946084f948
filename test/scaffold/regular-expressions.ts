// The regular expressions of the product's code, and how their time may grow with a text's length.

import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { analyse } from "scslre";

export interface Expression {
  readonly file: string;
  readonly line: number;
  readonly pattern: string;
  readonly flags: string;
}

/** Every literal in a file, and every pattern that is a constant text in `RegExp(…)`. */
export function expressionsIn(file: string, text = readFileSync(file, "utf8")): readonly Expression[] {
  const found: Expression[] = [];
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      const { pattern, flags } = node.regex;
      found.push({ file, line: lineAt(node.start), pattern, flags });
    },
  }).visit(parseSync(file, text).program);
  return found;
}

/** Returns how the expression can take more than linear time; empty if it cannot. */
export function slowParts({ pattern, flags }: Expression): readonly string[] {
  if (!REPEATS.test(pattern)) return [];
  const { reports } = analyse(new RegExp(pattern, flags), { maxReports: 3 });
  return reports.map(({ type, exponential }) => `${exponential ? "exponential" : "polynomial"} (${type})`);
}

const REPEATS = /[*+{]/;
