import { describe, expect, it } from "vitest";
import { unclosedQuote } from "./unclosed-quote.ts";

const REASON = "the quote that opens here is not closed";
const found = (text: string, reason = REASON) => unclosedQuote(text, text.length, reason);

describe("unclosedQuote()", () => {
  it.each([
    ['a: "x\nb: 1\n', 3],
    ["a: 'x\nb: 1\n", 3],
    ['- "x\n- y\n', 2],
    ['"a: 1\nb: 1\n', 0],
    ['a: {b: "x}\nc: 1\n', 7],
    // What is escaped closes nothing.
    ['a: "x\\" y\nb: 1\n', 3],
    ["a: 'it''s\nb: 1\n", 3],
    ['a: "x\\\\\\"\nb: 1\n', 3],
    // The other quote closes nothing either.
    ["a: \"it's\nb: 1\n", 3],
    ["a: 'x\"\nb: 1\n", 3],
  ])("finds the quote of %j", (text, at) => {
    expect(found(text)).toBe(at);
  });

  it.each(['a: "x\\\\"\n', "a: 'it''s'\n", `a: "''"\n`, "a: it's\n", "a: 1\n", ""])("finds none in %j", (text) => {
    expect(found(text)).toBeUndefined();
  });

  it("looks upwards from where the parser gave up, at the last such line first", () => {
    const text = 'a: "x\nb: "y\nc: "z\n';
    expect([5, 11, 18].map((position) => unclosedQuote(text, position, REASON))).toEqual([3, 9, 15]);
    expect(unclosedQuote(text, 1000, REASON)).toBe(15);
    expect(unclosedQuote(text, 0, REASON)).toBeUndefined();
  });

  it("finds none where the reason is another one", () => {
    expect(found('a: "x\nb: 1\n', "a tab is used as indentation: use spaces")).toBeUndefined();
  });
});
