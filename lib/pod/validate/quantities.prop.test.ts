import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/arbitrary-pod.ts";
import { parseQuantity } from "../quantity.ts";
import {
  compareQuantities,
  isMultipleOf,
  isNegativeQuantity,
  isWholeQuantity,
  quantityThousandths,
} from "./quantities.ts";

const digits = fc.stringMatching(/^[0-9]{1,16}$/);
const suffix = fc.constantFrom(
  "",
  "n",
  "u",
  "m",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "Ei",
  "e3",
  "E-2",
);
const quantity = fc
  .tuple(fc.constantFrom("", "-", "+"), digits, fc.option(digits), suffix)
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${unit}`);

describe("quantities", () => {
  it("are ordered as exact numbers are, whichever way is the quick one", () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        const [left, right] = [quantityThousandths(a), quantityThousandths(b)];
        expect(Math.sign(compareQuantities(a, b))).toBe(left < right ? -1 : left > right ? 1 : 0);
        expect(Math.sign(compareQuantities(b, a)) + 0).toBe(-Math.sign(compareQuantities(a, b)) + 0);
      }),
      { numRuns: RUNS },
    );
  });

  it("equal what an API server writes for them", () => {
    fc.assert(
      fc.property(quantity, (text) => {
        expect(compareQuantities(text, parseQuantity(text).canonical)).toBe(0);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ["1", "1000m", 0],
    ["1Gi", "1G", 1],
    ["999m", "1", -1],
    ["0.1", "100.0001m", -1],
    ["1n", "0.1m", 0],
    ["1m", "1.1m", -1],
    ["9007199254740993", "9007199254740992", 1],
  ])("%s against %s is %d", (a, b, order) => {
    expect(Math.sign(compareQuantities(a, b))).toBe(order);
  });

  it("know signs, whole numbers and multiples", () => {
    expect([isNegativeQuantity("-1"), isNegativeQuantity("-0"), isNegativeQuantity("1")]).toEqual([true, false, false]);
    expect([isWholeQuantity("1000m"), isWholeQuantity("1500m"), isWholeQuantity("2")]).toEqual([true, false, true]);
    expect([isMultipleOf("4Mi", "2Mi"), isMultipleOf("3Mi", "2Mi"), isMultipleOf("4Mi", "foo")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
