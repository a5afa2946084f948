import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/arbitrary-pod.ts";
import { compareQuantities, isMultipleOf, isNegativeQuantity, isWholeQuantity } from "./compare-quantities.ts";
import { canonicalQuantity } from "./quantity.ts";

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
  "e61",
  "e75",
  "E80",
);
const quantity = fc
  .tuple(fc.constantFrom("", "-", "+"), digits, fc.option(digits), suffix)
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${unit}`);

const DECIMAL = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const NANOS = 10n ** 9n;

/** Reads a quantity apart from the reader under test: in nanos, then thousandths, each rounded away from zero. */
function exactThousandths(text: string): bigint {
  const [, sign, whole = "", fraction = "", unit = ""] = /^([-+]?)([0-9]*)\.?([0-9]*)(.*)$/.exec(text) ?? [];
  const power = /^e[-0-9]/i.test(unit) ? Number(unit.slice(1)) : DECIMAL.indexOf(unit) * 3 - 9;
  const isBinary = BINARY.includes(unit);
  const factor = isBinary ? 1024n ** BigInt(BINARY.indexOf(unit) + 1) * NANOS : 10n ** BigInt(Math.max(power + 9, 0));
  const divisor = 10n ** BigInt(fraction.length + (isBinary ? 0 : Math.max(-power - 9, 0)));
  const nanos = ceil(BigInt(whole + fraction) * factor, divisor);
  const most = (2n ** 63n - 1n) * NANOS;
  const thousandths = ceil(isBinary && nanos > most ? most : nanos, 10n ** 6n);
  return sign === "-" ? -thousandths : thousandths;
}

const ceil = (value: bigint, divisor: bigint) => (value + divisor - 1n) / divisor;

describe("quantities", () => {
  it("are ordered as exact numbers are, rounded to thousandths", () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        const [left, right] = [exactThousandths(a), exactThousandths(b)];
        expect(Math.sign(compareQuantities(a, b))).toBe(left < right ? -1 : left > right ? 1 : 0);
        expect(Math.sign(compareQuantities(b, a)) + 0).toBe(-Math.sign(compareQuantities(a, b)) + 0);
      }),
      { numRuns: RUNS },
    );
  });

  it("equal what an API server writes for them", () => {
    fc.assert(
      fc.property(quantity, (text) => {
        expect(compareQuantities(text, canonicalQuantity(text))).toBe(0);
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
    ["1e61", "1e62", -1],
    ["-1e75", "-1e80", 1],
    ["9e2147483645", "1e2147483646", -1],
    ["1e2147483646", "10e2147483645", 0],
    // resource.ParseQuantity keeps the lowest 32 bits of an exponent.
    ["1e4294967297", "10", 0],
    ["1e2147483648", "1m", 0],
    ["100Ei", "1e61", -1],
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
