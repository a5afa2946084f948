// Helpers on integers, as Sprig has them: a decimal text is a number, a division goes towards zero.

import { asInteger, fault } from "./argument.ts";
import type { HelperTable } from "./helper-table.ts";

export const arithmeticHelpers: HelperTable = {
  /** One more: `(add1 @index)`. */
  add1: ([value]) => asInteger(value) + 1,
  /** A product of integers: `(mul 2 values.replicas)`. */
  mul: (args) => args.map(asInteger).reduce((product, factor) => product * factor, 1),
  /** A quotient of integers, without its remainder: `(div 7 2)` is 3. */
  div: ([a, b]) => Math.trunc(asInteger(a) / divisor(b)) + 0,
  /** What remains of a division, with the sign of the first: `(mod 7 3)` is 1. */
  mod: ([a, b]) => (asInteger(a) % divisor(b)) + 0,
  /** The greatest integer: `(max 1 values.replicas)`. */
  max: (args) => Math.max(...args.map(asInteger)),
  /** The least integer: `(min 3 values.replicas)`. */
  min: (args) => Math.min(...args.map(asInteger)),
};

function divisor(value: unknown): number {
  const number = asInteger(value);
  if (number === 0) throw fault("an integer is divided by 0");
  return number;
}
