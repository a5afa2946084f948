import { expect, it } from "vitest";
import { mapHelpers } from "./maps.ts";

it.each<[keyof typeof mapHelpers, readonly unknown[], unknown]>([
  ["dict", [], {}],
  ["dict", ["a", [1], "b", null], { a: [1], b: null }],
  ["dict", ["a", 1, "b"], { a: 1, b: "" }],
  ["dict", ["a", 1, "a", 2], { a: 2 }],
  ["dict", [1, "x"], { 1: "x" }],
  ["strdict", ["a", 1, "b", [true], "c", null, "d"], { a: "1", b: "[true]", c: "", d: "" }],
  ["keys", [null], []],
  ["keys", [{ b: 1, a: 2 }], ["a", "b"]],
  ["get", [{ a: 1 }, "a"], 1],
  ["get", [{ 5: 1 }, 5], 1],
  ["get", [{}, "toString"], undefined],
  ["get", [null, "a"], undefined],
  ["hasKey", [{ a: null }, "a"], true],
  ["hasKey", [{ a: 1 }, "b"], false],
  ["hasKey", [{}, "toString"], false],
  ["hasKey", [null, "a"], false],
  ["isset", [{ a: null }, "a"], true],
  ["isset", [{ a: 1 }, "b"], false],
  ["isset", [["x"], "0"], false],
  ["merge", [], {}],
  ["merge", [{ a: 1 }, { a: 2, b: 2 }, { b: 3, c: 3 }], { a: 1, b: 2, c: 3 }],
  ["merge", [{ a: { x: 1 } }, { a: { x: 2, y: 2 } }], { a: { x: 1, y: 2 } }],
  ["merge", [{ a: null }, { a: 2 }], { a: 2 }],
  ["merge", [{ a: "" }, { a: 2 }], { a: "" }],
  ["merge", [{ a: [1] }, { a: [2] }], { a: [1] }],
  ["merge", [{ a: { x: 1 } }, { a: 2 }], { a: { x: 1 } }],
  ["merge", [{ a: 1 }, { a: { x: 2 } }], { a: 1 }],
  ["merge", [null, { a: 1 }], { a: 1 }],
  ["mergeOverwrite", [{ a: 1 }, { a: 2, b: 2 }, { b: 3 }], { a: 2, b: 3 }],
  ["mergeOverwrite", [{ a: { x: 1, y: 1 } }, { a: { x: 2 } }], { a: { x: 2, y: 1 } }],
  ["mergeMaps", [{ a: { x: 1 } }, null, { a: { y: 2 }, b: 1 }], { a: { y: 2 }, b: 1 }],
  ["deepCopy", [{ a: [1] }], { a: [1] }],
  ["dig", ["a", "none", { a: 1 }], 1],
  ["dig", ["a", "b", "none", { a: { b: null } }], null],
  ["dig", ["a", "b", "none", { a: {} }], "none"],
  ["dig", ["a", "b", "none", {}], "none"],
  ["dig", ["a", "b", "none", { a: null }], "none"],
  ["dig", ["toString", "none", {}], "none"],
  ["dig", [1, "none", { 1: "x" }], "x"],
  ["dig", ["a", "none", null], "none"],
  ["omit", [{ a: 1, b: 2, 3: 3 }, "a", 3, "x"], { b: 2 }],
  ["omit", [{ a: 1 }], { a: 1 }],
  ["pick", [{ a: 1, b: 2, 3: 3 }, "a", 3, "x"], { a: 1, 3: 3 }],
  ["pick", [null, "a"], {}],
  ["sorted", [[2, 1]], [2, 1]],
  ["sorted", [null], {}],
  ["omitNil", [null], undefined],
  ["omitNil", [undefined], undefined],
  ["omitNil", [0], 0],
  ["omitNil", [""], ""],
  ["omitNil", [{}], {}],
  ["omitNil", [{ a: { b: null }, c: [null], d: [null, 1], e: [] }], { d: [1], e: [] }],
  ["omitNil", [[null, { a: null, b: 1 }]], [{ b: 1 }]],
])("%s %j is %j, and changes nothing", (name, args, result) => {
  const before = JSON.stringify(args);
  expect(mapHelpers[name].run(args, {})).toEqual(result);
  expect(JSON.stringify(args)).toBe(before);
});

it("omitNil and deepCopy give a value without nulls as it is", () => {
  const value = { a: [{ b: 1 }] };
  expect(mapHelpers.omitNil.run([value], {})).toBe(value);
  expect(mapHelpers.deepCopy.run([value], {})).toBe(value);
});

it("sorted gives the entries in the order of their keys", () => {
  expect(Object.entries(mapHelpers.sorted.run([{ b: 1, a: { d: 1, c: 2 } }], {}) as object)).toEqual([
    ["a", { d: 1, c: 2 }],
    ["b", 1],
  ]);
});

it.each<[keyof typeof mapHelpers, readonly unknown[]]>([
  ["keys", ["a"]],
  ["get", [[], "a"]],
  ["hasKey", ["a", "a"]],
  ["merge", [{}, "a"]],
  ["mergeOverwrite", ["a"]],
  ["mergeMaps", [[]]],
  ["dig", ["a", "b", "none", { a: "text" }]],
  ["dig", ["a", "none", "text"]],
  ["omit", ["a", "a"]],
  ["pick", [5, "a"]],
  ["sorted", ["a"]],
])("%s %j is an error: a map is expected", (name, args) => {
  expect(() => mapHelpers[name].run(args, {})).toThrow("a map is expected");
});
