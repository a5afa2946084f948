import { describe, expect, it } from "vitest";
import { readOptions } from "./tool-options.ts";

const TOOL = {
  usage: "npm run try -- [DIR]",
  about: "Tries.",
  options: {
    only: { type: "string", value: "PATTERN", help: "the cases to try" },
    json: { type: "boolean", default: false, help: "print JSON" },
  },
  examples: ["npm run try -- --only a"],
} as const;

describe("readOptions()", () => {
  it("gives the options, and the arguments without a name", () => {
    const read = readOptions(TOOL, ["dir", "--only", "a"]);
    expect(read).toMatchObject({ options: { values: { only: "a", json: false }, positionals: ["dir"] } });
  });

  it("gives the help, with a line for each option", () => {
    expect(readOptions(TOOL, ["--only", "--help"])).toEqual({
      help: [
        "Usage: npm run try -- [DIR] [options]",
        "",
        "Tries.",
        "",
        "Options:",
        "  --only PATTERN  the cases to try",
        "  --json          print JSON",
        "  --help          print this",
        "",
        "Examples:",
        "  npm run try -- --only a",
      ].join("\n"),
    });
  });

  it.each([
    [["--onyl", "a"], "Unknown option '--onyl'"],
    [["--only"], "Option '--only <value>' argument missing"],
    [["--json=yes"], "Option '--json' does not take an argument"],
  ])("names what is wrong with %j", (args, problem) => {
    expect(readOptions(TOOL, args)).toEqual({ problem: `${problem}\nnpm run try -- [DIR]: --help lists the options` });
  });
});
