import { expect, it } from "vitest";
import { listHelpers } from "./lists.ts";

it.each<[keyof typeof listHelpers, readonly unknown[], unknown]>([
  ["list", [], []],
  ["list", ["a", 1, null], ["a", 1, null]],
  ["append", [["a"], ["b"]], ["a", ["b"]]],
  ["append", [null, "b"], ["b"]],
  ["prepend", [["a", "c"], "b"], ["b", "a", "c"]],
  ["concat", [["a"], null, [["b"]]], ["a", ["b"]]],
  ["first", [[]], undefined],
  ["first", [["a", "b"]], "a"],
  ["last", [[]], undefined],
  ["last", [["a", "b"]], "b"],
  ["len", [[]], 0],
  ["len", [["a", null]], 2],
  ["len", [{ a: 1, b: 2 }], 2],
  ["len", [{}], 0],
  ["len", [""], 0],
  ["len", ["äb"], 2],
  ["len", [null], 0],
  ["len", [undefined], 0],
  ["index", [["a", "b"], 0], "a"],
  ["index", [["a", "b"], "1"], "b"],
  ["index", [["a", "b"], 2], undefined],
  ["index", [["a", "b"], -1], undefined],
  ["index", [["a", "b"], true], undefined],
  ["index", [["a", "b"], null], undefined],
  ["index", [{ a: { b: ["x"] } }, "a", "b", 0], "x"],
  ["index", [{ 1: "x" }, 1], "x"],
  ["index", [{ a: 1 }, "a", "b"], undefined],
  ["index", [null, "a"], undefined],
  ["index", ["abc", 0], undefined],
  ["index", [{ a: 1 }], { a: 1 }],
  ["has", ["a", []], false],
  ["has", [{ a: [1] }, [{ a: [1] }]], true],
  ["has", [{ a: [1] }, [{ a: [2] }]], false],
  ["has", ["1", [1]], false],
  ["uniq", [["b", "a", "b", 1, "1", null, null]], ["b", "a", 1, "1", null]],
  ["uniq", [[{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 2 }]], [{ a: 1, b: 2 }, { a: 2 }]],
  ["uniq", [[[1], [1], [2]]], [[1], [2]]],
  ["without", [["a", "b", "a"], "a"], ["b"]],
  ["without", [["a", { x: 1 }], { x: 1 }, "y"], ["a"]],
  ["without", [["a"]], ["a"]],
  ["compact", [["a", "", 0, false, null, [], {}, "0", [0]]], ["a", "0", [0]]],
  ["pluck", ["a", [{ a: 1 }, { b: 2 }, { a: null }, { a: 0 }]], [1, null, 0]],
  ["rest", [["a", "b", "c"]], ["b", "c"]],
  ["rest", [[]], []],
  ["initial", [["a", "b", "c"]], ["a", "b"]],
  ["initial", [[]], []],
  ["slice", [["a", "b", "c"], 1], ["b", "c"]],
  ["slice", [["a", "b", "c"], 0, 1], ["a"]],
  ["slice", [["a", "b", "c"], 1, 1], []],
  ["slice", [["a", "b", "c"], undefined, 2], ["a", "b"]],
  ["slice", [["a", "b", "c"], null], ["a", "b", "c"]],
  // Go has no index from the end.
  ["slice", [["a", "b", "c"], -2], ["a", "b", "c"]],
  ["slice", [["a", "b", "c"], 0, -1], []],
  ["slice", [["a", "b", "c"], "1", "2"], ["b"]],
  ["reverse", [["a", "b", "c"]], ["c", "b", "a"]],
  ["sortAlpha", [["b", 10, "a", 9, "B"]], ["10", "9", "B", "a", "b"]],
])("%s %j is %j, and changes nothing", (name, args, result) => {
  const before = JSON.stringify(args);
  expect(listHelpers[name].run(args, {})).toEqual(result);
  expect(JSON.stringify(args)).toBe(before);
});

it.each<[keyof typeof listHelpers, readonly unknown[]]>([
  ["append", ["a", "b"]],
  ["concat", [["a"], "b"]],
  ["first", ["ab"]],
  ["has", ["a", "abc"]],
  ["reverse", [{}]],
  ["uniq", ["aa"]],
  ["pluck", ["a", { a: 1 }]],
])("%s %j is an error: a list is expected", (name, args) => {
  expect(() => listHelpers[name].run(args, {})).toThrow("a list is expected");
});

it.each([["x"], [1.5], [[]]])("slice does not take %j for an index", (index) => {
  expect(() => listHelpers.slice.run([["a"], index], {})).toThrow("an integer is expected");
  expect(() => listHelpers.slice.run([["a"], 0, index], {})).toThrow("an integer is expected");
});
