import { describe, expect, it } from "vitest";
import { jsonEqual, valueAt } from "./json.ts";

describe("jsonEqual()", () => {
  it("reads own entries only when a key is called like an object's method", () => {
    expect(jsonEqual({}, { toString: 1 })).toBe(false);
    expect(jsonEqual({ toString: 1 }, {})).toBe(false);
    expect(jsonEqual({ constructor: 1 }, { constructor: 1 })).toBe(true);
    expect(jsonEqual(JSON.parse('{"__proto__":{}}'), {})).toBe(false);
  });

  it("takes undefined for absent and ignores the order of keys when it compares objects", () => {
    expect(jsonEqual({ a: undefined, b: 1, c: 2 }, { c: 2, b: 1 })).toBe(true);
    expect(jsonEqual({ b: 1 }, { a: undefined, b: 1 })).toBe(true);
    expect(jsonEqual({ a: null }, {})).toBe(false);
  });

  it("counts order and length when it compares lists", () => {
    expect(jsonEqual([1, [2]], [1, [2]])).toBe(true);
    expect(jsonEqual([1, 2], [2, 1])).toBe(false);
    expect(jsonEqual([1], [1, 2])).toBe(false);
    expect(jsonEqual([], {})).toBe(false);
  });
});

describe("valueAt()", () => {
  it.each([
    [{ a: [{ b: 1 }] }, ["a", 0, "b"], 1],
    [{ a: [{ b: 1 }] }, ["a", "0", "b"], 1],
    [{ a: 1 }, [], { a: 1 }],
    [{ a: null }, ["a", "b"], undefined],
    [{ a: [1] }, ["a", "length"], undefined],
    [{}, ["toString"], undefined],
    [undefined, ["a"], undefined],
  ] as const)("of %j at %j", (root, path, value) => {
    expect(valueAt(root, path)).toEqual(value);
  });
});
