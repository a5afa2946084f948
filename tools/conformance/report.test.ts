import { describe, expect, it } from "vitest";
import { caseResult, failureLines, summarize, summaryLines } from "./report.ts";

const EQUAL = { entryPoint: "inject", differences: [], rows: [] };
const EXPLAINED = { entryPoint: "default", differences: [".a: 1 expected, 2 found"], rows: ["again"] };
const UNKNOWN = { entryPoint: "lambda", differences: [".b: 1 expected, 2 found"], rows: [] };

describe("caseResult()", () => {
  it.each([
    ["equal", [EQUAL]],
    ["differs", [EQUAL, EXPLAINED]],
    ["unknown", [EQUAL, EXPLAINED, UNKNOWN]],
    ["unknown", []],
  ] as const)("is %s for the worst of the entry points", (verdict, entryPoints) => {
    expect(caseResult("set/1", entryPoints).verdict).toBe(verdict);
  });
});

describe("the report", () => {
  const results = [
    caseResult("mine/1", [EQUAL]),
    caseResult("mine/2", [EQUAL, EXPLAINED]),
    caseResult("mine/deep/3", [UNKNOWN]),
  ];

  it("counts verdicts by set, entry point and row", () => {
    const lines = summaryLines(summarize(results)).map((line) => line.replace(/ +/g, " "));
    expect(lines).toEqual([
      "mine 1 equal, 1 differ by a row, 0 unknown",
      "mine/deep 0 equal, 0 differ by a row, 1 unknown",
      "entry point inject 2 equal, 0 differ by a row, 0 unknown",
      "entry point default 0 equal, 1 differ by a row, 0 unknown",
      "entry point lambda 0 equal, 0 differ by a row, 1 unknown",
      "row again 1",
      "all cases 1 equal, 1 differ by a row, 1 unknown",
      "2 passed, 1 failed",
    ]);
  });

  it("prints what no row explains", () => {
    expect(results.flatMap(failureLines)).toEqual(["FAIL mine/deep/3", "  lambda: .b: 1 expected, 2 found"]);
  });
});
