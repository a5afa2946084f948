import { describe, expect, it } from "vitest";
import { GIVE_UP } from "./shape/cut-blocks.ts";
import { type TextNode, treeReader, wholeTree } from "./text-tree.ts";

const MARK = "~mark";

/** Each step of a tree, with what the text has at its key. */
function placesIn(node: TextNode, text: string, path = "", at = 0): readonly string[] {
  return node.children.flatMap(({ step, keyOffset, node: child, at: more = 0 }) => {
    const place = `${path}/${step} ${text.slice(at + keyOffset).split("\n", 1)[0]}`;
    return [place, ...placesIn(child, text, `${path}/${step}`, at + more)];
  });
}

describe("treeReader()", () => {
  it.each([
    ["entries", "a: 1\nb: two\n"],
    ["blocks in blocks", "a:\n  b:\n    c: 1\n    d: 2\n  e: 3\nf: 4\n"],
    ["a list of mappings", "a:\n- b: 1\n  c: 2\n- b: 3\nd: 4\n"],
    ["a list in a list", "a:\n  - - 1\n    - 2\n  - 3\n"],
    ["items that are not entries", "- one\n- {b: 1, c: [2, 3]}\n- |\n  text\n"],
    ["flow, quotes and block scalars", "a: {b: 1}\n'c d': [1, 2]\ne: |\n  f: 1\n"],
    ["comments and empty lines", "# first\na:\n\n  # second\n  b: 1\n\nc: 2\n"],
    ["equal parts", "a:\n- b: 1\n- b: 1\nc:\n- b: 1\n"],
  ])("reads each key where a parser of the whole text reads it: %s", (_, text) => {
    const places = placesIn(treeReader(MARK)(text), text);
    expect(places).toEqual(placesIn(wholeTree(text), text));
    expect(places.length).toBeGreaterThan(1);
  });

  it("gives each entry and item that it cuts, with its place in the block", () => {
    const [first, second] = treeReader(MARK)("a: 1\nb:\n- c\n").children;
    expect([first?.part, second?.part]).toEqual([
      { text: "a: 1\n", start: 0 },
      { text: "b:\n- c\n", start: 5 },
    ]);
  });

  it("reads what two texts have in common once", () => {
    const read = treeReader(MARK);
    const nodeOf = (text: string) => read(text).children.at(-1)?.node;
    expect(nodeOf("a: 1\nb:\n  c: 2\n")).toBe(nodeOf("a: 2\nd: 3\nb:\n  c: 2\n"));
  });

  it.each([
    ["an entry that is two", "a: 1\n  b\nc\n"],
    ["a placeholder that a comment in front would take away", `# ${MARK}\na: 1\n`],
    ["no entry", "# nothing\n"],
  ])("gives up on %s", (_, text) => {
    expect(() => treeReader(MARK)(text)).toThrow(GIVE_UP);
  });
});

it("wholeTree() reads keys as they are written", () => {
  expect(placesIn(wholeTree("'a': 1\n\"b\": 2\n"), "'a': 1\n\"b\": 2\n")).toEqual([`/'a' 'a': 1`, `/"b" "b": 2`]);
});
