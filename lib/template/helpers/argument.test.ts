import { describe, expect, it } from "vitest";
import {
  asInteger,
  asList,
  asMap,
  assertMade,
  goText,
  isEmpty,
  isMissing,
  sortedJson,
  sortedKeys,
} from "./argument.ts";

/** Something in so many lists, or maps, in each other. */
function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  return levels === 0 ? "x" : wrap(nested(levels - 1, wrap));
}

it.each<[unknown, string]>([
  ["a", "a"],
  ["", ""],
  [null, ""],
  [undefined, ""],
  [5, "5"],
  [1.5, "1.5"],
  [false, "false"],
  [[], "[]"],
  [["a", 1, null, [true]], "[a 1  [true]]"],
  [{}, "map[]"],
  [{ b: 1, a: ["x", "y"], c: { d: null } }, "map[a:[x y] b:1 c:map[d:]]"],
])("goText() writes %j as Go prints it: %j", (value, text) => {
  expect(goText(value)).toBe(text);
});

it("goText() writes what is nested 100 levels deep, and no more", () => {
  for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
    expect(goText(nested(101, wrap))).toContain("x");
    expect(() => goText(nested(102, wrap))).toThrow("the value is nested too deeply");
  }
});

describe("a list and a map", () => {
  it("are what they are, and empty where they are missing", () => {
    const [list, map] = [[1], { a: 1 }];
    expect(asList(list)).toBe(list);
    expect(asMap(map)).toBe(map);
    for (const missing of [null, undefined]) {
      expect(asList(missing)).toEqual([]);
      expect(asMap(missing)).toEqual({});
    }
  });

  it.each(["", "a", 0, false])("are not %j", (value) => {
    expect(() => asList(value)).toThrow("a list is expected");
    expect(() => asMap(value)).toThrow("a map is expected");
  });

  it("are not each other", () => {
    expect(() => asList({})).toThrow("a list is expected");
    expect(() => asMap([])).toThrow("a map is expected");
  });
});

describe("asInteger()", () => {
  it.each<[unknown, number]>([
    [5, 5],
    [-5, -5],
    [0, 0],
    [-0, 0],
    ["5", 5],
    ["+5", 5],
    ["-5", -5],
    ["-0", 0],
    [" 7\n", 7],
    ["007", 7],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])("takes %j for %j", (value, number) => {
    expect(asInteger(value)).toBe(number);
  });

  it.each([
    1.5,
    "1.5",
    "",
    " ",
    "a",
    "1a",
    "a1",
    "1e3",
    "0x10",
    "--1",
    null,
    undefined,
    true,
    [],
    [5],
    {},
    2 ** 53,
    `${2 ** 53}`,
  ])("does not take %j", (value) => {
    expect(() => asInteger(value)).toThrow("an integer is expected");
  });
});

it.each<[unknown, boolean, boolean]>([
  [null, true, true],
  [undefined, true, true],
  ["", true, true],
  [0, true, false],
  [false, true, false],
  [[], true, false],
  [{}, true, false],
  ["0", false, false],
  [" ", false, false],
  [1, false, false],
  [true, false, false],
  [[null], false, false],
  [{ a: null }, false, false],
])("%j is empty: %s; is missing: %s", (value, empty, missing) => {
  expect(isEmpty(value)).toBe(empty);
  expect(isMissing(value)).toBe(missing);
});

it("sortedKeys() has the order of UTF-8's bytes", () => {
  const keys = ["", "B", "a", "a.", "aa", "b", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"];
  const shuffled = [...keys.slice(5), ...keys.slice(0, 5)].reverse();
  expect(sortedKeys(Object.fromEntries(shuffled.map((key) => [key, 1])))).toEqual(keys);
});

describe("sortedJson()", () => {
  it("has sorted keys at each level, and lists as they are", () => {
    expect(sortedJson({ b: [{ d: 1, c: "x" }, null, 2, 1], a: { z: true, y: false } })).toBe(
      '{"a":{"y":false,"z":true},"b":[{"c":"x","d":1},null,2,1]}',
    );
    expect(["a", 1, null].map(sortedJson)).toEqual(['"a"', "1", "null"]);
  });

  it.each([[{ a: 2 ** 53 }], [[1e21]], [-(2 ** 60)]])("refuses %j, which has no exact text", (value) => {
    expect(() => sortedJson(value)).toThrow("is not kept exactly");
  });
});

it("assertMade() takes 16 million characters, and no more", () => {
  expect(() => assertMade(16_000_000)).not.toThrow();
  expect(() => assertMade(16_000_001)).toThrow(new RangeError("it makes a text of more than 16000000 characters"));
});
