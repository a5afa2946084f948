import { describe, expect, it } from "vitest";
import { readToolOptions } from "./tool-options.ts";

const tool = {
  command: "npm run count --",
  says: "Counts files.",
  options: {
    depth: { type: "integer", least: 1, value: "N", default: 3, says: "how many folders deep it looks" },
    seconds: { type: "number", value: "S", says: "how long it looks" },
    sort: { type: "string", oneOf: ["name", "size"], says: "what comes first" },
    sizes: { type: "integer", several: true, value: "N,N", default: [1, 2], says: "which sizes count" },
    json: { type: "boolean", short: "j", says: "print JSON" },
  },
  example: "npm run count -- --depth 2",
} as const;

const copying = {
  command: "copy",
  says: "Copies files.",
  arguments: {
    how: { oneOf: ["all", "new"], says: "which files" },
    to: { value: "DIR", says: "where to" },
    from: { value: "FILE", several: true, optional: true, says: "the files; otherwise those of standard input" },
  },
  example: "copy all DIR a b",
} as const;

describe("readToolOptions()", () => {
  it("returns the values, with the defaults of those that are absent", () => {
    expect(readToolOptions(tool, ["--json", "--seconds", "0.5", "--sort=size", "--sizes", "5,60"])).toEqual({
      values: { depth: 3, seconds: 0.5, sort: "size", sizes: [5, 60], json: true },
    });
    expect(readToolOptions(tool, [])).toEqual({
      values: { depth: 3, seconds: undefined, sort: undefined, sizes: [1, 2], json: false },
    });
  });

  it.each(["--help", "-h"])("returns the usage for %s, whatever else is asked for", (word) => {
    expect(readToolOptions(tool, ["--unheard-of", word])).toEqual({
      usage: `Usage: npm run count -- [options]

Counts files.

  --depth N         how many folders deep it looks (default: 3)
  --seconds S       how long it looks
  --sort name|size  what comes first
  --sizes N,N       which sizes count (default: 1,2)
  -j, --json        print JSON
  --help            print this and exit

Example: npm run count -- --depth 2`,
    });
  });

  it.each([
    ["an option that the tool does not have", ["--unheard-of"], "Unknown option '--unheard-of'"],
    ["an option without its value", ["--depth"], "Option '--depth <value>' argument missing"],
    ["an option that is given twice", ["--depth", "1", "--depth=2"], "Option '--depth' is given twice"],
    ["a value for an option that takes none", ["--json=yes"], "Option '-j, --json' does not take an argument"],
    ["an argument of a tool that takes none", ["lib"], "Unexpected argument 'lib'"],
    ["text for a number", ["--seconds", "ten"], "Cannot use 'ten' as --seconds: give a number, 0 or more"],
    ["an empty text for a number", ["--seconds", ""], "Cannot use '' as --seconds: give a number, 0 or more"],
    ["a fraction of a whole number", ["--depth", "1.5"], "Cannot use '1.5' as --depth: give a whole number, 1 or more"],
    ["a number that is too small", ["--depth=0"], "Cannot use '0' as --depth: give a whole number, 1 or more"],
    [
      "an argument of several that is no number",
      ["--sizes=1,,2"],
      "Cannot use '' as --sizes: give a whole number, 0 or more",
    ],
    ["a word that is not in the list", ["--sort", "age"], "Cannot use 'age' as --sort: give one of name, size"],
  ])("names %s", (_, words, message) => {
    expect(readToolOptions(tool, words)).toEqual({ fault: `${message}\nTry: npm run count -- --help` });
  });

  it("returns the arguments by their names", () => {
    expect(readToolOptions(copying, ["all", "out", "a", "b"])).toEqual({
      values: { how: "all", to: "out", from: ["a", "b"] },
    });
    expect(readToolOptions(copying, ["new", "--", "--help"])).toEqual({
      values: { how: "new", to: "--help", from: [] },
    });
  });

  it("shows in the usage which arguments may be left out", () => {
    expect(readToolOptions(copying, ["--help"])).toEqual({
      usage: `Usage: copy [options] all|new DIR [FILE]...

Copies files.

  all|new    which files
  DIR        where to
  [FILE]...  the files; otherwise those of standard input
  --help     print this and exit

Example: copy all DIR a b`,
    });
  });

  it.each([
    ["an argument that is needed", ["all"], "DIR is missing"],
    ["a word that is not in the list", ["some", "out"], "Cannot use 'some': give one of all, new"],
  ])("names %s as an argument", (_, words, message) => {
    expect(readToolOptions(copying, words)).toEqual({ fault: `${message}\nTry: copy --help` });
  });

  it("names the first argument that is one too many", () => {
    const { from: _, ...two } = copying.arguments;
    expect(readToolOptions({ ...copying, arguments: two }, ["all", "out", "a", "b"])).toEqual({
      fault: "Unexpected argument 'a'\nTry: copy --help",
    });
  });
});
