import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { describeWarning, errorFinding, sortFindings, type TreeFinding } from "./tree-finding.ts";

const warning = (path: string, more: Partial<TreeFinding> = {}): TreeFinding => ({
  severity: "warning",
  path,
  line: 3,
  column: 5,
  message: "x is odd",
  ...more,
});

describe("describeWarning()", () => {
  it.each([
    [warning("templates/sidecar"), 'In template "sidecar", x is odd (line 3, column 5)'],
    [warning("partials/resources"), 'In partial "resources", x is odd (line 3, column 5)'],
    [warning("values/10-own"), "x is odd (values/10-own, line 3, column 5)"],
    [warning("config", { message: "x is odd (in config)" }), "x is odd (in config)"],
    [warning("", {}), "x is odd"],
    [{ severity: "warning", path: "templates/sidecar", message: "x is odd" } as const, "x is odd"],
  ])("of %j names its place once", (finding, text) => {
    expect(describeWarning(finding)).toBe(text);
  });
});

describe("errorFinding()", () => {
  const error = (path: string) =>
    new OutriggerError("template-invalid", 'Cannot compile template "sidecar": it is bad (line 3, column 5)', {
      path,
      line: 3,
      column: 5,
    });

  it.each([
    ["templates/sidecar", undefined, "templates/sidecar"],
    ["templates/sidecar", [{}, { "templates/sidecar": "" }], "templates/sidecar"],
    ["sidecar", [{ "templates/sidecar": "" }], "templates/sidecar"],
    ["sidecar", [{ "templates/other": "" }], ""],
  ])("of an error in %s names an entry of %j", (path, layers, entry) => {
    expect(errorFinding(error(path), layers)).toEqual({
      severity: "error",
      path: entry,
      line: 3,
      column: 5,
      message: "it is bad",
    });
  });
});

describe("sortFindings()", () => {
  it("sorts by path, then line, then column, those without a line first", () => {
    const sorted = [
      warning("a", { line: 2, column: 2 }),
      warning("a", { line: 2, column: 9 }),
      warning("a", { line: 10, column: 1 }),
      warning("b", { line: 1, column: 1 }),
    ];
    const { line: _, column: __, ...bare } = warning("a");
    expect(sortFindings([...sorted, bare].reverse())).toEqual([bare, ...sorted]);
  });
});
