import { describe, expect, it } from "vitest";
import { cutBlock, ENTRY, GIVE_UP, itemBlock, nestedBlock, UNUSUAL } from "./cut-blocks.ts";

const MARK = "~mark";

describe("cutBlock()", () => {
  it.each<[string, string, readonly string[]]>([
    ["entries", "a: 1\nb: 2\n", ["a: 1\n", "b: 2\n"]],
    ["the last entry without a line end", "a: 1\nb: 2", ["a: 1\n", "b: 2"]],
    ["an entry with a block below it", "a:\n  b: 1\n  c: 2\nd: 3\n", ["a:\n  b: 1\n  c: 2\n", "d: 3\n"]],
    ["a list that is not indented below its key", "a:\n- 1\n- 2\nb: 3\n", ["a:\n- 1\n- 2\n", "b: 3\n"]],
    ["a block scalar with an empty line and a comment", "a: |\n  x\n\n# y\nb: 1\n", ["a: |\n  x\n\n# y\n", "b: 1\n"]],
    ["items", "- a: 1\n  b: 2\n- c\n", ["- a: 1\n  b: 2\n", "- c\n"]],
    ["items that are empty", "-\n- 1\n", ["-\n", "- 1\n"]],
    ["a key that begins with a dash", "-a: 1\n-b: 2\n", ["-a: 1\n", "-b: 2\n"]],
  ])("cuts before each line of the outer indentation: %s", (_, text, parts) => {
    expect(cutBlock(text, MARK)).toEqual({
      indent: 0,
      isList: text.startsWith("- ") || text.startsWith("-\n"),
      first: 0,
      parts,
    });
  });

  it("begins with the first line that has content, at its indentation", () => {
    const text = "\n  # what follows\n   \n  a: 1\n  b: 2\n";
    expect(cutBlock(text, MARK)).toEqual({
      indent: 2,
      isList: false,
      first: text.indexOf("  a"),
      parts: ["  a: 1\n", "  b: 2\n"],
    });
  });

  it.each([
    ["nothing but comments", "# a\n\n"],
    ["no text", ""],
    ["a placeholder in a comment in front", `# ${MARK}1\na: 1\n`],
    ["a line that is indented less", "  a: 1\nb: 2\n"],
    ["an entry after items", "- a\nb: 1\n"],
  ])("gives up on %s", (_, text) => {
    expect(() => cutBlock(text, MARK)).toThrow(GIVE_UP);
  });
});

it.each([
  ["- a: 1\n  b: 2\n", 0, "  a: 1\n  b: 2\n"],
  ["  -   a\n", 2, "      a\n"],
  ["-\n", 0, " \n"],
])("itemBlock() puts a space for the dash of %j", (text, indent, block) => {
  expect(itemBlock(text, indent)).toBe(block);
});

it.each([
  ["a:\n  b: 1\n", 0, { key: "a", at: 3 }],
  ["  app.kubernetes.io/name:\n  - 1\n", 2, { key: "app.kubernetes.io/name", at: 26 }],
  ["a: \n\n  # why\n  b: 1\n", 0, { key: "a", at: 4 }],
  ["a: b\n", 0, undefined],
  ["a:\n", 0, undefined],
  ["a: |\n  b\n", 0, undefined],
  // YAML 1.1 takes these for booleans and null.
  ["yes:\n  b: 1\n", 0, undefined],
  ["Null:\n  b: 1\n", 0, undefined],
  ["1:\n  b: 1\n", 0, undefined],
  ['"a":\n  b: 1\n', 0, undefined],
])("nestedBlock() finds the block below the key of %j", (text, indent, found) => {
  expect(nestedBlock(text, indent)).toEqual(found);
});

it.each(["a: 1", "a:", "  a.b/c-d: x", '"a b": 1', "'a': 1", "a b: 1", "a : 1"])("ENTRY matches %j", (text) => {
  expect(text).toMatch(ENTRY);
});

it.each(["- a: 1", "a:1", "a", "? a: 1", "{a: 1}", "&x a: 1", "# a: 1", '"a\\n": 1', "<<: 1"])(
  "ENTRY does not match %j",
  (text) => {
    expect(text).not.toMatch(ENTRY);
  },
);

it("UNUSUAL matches what means something else elsewhere", () => {
  for (const text of ["a:\tb", "a: 1\r\n", "a\u2028b", "\ufeffa: 1", "%YAML 1.2", "a: 1\n---\n", "..."])
    expect(text).toMatch(UNUSUAL);
  for (const text of ["a: 1\nb:\n  - c\n", "a: ---", "a: 50%"]) expect(text).not.toMatch(UNUSUAL);
});
