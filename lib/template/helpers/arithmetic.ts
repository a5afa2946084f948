// Helpers on integers, and on texts of integers.

import { fault } from "../finding.ts";
import { asInteger } from "./argument.ts";
import { INTEGERS } from "./common-arguments.ts";
import { defineHelpers, type HelperArgument } from "./helper.ts";

const DIVISION: readonly HelperArgument[] = [
  ["a", "integer", "an integer"],
  ["b", "as-example", "an integer other than 0"],
];

export const arithmeticHelpers = defineHelpers({
  add: {
    run: (args) => args.reduce((sum: number, value) => sum + asInteger(value), 0),
    doc: {
      text: "The sum of integers.",
      args: INTEGERS,
      result: "number",
      examples: [["(add 1 2 3)", 6]],
    },
  },
  sub: {
    run: ([a, b]) => asInteger(a) - asInteger(b),
    doc: {
      text: "The difference of two integers.",
      args: [
        ["a", "integer", "an integer"],
        ["b", "integer", "the integer to subtract"],
      ],
      result: "number",
      examples: [["(sub 3 1)", 2]],
    },
  },
  add1: {
    run: ([value]) => asInteger(value) + 1,
    doc: {
      text: "The next greater integer.",
      args: [["integer", "integer", "an integer"]],
      result: "number",
      examples: [["(add1 4)", 5]],
    },
  },
  mul: {
    run: (args) => args.map(asInteger).reduce((product, factor) => product * factor, 1),
    doc: {
      text: "The product of integers.",
      args: INTEGERS,
      result: "number",
      examples: [["(mul 2 3)", 6]],
    },
  },
  div: {
    run: ([a, b]) => Math.trunc(asInteger(a) / divisor(b)) + 0,
    doc: {
      text: "The quotient of two integers, without its remainder.",
      args: DIVISION,
      result: "number",
      examples: [["(div 7 2)", 3]],
    },
  },
  mod: {
    run: ([a, b]) => (asInteger(a) % divisor(b)) + 0,
    doc: {
      text: "The remainder of a division, with the sign of the first integer.",
      args: DIVISION,
      result: "number",
      examples: [["(mod 7 3)", 1]],
    },
  },
  max: {
    run: (args) => Math.max(...args.map(asInteger)),
    doc: {
      text: "The greatest of the integers.",
      args: INTEGERS,
      result: "number",
      examples: [["(max 1 5 3)", 5]],
    },
  },
  min: {
    run: (args) => Math.min(...args.map(asInteger)),
    doc: {
      text: "The least of the integers.",
      args: INTEGERS,
      result: "number",
      examples: [["(min 1 5 3)", 1]],
    },
  },
});

function divisor(value: unknown): number {
  const number = asInteger(value);
  if (number === 0) throw fault("an integer is divided by 0");
  return number;
}
