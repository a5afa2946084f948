import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CASE_SETS, fileOfSet, readCases, readLines, readSet, readTable, SETS } from "./read-reference.ts";

const readme = readFileSync("test/reference/README.md", "utf8");

describe("the measured behaviour in test/reference", () => {
  it.each(SETS)("is as it was measured: %s", (set) => {
    const digest = createHash("sha256").update(readSet(set)).digest("hex");
    const { size } = statSync(fileOfSet(set));
    expect(readme).toContain(`| \`${set}\` | ${readLines(set).length} | ${size} | \`${digest}\` |`);
  });

  it("is under a megabyte", () => {
    const sizes = SETS.map((set) => statSync(fileOfSet(set)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(1_000_000);
  });

  it.each(CASE_SETS)("has an expectation in every case of %s", (set) => {
    const cases = readCases(set);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    for (const { name, expect: expected } of cases) {
      const kinds = [expected.pod, expected.error, expected.documents].filter((part) => part !== undefined);
      expect({ name, isExpected: kinds.length === 1 || expected.injected === false }).toEqual({
        name,
        isExpected: true,
      });
    }
  });
});

describe("readTable()", () => {
  it("throws when there is no such table", () => {
    expect(() => readTable("nothing")).toThrow('Cannot read table "nothing"');
  });
});
