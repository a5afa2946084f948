import { describe, expect, it } from "vitest";
import { type Piece, placeholdersOf } from "./text-pieces.ts";

const at = { source: "partials/a", line: 1, column: 1 };
const slot: Piece = { kind: "slot", position: at };

function numberOf(piece: Piece): string | undefined {
  return placeholdersOf([piece], "t").ofSlot.get(piece);
}

describe("slotNumbers() of placeholders", () => {
  it("gives equal slots of two templates one number", () => {
    expect(numberOf({ ...slot })).toBe(numberOf(slot));
    const constant: Piece = { kind: "constant", value: "a", position: at };
    expect(numberOf({ ...constant })).toBe(numberOf(constant));
  });

  it.each<[string, Piece]>([
    ["another line", { kind: "slot", position: { ...at, line: 2 } }],
    ["another column", { kind: "slot", position: { ...at, column: 2 } }],
    ["another source", { kind: "slot", position: { ...at, source: "partials/b" } }],
    ["a constant", { kind: "constant", value: undefined, position: at }],
    ["null", { kind: "constant", value: null, position: at }],
    ["a number", { kind: "constant", value: 1, position: at }],
    ["its text", { kind: "constant", value: "1", position: at }],
    ["true", { kind: "constant", value: true, position: at }],
    ["an object", { kind: "constant", value: { a: 1 }, position: at }],
    ["another object", { kind: "constant", value: { a: 2 }, position: at }],
    ["a long text", { kind: "constant", value: "a".repeat(1000), position: at }],
  ])("keeps %s apart from a slot and from the others", (_, piece) => {
    const number = numberOf(piece);
    expect(seen).not.toContain(number);
    seen.push(number);
  });
  const seen = [numberOf(slot)];

  it("marks placeholders with a character that no text of the template contains", () => {
    expect(placeholdersOf([slot], "t").mark).toBe("\u00a4");
    const texts = ["a: \u00a40000\u00a4", "b: \u00a5"].map((text): Piece => ({ kind: "text", text, position: at }));
    expect(placeholdersOf([...texts, slot], "t").mark).toBe("\u00a6");
  });

  it("begins again before its numbers are too many to write", () => {
    const many = (from: number): readonly Piece[] =>
      Array.from({ length: 6_000 }, (_, line) => ({ kind: "slot", position: { ...at, line: from + line } }));
    // Other tests of the process may have taken some numbers.
    const [first, ...others] = [10_000, 20_000, 30_000].map((from) => placeholdersOf(many(from), "t"));
    const begun = others.find(({ numbers }) => numbers !== first?.numbers);
    expect([...(begun?.ofSlot.values() ?? [])][0]).toMatch(/^.0000.$/);
  });
});
