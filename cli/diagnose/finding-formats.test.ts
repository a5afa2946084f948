import type { TreeFinding } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { githubFindings, sarifFindings } from "./finding-formats.ts";

const FINDINGS: readonly TreeFinding[] = [
  { severity: "error", path: "values/10", line: 2, column: 3, message: "100% wrong\nfor two lines" },
  { severity: "warning", path: "config.policy", line: 1, column: 9, message: "odd" },
  { severity: "warning", path: "", message: "about the tree" },
];

describe("githubFindings()", () => {
  it("writes a workflow command for each finding, with escapes", () => {
    expect(githubFindings(FINDINGS, "./deploy/tree/")).toBe(
      [
        "::error file=deploy/tree/values/10.yaml,line=2,col=3::100%25 wrong%0Afor two lines",
        "::warning file=deploy/tree/config.yaml,line=1,col=9::odd",
        "::warning::about the tree",
        "",
      ].join("\n"),
    );
  });
});

describe("sarifFindings()", () => {
  it("writes a run with a result for each finding", () => {
    const log = JSON.parse(sarifFindings(FINDINGS, ".", "1.2.3"));
    expect(log.version).toBe("2.1.0");
    expect(log.runs[0].tool.driver).toMatchObject({ name: "outrigger", version: "1.2.3" });
    expect(log.runs[0].results).toEqual([
      {
        ruleId: "outrigger",
        level: "error",
        message: { text: "100% wrong\nfor two lines" },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: "values/10.yaml" },
              region: { startLine: 2, startColumn: 3 },
            },
          },
        ],
      },
      expect.objectContaining({ level: "warning" }),
      { ruleId: "outrigger", level: "warning", message: { text: "about the tree" }, locations: [] },
    ]);
  });
});
