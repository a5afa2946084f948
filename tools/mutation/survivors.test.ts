import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mutants } from "./mutants.ts";
import { survivors } from "./named.ts";

describe("survivors", () => {
  it.each(survivors)("of $file are mutants that it has: $after", ({ file, before, after }) => {
    const made = mutants(file, readFileSync(file, "utf8"));
    expect(made.filter((mutant) => mutant.before === before && mutant.after === after)).not.toEqual([]);
  });
});
