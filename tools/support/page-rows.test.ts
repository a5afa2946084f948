import { describe, expect, it } from "vitest";
import { tableLines, withRows } from "./page-rows.ts";

const PAGE = "before\n<!-- rows: a -->\nold\n<!-- /rows -->\nbetween\n<!-- rows: b -->\n<!-- /rows -->\n";

describe("withRows()", () => {
  it("replaces what is between the marks of that name, and nothing else", () => {
    const lines = tableLines(["x", "y"], [["1", "2"]]);
    expect(withRows(PAGE, "a", lines)).toBe(PAGE.replace("old\n", "| x | y |\n| --- | --- |\n| 1 | 2 |\n"));
    expect(withRows(PAGE, "b", ["new"])).toBe(PAGE.replace("b -->\n", "b -->\nnew\n"));
  });

  it.each(["c", ""])("throws where the page has no marks of the name %j", (name) => {
    expect(() => withRows(PAGE, name, [])).toThrow("The page has no");
    expect(() => withRows("<!-- rows: a -->\n", "a", [])).toThrow("The page has no");
  });
});
