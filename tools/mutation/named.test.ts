import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mutants } from "./mutants.ts";
import { namedFaults, namedMutant, survivors } from "./named.ts";

describe("namedMutant()", () => {
  const fault = { what: "it is 2", file: "a.ts", before: "1", after: "2" };

  it("puts a fault into a file", () => {
    expect(namedMutant(fault, "a;\nb = 1;\n")).toMatchObject({ line: 2, operator: "it is 2", code: "a;\nb = 2;\n" });
  });

  it.each(["b = 0;", "b = 1 + 1;"])("refuses a text that is not once in %s", (source) => {
    expect(() => namedMutant(fault, source)).toThrow("fix tools/mutation/named.yaml");
  });

  it.each(namedFaults)("$file still has the text of its fault", (named) => {
    expect(namedMutant(named, readFileSync(named.file, "utf8")).code).not.toBe("");
  });
});

describe("survivors", () => {
  it.each(survivors)("of $file are mutants that it has: $after", ({ file, before, after }) => {
    const made = mutants(file, readFileSync(file, "utf8"));
    expect(made.filter((mutant) => mutant.before === before && mutant.after === after)).not.toEqual([]);
  });
});
