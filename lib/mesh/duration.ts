// Durations: parsing Go's notation ("1m30s", "500ms") and formatting protobuf's JSON ("90s", "0.500s").

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const PART = /([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/y;
const MAX_LENGTH = 100;
const MAX_NANOSECONDS = 2n ** 63n - 1n;
export const MILLISECOND = 1_000_000n;
export const SECOND = 1_000_000_000n;

/**
 * Nanoseconds of a duration in Go's notation, by the rules of `time.ParseDuration`; undefined if the text is not valid.
 *
 * @example
 * ```ts
 * parseDuration("1.5ms") // => 1500000n
 * ```
 */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const negative = text[0] === "-";
  const magnitude = negative || text[0] === "+" ? text.slice(1) : text;
  if (magnitude === "0") return 0n;
  if (magnitude === "") return undefined;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < magnitude.length) {
    const part = PART.exec(magnitude);
    if (part === null) return undefined;
    const [, whole = "", fraction = "", unit = ""] = part;
    if (whole === "" && fraction === "") return undefined;
    const scale = UNITS[unit] ?? 0n;
    total += BigInt(whole || "0") * scale;
    if (fraction !== "") total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  if (total > MAX_NANOSECONDS) return undefined;
  return negative ? -total : total;
}

/** Returns the nanoseconds of a field that holds a duration, or 0 if it holds none. */
export function nanosecondsOf(value: unknown): bigint {
  return typeof value === "string" ? (parseDuration(value) ?? 0n) : 0n;
}

/**
 * protobuf's JSON form: seconds with zero, three, six or nine decimal places.
 *
 * @example
 * ```ts
 * formatDuration(90500000000n) // => "90.500s"
 * ```
 */
export function formatDuration(nanoseconds: bigint): string {
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = String(magnitude % SECOND).padStart(9, "0");
  const places = fraction === "000000000" ? 0 : fraction.endsWith("000000") ? 3 : fraction.endsWith("000") ? 6 : 9;
  const decimals = places === 0 ? "" : `.${fraction.slice(0, places)}`;
  return `${nanoseconds < 0n ? "-" : ""}${magnitude / SECOND}${decimals}s`;
}
