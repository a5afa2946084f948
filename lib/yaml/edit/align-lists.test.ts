import { describe, expect, it } from "vitest";
import { alignLists } from "./align-lists.ts";

const positions = (before: readonly string[], after: readonly string[]) =>
  alignLists(before, after).map((item) => item.before);

describe("alignLists()", () => {
  it.each<[string, string, readonly (number | undefined)[]]>([
    ["x a y b z", "a w b v", [1, undefined, 3, undefined]],
    ["a b c", "a c", [0, 2]],
    ["a c", "a b c", [0, undefined, 1]],
    ["a b", "b a", [1, undefined]],
    ["a b", "c d", [undefined, undefined]],
    ["", "a", [undefined]],
    ["a a", "a a a", [0, 1, undefined]],
  ])("keeps the longest common sequence of %j and %j", (before, after, expected) => {
    const items = (text: string) => text.split(" ").filter((word) => word !== "");
    expect(positions(items(before), items(after))).toEqual(expected);
  });
});
