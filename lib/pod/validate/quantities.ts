// Quantities as numbers: sign, order, whole or not. Which texts are quantities is quantity.ts' business.

import type { Quantity } from "../generated/pod-types.ts";

const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const MAX_EXPONENT = 60;
const NANO = 9;
/** Numbers that are further apart than this part of them, and than two thousandths, need no exact comparison. */
const PRECISION = 1e-9;
const ROUNDING = 0.002;
const MAX_LENGTH = 1000;
const MAX_BINARY = 2 ** 63;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_BINARY_NANOS = MAX_INT64 * 10n ** 9n;

/** A quantity taken apart: digits × 10^exponent × 2^power. Digits carry the sign. */
interface Parts {
  readonly digits: string;
  readonly exponent: number;
  readonly power: number;
}

export function quantityText(quantity: Quantity | null | undefined): string {
  if (quantity === undefined || quantity === null) return "0";
  return typeof quantity === "number" ? String(quantity) : String(quantity).trim();
}

/**
 * Below, at or above 0 as a is less than, equal to or more than b, NaN when one is no quantity. Both are rounded away
 * from zero to thousandths first, as core/v1's SetDefaults_ResourceList does with all amounts of resources.
 */
export function compareQuantities(a: string, b: string): number {
  if (a === b) return 0;
  const difference = toThousandths(a) - toThousandths(b);
  if (!Number.isNaN(difference)) return difference;
  const left = readParts(a);
  const right = readParts(b);
  if (left === undefined || right === undefined) return Number.NaN;
  const [x, y] = [approximate(left), approximate(right)];
  const distance = Math.abs(x - y);
  if (distance > Math.max(Math.abs(x), Math.abs(y)) * PRECISION && distance > ROUNDING) return x - y;
  const [exactLeft, exactRight] = [exactThousandths(left), exactThousandths(right)];
  return exactLeft < exactRight ? -1 : exactLeft > exactRight ? 1 : 0;
}

export function isNegativeQuantity(text: string): boolean {
  if (!text.startsWith("-")) return false;
  const parts = readParts(text);
  return parts !== undefined && toNanos(parts) < 0n;
}

/**
 * What nearly all quantities are: digits, and a suffix or none. NaN for others, and for what a number cannot hold
 * exactly.
 */
function toThousandths(text: string): number {
  let value = 0;
  let at = 0;
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  if (at === 0 || at > MAX_EXACT_DIGITS) return Number.NaN;
  const thousandths = value * suffixThousandths(text, at);
  return thousandths <= Number.MAX_SAFE_INTEGER ? thousandths : Number.NaN;
}

const MAX_EXACT_DIGITS = 12;

function suffixThousandths(text: string, at: number): number {
  const isBinary = text.length === at + 2 && text.charCodeAt(at + 1) === 105;
  if (!isBinary && text.length > at + 1) return Number.NaN;
  switch (text.charAt(at)) {
    case "":
      return 1000;
    case "m":
      return isBinary ? Number.NaN : 1;
    case "k":
      return isBinary ? Number.NaN : 1e6;
    case "K":
      return isBinary ? 1024e3 : Number.NaN;
    case "M":
      return isBinary ? 1_048_576e3 : 1e9;
    case "G":
      return isBinary ? 1_073_741_824e3 : 1e12;
    default:
      return Number.NaN;
  }
}

/** `Quantity.MilliValue() % 1000 == 0`. What 64 bits cannot hold wraps around or not in the reference: not judged. */
export function isWholeQuantity(text: string): boolean {
  const parts = readParts(text);
  if (parts === undefined) return true;
  const thousandths = exactThousandths(parts);
  return thousandths > MAX_INT64 || thousandths % 1000n === 0n;
}

/**
 * Whether `Quantity.Value()` is a multiple of the size, as of huge pages. A size that is no quantity divides nothing;
 * amounts that 64 bits cannot hold are not judged.
 */
export function isMultipleOf(text: string, size: string): boolean {
  const [parts, unit] = [readParts(text), readParts(size)];
  if (unit === undefined || !isWholeQuantity(size)) return false;
  const pageSize = ceilDivide(exactThousandths(unit), 1000n);
  if (pageSize <= 0n) return false;
  const amount = parts === undefined ? 0n : ceilDivide(exactThousandths(parts), 1000n);
  return amount > MAX_INT64 || amount % pageSize === 0n;
}

/** The amount in thousandths, rounded away from zero. */
export function quantityThousandths(text: string): bigint {
  const parts = readParts(text);
  return parts === undefined ? 0n : exactThousandths(parts);
}

function exactThousandths(parts: Parts): bigint {
  const nanos = toNanos(parts);
  return nanos < 0n ? -ceilDivide(-nanos, 1_000_000n) : ceilDivide(nanos, 1_000_000n);
}

function readParts(text: string): Parts | undefined {
  const match = QUANTITY.exec(text);
  if (match === null || text.length > MAX_LENGTH) return undefined;
  const [, sign = "", whole = "", point = "", power = "", suffix = ""] = match;
  const fraction = point.slice(1);
  const digits = `${sign === "-" ? "-" : ""}${whole}${fraction}`;
  if (power !== "") return { digits, exponent: Number(power) - fraction.length, power: 0 };
  const decimal = DECIMAL[suffix];
  if (decimal !== undefined) return { digits, exponent: decimal - fraction.length, power: 0 };
  const binary = BINARY[suffix];
  return binary === undefined ? undefined : { digits, exponent: -fraction.length, power: binary };
}

const QUANTITY = /^([-+]?)([0-9]*)(\.[0-9]*)?(?:[eE]([-+]?[0-9]+)|([a-zA-Z]*))$/;

function approximate({ digits, exponent, power }: Parts): number {
  const value = Number(digits) * 10 ** exponent * 2 ** power;
  return power === 0 ? value : Math.max(-MAX_BINARY, Math.min(value, MAX_BINARY));
}

/**
 * As resource.ParseQuantity reads it: rounded away from zero to the thousand-millionth, and with a binary suffix at
 * most 2^63 - 1.
 */
function toNanos({ digits, exponent, power }: Parts): bigint {
  const isNegative = digits.startsWith("-");
  const magnitude = BigInt(digits.slice(isNegative ? 1 : 0) || "0") * 2n ** BigInt(power);
  const shift = Math.max(Math.min(exponent + NANO, MAX_EXPONENT), -MAX_LENGTH - 100);
  const nanos = shift >= 0 ? magnitude * 10n ** BigInt(shift) : ceilDivide(magnitude, 10n ** BigInt(-shift));
  const capped = power > 0 && nanos > MAX_BINARY_NANOS ? MAX_BINARY_NANOS : nanos;
  return isNegative ? -capped : capped;
}

function ceilDivide(value: bigint, divisor: bigint): bigint {
  return value >= 0n ? (value + divisor - 1n) / divisor : value / divisor;
}
