// Durations as Go writes them.

import { trimEnd } from "@outrigger/base";
import { fault } from "../finding.ts";

const NANOS_PER_SECOND = 1_000_000_000n;
const UNITS: readonly (readonly [string, bigint])[] = [
  ["s", NANOS_PER_SECOND],
  ["ms", 1_000_000n],
  ["µs", 1_000n],
];

/**
 * Returns what Go's `time.Duration.String` gives for a duration in its protobuf JSON form: seconds with up to nine decimals.
 *
 * @example
 * ```ts
 * formatDuration("90.5s") // => "1m30.5s"
 * ```
 */
export function formatDuration(text: string): string {
  const match = /^(-?)([0-9]{1,18})(?:\.([0-9]{1,9}))?s$/.exec(text);
  if (!match) throw fault('a duration is expected, seconds with an "s" after them');
  const [, sign = "", seconds = "0", decimals = ""] = match;
  const nanos = BigInt(seconds) * NANOS_PER_SECOND + BigInt(decimals.padEnd(9, "0"));
  if (nanos === 0n) return "0s";
  if (nanos < NANOS_PER_SECOND) {
    const [unit, size] = UNITS.find(([, least]) => nanos >= least) ?? ["ns", 1n];
    return `${sign}${decimal(nanos, size)}${unit}`;
  }
  const minutes = nanos / (60n * NANOS_PER_SECOND);
  const rest = `${decimal(nanos % (60n * NANOS_PER_SECOND), NANOS_PER_SECOND)}s`;
  if (minutes === 0n) return sign + rest;
  return `${sign}${minutes >= 60n ? `${minutes / 60n}h` : ""}${minutes % 60n}m${rest}`;
}

function decimal(amount: bigint, unit: bigint): string {
  const rest = trimEnd(String(amount % unit).padStart(String(unit).length - 1, "0"), "0");
  return `${amount / unit}${rest === "" || unit === 1n ? "" : `.${rest}`}`;
}
