// Helpers that change the type of a value, and arithmetic. A missing value stays missing: its entry is left out.

import { trimEnd } from "@outrigger/base";
import { asInteger, asMap, fault, goText, type HelperTable, parseGoBoolean, sortedJson } from "./argument.ts";

export const conversionHelpers: HelperTable = {
  /** An integer: `initialDelaySeconds: {{int (annotation metadata "a" 1)}}`. Anything else is an error. */
  int: ([value]) => (isMissing(value) ? undefined : asInteger(value)),
  /** A text: `value: {{string values.global.proxy.statusPort}}`. */
  string: ([value]) => (value === null || value === undefined ? undefined : goText(value)),
  /** true or false, also from their text: `privileged: {{bool (annotation metadata "a" false)}}`. */
  bool: ([value]) => (isMissing(value) ? undefined : asBoolean(value)),
  /** A sum of integers: `(add @index 1)`. */
  add: (args) => args.reduce((sum: number, value) => sum + asInteger(value), 0),
  /** A difference of integers: `(sub (len list) 1)`. */
  sub: ([a, b]) => asInteger(a) - asInteger(b),
  /** JSON text with sorted keys: `(toJson spec.containers)`. */
  toJson: ([value]) => jsonText(value) ?? "null",
  /** JSON text of a map, `{}` if there is none: `(toJSON metadata.labels)`. */
  toJSON: ([value]) => jsonText(value) ?? "{}",
  /** JSON text of a value, `{}` if there is none: `(structToJSON port)`. */
  structToJSON: ([value]) => jsonText(value) ?? "{}",
  /** JSON text of maps merged, later ones win: `(toJsonMap (omit metadata.labels "a") (dict "b" "c"))`. */
  toJsonMap: (args) => jsonText(Object.fromEntries(args.flatMap((map) => Object.entries(asMap(map))))),
  /** The value of a JSON text: `{{#each (fromJson (index metadata.annotations "a"))}}`. */
  fromJson: ([text]) => fromJson(text),
  /** The value of a JSON text: `(fromJSON text)`. */
  fromJSON: ([text]) => fromJson(text),
  /** A duration of the mesh configuration as Go writes it: `(formatDuration "90s")` is `1m30s`. */
  formatDuration: ([value]) => formatDuration(goText(value)),
};

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || value === "";
}

function asBoolean(value: unknown): boolean {
  const boolean = typeof value === "boolean" ? value : parseGoBoolean(value);
  if (boolean === undefined) throw fault("true or false is expected");
  return boolean;
}

function jsonText(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : sortedJson(value);
}

function fromJson(text: unknown): unknown {
  if (isMissing(text)) return undefined;
  try {
    return JSON.parse(goText(text));
  } catch {
    throw fault("the text is not JSON");
  }
}

const NANOS_PER_SECOND = 1_000_000_000n;
const UNITS: readonly (readonly [string, bigint])[] = [
  ["s", NANOS_PER_SECOND],
  ["ms", 1_000_000n],
  ["µs", 1_000n],
];

/** `time.Duration.String` of the protobuf JSON form, seconds with up to nine decimals. */
function formatDuration(text: string): string {
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
