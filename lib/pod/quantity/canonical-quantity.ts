// The canonical text of a quantity: what an API server returns for it.

import { OutriggerError } from "@outrigger/base";
import {
  type Amount,
  BINARY_SUFFIXES,
  DECIMAL_SUFFIXES,
  isQuick,
  type Parts,
  readParts,
  SMALLEST_EXPONENT,
  toAmount,
} from "./read-quantity.ts";

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
    throw new OutriggerError(
      "pod-invalid",
      "Cannot read a quantity: write a number and a suffix, like 100m, 1.5 or 2Gi",
    );
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
