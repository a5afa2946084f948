import { describe, expect, it } from "vitest";
import { formatYaml } from "./format-yaml.ts";
import { parseYaml } from "./parse-yaml.ts";

describe("formatYaml()", () => {
  it("writes like kubectl when there are objects, lists and texts", () => {
    const value = { b: "on", a: [1, { x: "multi\nline\n" }], c: {}, d: [], e: "a: b", f: "plain", g: "1e3", h: null };
    expect(formatYaml(value)).toBe(
      'a:\n- 1\n- x: |\n    multi\n    line\nb: "on"\nc: {}\nd: []\ne: \'a: b\'\nf: plain\ng: "1e3"\nh: null\n',
    );
  });

  it.each([
    "on",
    "~",
    "",
    "0755",
    "12:30",
    "2024-01-01",
    "--- a",
    "...",
    "<<",
    "- a",
    "a #b",
    " x",
    "x\n\n",
    "\n",
    "a\tb",
  ])("is read back as it was when a text is %j", (text) => {
    expect(parseYaml(formatYaml({ [text]: text, list: [text] }), "f")).toEqual({ [text]: text, list: [text] });
  });
});
