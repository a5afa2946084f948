import { describe, expect, it } from "vitest";
import { readToolOptions } from "./tool-options.ts";

const tool = {
  command: "npm run count --",
  says: "Counts files.",
  options: {
    depth: { type: "string", value: "N", default: "3", says: "how many folders deep it looks" },
    json: { type: "boolean", short: "j", default: false, says: "print JSON" },
  },
  example: "npm run count -- --depth 2",
} as const;

describe("readToolOptions()", () => {
  it("returns the values, with the defaults of those that are absent", () => {
    expect(readToolOptions(tool, ["--json"])).toMatchObject({ values: { depth: "3", json: true }, positionals: [] });
  });

  it.each(["--help", "-h"])("returns the usage for %s, whatever else is asked for", (word) => {
    expect(readToolOptions(tool, ["--unheard-of", word])).toEqual({
      usage: `Usage: npm run count -- [options]

Counts files.

  --depth N   how many folders deep it looks (default: 3)
  -j, --json  print JSON
  --help      print this and exit

Example: npm run count -- --depth 2`,
    });
  });

  it.each([
    ["an option that the tool does not have", ["--unheard-of"], "Unknown option '--unheard-of'"],
    ["an option without its value", ["--depth"], "Option '--depth <value>' argument missing"],
    ["an option that is given twice", ["--depth", "1", "--depth=2"], "Option '--depth' is given twice"],
    ["an argument of a tool that takes none", ["lib"], "Unexpected argument 'lib'"],
  ])("names %s", (_, words, message) => {
    expect(readToolOptions(tool, words)).toEqual({
      fault: expect.stringMatching(new RegExp(`^${message}[^\\n]*\\nTry: npm run count -- --help$`)),
    });
  });

  it("returns the arguments of a tool that takes some", () => {
    const counting = { ...tool, arguments: ["FOLDER", "where it begins"] as const };
    expect(readToolOptions(counting, ["lib", "--depth", "1"])).toMatchObject({
      values: { depth: "1" },
      positionals: ["lib"],
    });
    expect(readToolOptions(counting, ["--help"])).toMatchObject({
      usage: expect.stringContaining("\n  FOLDER      where it begins\n"),
    });
  });
});
