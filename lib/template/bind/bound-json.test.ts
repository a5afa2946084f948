import { describe, expect, it } from "vitest";
import { boundJson } from "./bound-json.ts";
import { startBudget } from "./render-budget.ts";

describe("boundJson()", () => {
  it.each<[unknown, unknown]>([
    ["", ""],
    [0, 0],
    [false, false],
    [null, undefined],
    [undefined, undefined],
    [[], []],
    [{}, {}],
    [
      [1, null, "a", undefined, 2],
      [1, "a", 2],
    ],
    [[null], []],
    [
      { a: 1, b: null, c: undefined, d: 2 },
      { a: 1, d: 2 },
    ],
    [
      { a: 1, $patch: "delete", "$setElementOrder/x": [], $retainKeys: [], b: 2 },
      { a: 1, b: 2 },
    ],
    [
      { a: [{ b: null, c: [null, { $patch: "x", d: 1 }] }], e: 1 },
      { a: [{ c: [{ d: 1 }] }], e: 1 },
    ],
    [{ $a: 1 }, { $a: 1 }],
  ])("of %j is %j", (value, expected) => {
    const before = JSON.stringify(value);
    expect(boundJson(value)).toEqual(expected);
    expect(JSON.stringify(boundJson(value))).toBe(JSON.stringify(expected));
    expect(JSON.stringify(value)).toBe(before);
  });

  it("is the value itself where nothing is left out, and shares what it keeps", () => {
    const value = { a: [1, { b: "x" }], c: {} };
    expect(boundJson(value)).toBe(value);
    const less = { ...value, d: null };
    expect(boundJson(less)).toEqual(value);
    expect((boundJson(less) as typeof value).a).toBe(value.a);
  });

  it("keeps a key of the name __proto__ as an entry", () => {
    const bound = boundJson(JSON.parse('{"a": null, "__proto__": {"x": 1}}')) as object;
    expect(Object.keys(bound)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(bound)).toBe(Object.prototype);
  });

  it.each<[unknown, string]>([
    [Number.NaN, "the value is not a finite number"],
    [Number.POSITIVE_INFINITY, "the value is not a finite number"],
    [() => 1, "the value is a function"],
    [Symbol("a"), "the value is a symbol"],
    [5n, "the value is a bigint"],
    [{ a: [Number.NaN] }, "the value is not a finite number"],
  ])("refuses what JSON does not have: %#", (value, reason) => {
    expect(() => boundJson(value)).toThrow(reason);
  });

  it.each([(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })])(
    "takes what is nested 256 levels deep, and no more: %#",
    (wrap) => {
      const nested = (levels: number): unknown => (levels === 0 ? 1 : wrap(nested(levels - 1)));
      expect(boundJson(nested(257))).toBeDefined();
      expect(() => boundJson(nested(258))).toThrow("the value is nested more than 256 levels deep");
    },
  );

  it.each([[Array(1000).fill(1)], [Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, 1]))]])(
    "counts the items and entries that it looks at: %#",
    (value) => {
      startBudget("t", {});
      for (let time = 0; time < 201; time++) boundJson(value);
      expect(() => boundJson(value)).toThrow("it takes more than");
    },
  );
});
