import { describe, expect, it } from "vitest";
import { formatFieldPath, parseFieldPath } from "./field-path.ts";

describe("parseFieldPath()", () => {
  it.each<[string, readonly (string | number)[]]>([
    ["", []],
    ["spec.containers[0].name", ["spec", "containers", 0, "name"]],
    ['metadata.annotations["a.b/c \\"d\\" \\\\"].x-y', ["metadata", "annotations", 'a.b/c "d" \\', "x-y"]],
    ['["__proto__ "][1][2]', ["__proto__ ", 1, 2]],
  ])("reads back what formatFieldPath() writes: %s", (text, steps) => {
    expect(parseFieldPath(text)).toEqual(steps);
    expect(formatFieldPath(steps)).toBe(text);
  });

  it("reads the same path again and again", () => {
    expect([parseFieldPath("a[1]"), parseFieldPath("a[1]")]).toEqual([
      ["a", 1],
      ["a", 1],
    ]);
  });
});

describe("formatFieldPath()", () => {
  it("shortens a long key in brackets, and no name", () => {
    const key = `a/${"x".repeat(200)}`;
    expect(formatFieldPath([key])).toBe(`["${key.slice(0, 100)}"]`);
    const name = "x".repeat(200);
    expect(formatFieldPath([name])).toBe(name);
  });
});
