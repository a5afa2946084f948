// Quantities as numbers: order, sign, whole or not. They are compared as an API server compares amounts of resources: core/v1's
// SetDefaults_ResourceList rounds them away from zero to thousandths first.

import { memoize } from "@outrigger/base";
import { MAX_INT64, readParts, toAmount } from "./quantity.ts";

const THOUSANDTH = -3;
/** The largest power of ten that is written out. A larger one is held as a number and a further power. */
const MAX_EXPONENT = 60;
/** A number of digits that no quantity has, so a power of ten that is higher by this decides. */
const MAX_DIGITS = 1100;

/** The number thousandths / 1000 × 10^exponent */
interface Rounded {
  readonly thousandths: bigint;
  readonly exponent: number;
}

/** Rounds a quantity. It is cached, because containers of one release ask for the same amounts. */
const rounded = memoize(round, { longest: 64 });

function round(text: string): Rounded | undefined {
  const parts = readParts(text);
  if (parts === undefined) return undefined;
  const { magnitude, exponent } = toAmount(parts);
  if (magnitude === 0n) return { thousandths: 0n, exponent: 0 };
  const written = Math.min(exponent, MAX_EXPONENT);
  const thousandths =
    written < THOUSANDTH
      ? ceilDivide(magnitude, 10n ** BigInt(THOUSANDTH - written))
      : magnitude * 10n ** BigInt(written - THOUSANDTH);
  return { thousandths: parts.negative ? -thousandths : thousandths, exponent: exponent - written };
}

/**
 * Returns a number below, at or above 0 as a is less than, equal to or more than b, or NaN if one is no quantity.
 *
 * @example
 * ```ts
 * compareQuantities("1Gi", "1G") // => 1
 * compareQuantities("1", "1000m") // => 0
 * ```
 */
export function compareQuantities(a: string, b: string): number {
  if (a === b) return 0;
  const [x, y] = [rounded(a), rounded(b)];
  if (x === undefined || y === undefined) return Number.NaN;
  const low = Math.min(x.exponent, y.exponent);
  const [left, right] = [raised(x, low), raised(y, low)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function raised({ thousandths, exponent }: Rounded, low: number): bigint {
  return exponent === low ? thousandths : thousandths * 10n ** BigInt(Math.min(exponent - low, MAX_DIGITS));
}

export function isNegativeQuantity(text: string): boolean {
  return text.startsWith("-") && quantityThousandths(text) < 0n;
}

/**
 * Whether `Quantity.MilliValue() % 1000 == 0`. An amount that 64 bits cannot hold wraps around or not in the reference,
 * so it is not judged.
 */
export function isWholeQuantity(text: string): boolean {
  const thousandths = quantityThousandths(text);
  return thousandths > MAX_INT64 || thousandths % 1000n === 0n;
}

/**
 * Whether `Quantity.Value()` is a multiple of the size, as of huge pages. A size that is no quantity divides nothing;
 * amounts that 64 bits cannot hold are not judged.
 */
export function isMultipleOf(text: string, size: string): boolean {
  const pageSize = ceilDivide(quantityThousandths(size), 1000n);
  if (pageSize <= 0n || !isWholeQuantity(size)) return false;
  const amount = ceilDivide(quantityThousandths(text), 1000n);
  return amount > MAX_INT64 || amount % pageSize === 0n;
}

/** The amount in thousandths; 0 for a text that is no quantity. An amount of more than 10^60 is not exact. */
export function quantityThousandths(text: string): bigint {
  return rounded(text)?.thousandths ?? 0n;
}

function ceilDivide(value: bigint, divisor: bigint): bigint {
  return value >= 0n ? (value + divisor - 1n) / divisor : value / divisor;
}

/** A quantity as it is in a pod: absent is 0, and a number is read by its digits. */
export function quantityText(quantity: string | number | null | undefined): string {
  if (quantity === undefined || quantity === null) return "0";
  // Of another type, which is reported elsewhere: the text of an object may be its own `toString`, and that no function.
  return typeof quantity === "object" ? "" : String(quantity).trim();
}
