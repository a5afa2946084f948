import { expect, it } from "vitest";
import { arithmeticHelpers } from "./arithmetic.ts";

it.each<[keyof typeof arithmeticHelpers, readonly unknown[], number]>([
  ["add", [1, "2", -3], 0],
  ["add", [5], 5],
  ["sub", ["1", 3], -2],
  ["add1", ["-1"], 0],
  ["mul", [2, "3", -4], -24],
  ["mul", [5], 5],
  ["div", [7, 2], 3],
  ["div", [-7, "2"], -3],
  // No negative zero: it has another text.
  ["div", [-1, 2], 0],
  ["mod", [7, -3], 1],
  ["mod", [-7, 3], -1],
  ["mod", [-6, 3], 0],
  ["max", [1, "10", 9], 10],
  ["max", [-2, -1], -1],
  ["min", [1, "-10", 9], -10],
  ["min", [2, 10], 2],
])("%s %j is %d", (name, args, result) => {
  expect(arithmeticHelpers[name].run(args, {})).toBe(result);
});

it.each<["div" | "mod", unknown]>([
  ["div", 0],
  ["div", "0"],
  ["mod", 0],
  ["mod", "-0"],
])("%s by %j is an error", (name, divisor) => {
  expect(() => arithmeticHelpers[name].run([1, divisor], {})).toThrow("an integer is divided by 0");
});

it.each(Object.keys(arithmeticHelpers) as (keyof typeof arithmeticHelpers)[])("%s takes integers alone", (name) => {
  for (const wrong of ["x", 1.5, null])
    expect(() => arithmeticHelpers[name].run([wrong, 1], {})).toThrow("an integer is expected");
  if (name !== "add1") expect(() => arithmeticHelpers[name].run([1, "x"], {})).toThrow("an integer is expected");
});
