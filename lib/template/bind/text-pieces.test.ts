import { describe, expect, it } from "vitest";
import { branchKeyOf, decide, startRender } from "./render-state.ts";
import { type Piece, placeholdersOf, shapeText } from "./text-pieces.ts";

const at = (column: number, line = 1) => ({ source: "templates/a", line, column });
const text = (text: string, column: number): Piece => ({ kind: "text", text, position: at(column) });
const name: Piece = text("name: ", 1);
const slot: Piece = { kind: "slot", position: at(7) };
const rest: Piece = text("\nkind: Pod\n", 20);

const shaped = (...pieces: readonly Piece[]) => shapeText(pieces, "", placeholdersOf(pieces, "a"), "a");

describe("shapeText()", () => {
  const written = shaped(name, slot, rest);
  const after = written.text.indexOf("\n");

  it("writes a placeholder in the place of a slot", () => {
    expect(written.text).toMatch(/^name: \u00a4[0-9a-z]{4}\u00a4\nkind: Pod\n$/);
  });

  it.each<[string, number, number, readonly Piece[]]>([
    ["the first character", 0, 1, [name]],
    ["a text", 0, 6, [name]],
    ["one character more", 0, 7, [name, slot]],
    ["the inside of a slot", 8, 9, [slot]],
    ["all before the last text", 0, after, [name, slot]],
    ["the last text's first character", after, after + 1, [rest]],
    ["the inside of the last text", after + 3, after + 4, [rest]],
    ["all", 0, 100, [name, slot, rest]],
    ["what is behind the text", 100, 200, []],
  ])("knows the pieces of %s", (_, start, end, pieces) => {
    expect(written.piecesIn(start, end)).toEqual(pieces);
  });

  it("knows how far an offset is within its piece", () => {
    expect([0, 5, 6, 8, after, after + 4].map(written.withinPiece)).toEqual([0, 5, 0, 2, 0, 4]);
    expect(written.withinPiece(100)).toBe(0);
  });

  it("knows the line and column that an offset comes from", () => {
    expect([0, 5, 6, after, after + 1, after + 5].map(written.positionAt)).toEqual([
      at(1),
      at(6),
      at(7),
      at(20),
      at(1, 2),
      at(5, 2),
    ]);
    expect(shaped().positionAt(0)).toEqual({ source: "", line: 1, column: 1 });
  });

  it("indents each line of a partial, and names each piece once, however many lines it has", () => {
    const lines = text("a:\n- b\n", 3);
    const indented = shaped(name, { kind: "indent", indent: "  ", pieces: [lines, slot] });
    expect(indented.text).toMatch(/^name: {3}a:\n {2}- b\n {2}\u00a4\w{4}\u00a4$/);
    expect(indented.piecesIn(0, indented.text.length)).toEqual([name, lines, slot]);
    expect(indented.positionAt(indented.text.indexOf("- b"))).toEqual(at(1, 2));
  });

  it("indents a partial in a partial by both, the outer one first, and what follows it by the outer one", () => {
    const inner: Piece = { kind: "indent", indent: "- ", pieces: [text("b\nc", 1), slot, text("\n", 1)] };
    const outer: Piece = { kind: "indent", indent: "> ", pieces: [text("a\n", 1), inner, text("d\n\ne", 1)] };
    expect(shaped(name, outer, rest).text).toMatch(
      /^name: > a\n> - b\n> - c\u00a4\w{4}\u00a4\n> d\n> \n> e\nkind: Pod\n$/,
    );
    expect(shaped(outer, inner).text).toMatch(/\n> e- b\n- c/);
  });

  it("says which branches were taken", () => {
    const decided = (taken: boolean): Piece => ({ kind: "decided", taken, pieces: [name], position: at(1) });
    expect(shaped(decided(true), decided(false)).branches()).toEqual([
      { position: at(1), taken: true },
      { position: at(1), taken: false },
    ]);
  });
});

describe("shapeText() of a branch key", () => {
  const block = (kind: "choice" | "loop", line: number): Piece => ({
    kind,
    yes: () => [text("yes ", 1)],
    no: () => [text("no ", 1)],
    position: at(1, line),
  });
  const pieces = [
    block("choice", 1),
    block("loop", 2),
    { kind: "indent", indent: "> ", pieces: [text("end", 1)] },
  ] as const;

  it.each([
    [[false, false], "no no > end", [false, false]],
    [[true, true, true, false], "yes yes yes > end", [true, true]],
    [[true, true, false], "yes yes > end", [true, true]],
    [[true, false], "yes no > end", [true, false]],
  ])("takes the branches %j, and repeats a loop while it has items", (decisions, written, taken) => {
    const state = startRender([]);
    for (const decision of decisions) decide(state, decision);
    const shape = shapeText(pieces, branchKeyOf(state), placeholdersOf(pieces, "a"), "a");
    expect(shape.text).toBe(written);
    expect(shape.branches()).toEqual(taken.map((each, line) => ({ position: at(1, line + 1), taken: each })));
  });
});

describe("placeholdersOf()", () => {
  it("looks for a mark that no text has, in blocks too, and takes no soft hyphen", () => {
    const characters = (from: number, to: number) =>
      String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, index) => from + index));
    const inside: Piece = {
      kind: "choice",
      yes: () => [text(characters(0xa4, 0xa6), 1)],
      no: () => [{ kind: "indent", indent: "", pieces: [text(characters(0xa7, 0xac), 1)] }],
      position: at(1),
    };
    expect(placeholdersOf([inside], "a").mark).toBe("\u00ae");
    expect(placeholdersOf([text(characters(0xa4, 0xfe), 1)], "a").mark).toBe("\u00ff");
    expect(() => placeholdersOf([text(characters(0xa4, 0xff), 1)], "a")).toThrow(
      'Cannot load template "a": it contains every character from U+00A4 to U+00FF, leave one out',
    );
  });
});
