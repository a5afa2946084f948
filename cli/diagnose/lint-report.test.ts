import { describe, expect, it } from "vitest";
import { describeFindings, findingFile, requireNoErrors } from "./lint-report.ts";

const finding = (severity: "error" | "warning", path: string, more: object = {}) => ({
  severity,
  path,
  message: "wrong",
  ...more,
});

describe("describeFindings()", () => {
  it("names the file with the line and the column, or the field, as far as they are known", () => {
    expect(
      describeFindings([
        finding("error", "templates/sidecar", { line: 12, column: 5 }),
        finding("warning", "values/10-mine", { line: 3 }),
        finding("error", "config.policy"),
        finding("error", "config.policy", { line: 2 }),
        finding("error", "config"),
        finding("warning", ""),
      ]),
    ).toBe(
      [
        "templates/sidecar.hbs:12:5: error: wrong",
        "values/10-mine.yaml:3: warning: wrong",
        "config.yaml (config.policy): error: wrong",
        "config.yaml:2: error: wrong",
        "config.yaml: error: wrong",
        "warning: wrong",
        "",
      ].join("\n"),
    );
    expect(describeFindings([])).toBe("");
  });
});

describe("findingFile()", () => {
  it("is the entry's, whatever field of it is named", () => {
    expect(findingFile("mesh.defaultConfig.concurrency")).toBe("mesh.yaml");
    expect(findingFile("templates/a.b")).toBe("templates/a.b.hbs");
    expect(findingFile("")).toBe(".yaml");
  });
});

describe("requireNoErrors()", () => {
  it("takes warnings, and counts errors", () => {
    const [error, warning] = [finding("error", "config"), finding("warning", "config")];
    expect(() => requireNoErrors([], "lint")).not.toThrow();
    expect(() => requireNoErrors([warning], "lint")).not.toThrow();
    expect(() => requireNoErrors([warning, error], "lint")).toThrow(
      expect.objectContaining({
        code: "tree-invalid",
        message: "Cannot lint: the tree has 1 error; fix the error above",
      }),
    );
    expect(() => requireNoErrors([error, error], "push")).toThrow(
      "Cannot push: the tree has 2 errors; fix the errors above",
    );
  });
});
