// Reads Kubernetes quantities ("100m", "1.5Gi", "12e6") by the rules of apimachinery's resource.ParseQuantity: at most nine
// decimal places, rounded away from zero; binary quantities at most 2^63 - 1. Texts of more than 1000 characters are refused.

import { OutriggerError } from "@outrigger/base";

type Format = "decimal" | "exponent" | "binary";

interface Suffix {
  readonly format: Format;
  /** The power of ten, or of two for the binary format. */
  readonly exponent: number;
}

/** The parts of a text. Digits before the point have no leading zeros. */
interface Parts {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: Suffix;
}

/** The number magnitude × 10^exponent, and the format to write it in. */
interface Amount {
  readonly magnitude: bigint;
  readonly exponent: number;
  readonly format: Format;
}

const TEXT = /^([-+]?)([0-9]*)(\.[0-9]*)?((?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/;
const EXPONENT = /^[eE][-+]?[0-9]+$/;
/** The suffixes of powers of ten, three decimal places each, from the ninth decimal place up. */
const DECIMAL_SUFFIXES = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
/** The suffixes of powers of two, ten powers each, from 1 up. */
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const SMALLEST_EXPONENT = -9;
const FAST_DIGITS = 18;
const FAST_BINARY_DIGITS = 15;
export const MAX_INT64 = 2n ** 63n - 1n;
const MAX_LENGTH = 1000;

/**
 * True if the text is a quantity, as `resource.ParseQuantity` reads it.
 *
 * @example
 * ```ts
 * isQuantity("1.5Gi") // => true
 * isQuantity("1.5GB") // => false
 * ```
 */
export function isQuantity(text: string): boolean {
  return readParts(text) !== undefined;
}

export function readParts(text: string): Parts | undefined {
  if (text === "" || text.length > MAX_LENGTH) return undefined;
  const match = TEXT.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", point = "", suffixText = ""] = match;
  const suffix = readSuffix(suffixText);
  if (suffix === undefined) return undefined;
  const parts = { negative: sign === "-", whole: whole.replace(/^0+/, "") || "0", fraction: point.slice(1), suffix };
  // No digit at all is zero to the reference's quick path and an error to its exact one.
  return whole === "" && parts.fraction === "" && !isQuick(parts) ? undefined : parts;
}

function readSuffix(text: string): Suffix | undefined {
  const decimal = DECIMAL_SUFFIXES.indexOf(text);
  if (decimal !== -1) return { format: "decimal", exponent: decimal * 3 + SMALLEST_EXPONENT };
  const binary = BINARY_SUFFIXES.indexOf(text);
  if (binary !== -1) return { format: "binary", exponent: binary * 10 };
  if (!EXPONENT.test(text)) return undefined;
  const exponent = BigInt(text.slice(text[1] === "+" ? 2 : 1));
  if (BigInt.asIntN(64, exponent) !== exponent) return undefined;
  return { format: "exponent", exponent: Number(BigInt.asIntN(32, exponent)) };
}

/** Whether the reference reads the text with 64-bit integers: only there does it keep a text as written. */
function isQuick({ whole, fraction, suffix }: Parts): boolean {
  if (suffix.format === "binary") {
    return fraction === "" && FAST_BINARY_DIGITS - whole.length - (suffix.exponent * 3) / 10 - 1 >= 0;
  }
  return whole.length + fraction.length <= FAST_DIGITS && suffix.exponent - fraction.length >= SMALLEST_EXPONENT;
}

/** The amount without its sign. */
export function toAmount({ whole, fraction, suffix }: Parts): Amount {
  const digits = BigInt(whole + fraction);
  if (suffix.format !== "binary") {
    return roundedUp({ magnitude: digits, exponent: suffix.exponent - fraction.length, format: suffix.format });
  }
  const magnitude = digits * 2n ** BigInt(suffix.exponent);
  return asWritable(roundedUp({ magnitude, exponent: -fraction.length, format: "binary" }));
}

/** Rounds away from zero to the ninth decimal place, so that a request for a resource never becomes 0. */
function roundedUp(amount: Amount): Amount {
  const excess = SMALLEST_EXPONENT - amount.exponent;
  if (excess <= 0 || amount.magnitude === 0n) return amount;
  const isAllExcess = excess > MAX_LENGTH + 20;
  const divisor = isAllExcess ? amount.magnitude + 1n : 10n ** BigInt(excess);
  return { ...amount, magnitude: (amount.magnitude + divisor - 1n) / divisor, exponent: SMALLEST_EXPONENT };
}

/**
 * Returns the amount in a format that can be written. Binary suffixes are for whole numbers from 1024 to the largest
 * 64-bit integer; other amounts are written in decimal.
 */
function asWritable(amount: Amount): Amount {
  const unit = 10n ** BigInt(-amount.exponent);
  if (amount.magnitude > MAX_INT64 * unit) return { magnitude: MAX_INT64, exponent: 0, format: "binary" };
  const isBinary = amount.magnitude % unit === 0n && amount.magnitude >= 1024n * unit;
  return isBinary
    ? { magnitude: amount.magnitude / unit, exponent: 0, format: "binary" }
    : { ...amount, format: "decimal" };
}

/**
 * The text that an API server returns for a quantity. A text that is canonical to the reference is kept, `+1` and `080`
 * included.
 *
 * @throws OutriggerError `pod-invalid` for any other text
 * @example
 * ```ts
 * canonicalQuantity("1500m") // => "1500m"
 * canonicalQuantity("2048Mi") // => "2Gi"
 * ```
 */
export function canonicalQuantity(text: string): string {
  const parts = readParts(text);
  if (parts === undefined) {
    const message = "Cannot read a quantity: write a number and a suffix, like 100m, 1.5 or 2Gi";
    throw new OutriggerError("pod-invalid", message);
  }
  if (isKept(parts)) return text;
  const canonical = formatAmount(toAmount(parts));
  return parts.negative && canonical !== "0" ? `-${canonical}` : canonical;
}

function isKept(parts: Parts): boolean {
  if (!isQuick(parts)) return false;
  const digits = parts.whole + parts.fraction;
  if (parts.suffix.format === "binary") return BigInt(digits) % 8n !== 0n;
  const scale = parts.suffix.exponent - parts.fraction.length;
  return scale % 3 === 0 && !digits.endsWith("000") && digits[0] !== "0";
}

function formatAmount({ magnitude, exponent, format }: Amount): string {
  if (magnitude === 0n) return "0";
  if (format === "binary") {
    const power = countFactors(magnitude, 1024n);
    return `${magnitude / 1024n ** BigInt(power)}${BINARY_SUFFIXES[power]}`;
  }
  const zeros = countFactors(magnitude, 10n);
  const surplus = (((exponent + zeros) % 3) + 3) % 3;
  const power = exponent + zeros - surplus;
  const digits = (magnitude / 10n ** BigInt(zeros)) * 10n ** BigInt(surplus);
  if (format === "exponent") return power === 0 ? String(digits) : `${digits}e${power}`;
  // The reference has no suffix above E: the API server returns such a number without suffix.
  return `${digits}${DECIMAL_SUFFIXES[(power - SMALLEST_EXPONENT) / 3] ?? ""}`;
}

function countFactors(value: bigint, factor: bigint): number {
  let count = 0;
  for (let rest = value; rest % factor === 0n; rest /= factor) count += 1;
  return count;
}
