import { expect, it } from "vitest";
import { comparisonHelpers } from "./comparisons.ts";

const call = (name: keyof typeof comparisonHelpers, ...args: readonly unknown[]) =>
  comparisonHelpers[name].run(args, {});

it.each<[readonly unknown[], boolean]>([
  [["a", "a"], true],
  [["a", "b"], false],
  [["a", "b", "a"], true],
  [["a", "b", "c"], false],
  [["a", 1, "a"], true],
  [[1, 1], true],
  [[1, "1"], false],
  [["1", 1], false],
  [[true, true], true],
  [[true, "true"], false],
  [[0, false], false],
  [[null, undefined], true],
  [[undefined, null], true],
  [[null, ""], false],
  [[undefined, "a"], false],
  [[null, 0], false],
  [[{ a: 1 }, { a: 1 }], true],
  [[{ a: 1 }, { a: 2 }], false],
  [[[1], [1]], true],
  [[[1], "1"], false],
  [[{}, null], false],
])("eq %j is %s", (args, isEqual) => {
  expect(call("eq", ...args)).toBe(isEqual);
  if (args.length === 2) expect(call("ne", ...args)).toBe(!isEqual);
});

it.each<[unknown, unknown, -1 | 0 | 1]>([
  [1, 2, -1],
  [2, 2, 0],
  [3, 2, 1],
  [1.5, 1.25, 1],
  [10, 9, 1],
  ["a", "b", -1],
  ["b", "b", 0],
  ["b", "a", 1],
  ["10", "9", -1],
  ["10", 9, 1],
  [9, "10", -1],
  ["9", 9, 0],
])("%j is to %j as %d", (a, b, order) => {
  expect([call("lt", a, b), call("le", a, b), call("gt", a, b), call("ge", a, b)]).toEqual([
    order < 0,
    order <= 0,
    order > 0,
    order >= 0,
  ]);
});

it.each<[unknown, unknown, string]>([
  [{}, 1, "only numbers and texts have an order"],
  [1, [], "only numbers and texts have an order"],
  ["a", null, "only numbers and texts have an order"],
  [null, null, "only numbers and texts have an order"],
  ["a", 1, "an integer is expected"],
  [1, undefined, "an integer is expected"],
  [true, 1, "an integer is expected"],
])("%j and %j have no order: %s", (a, b, reason) => {
  for (const name of ["lt", "le", "gt", "ge"] as const) expect(() => call(name, a, b)).toThrow(reason);
});
