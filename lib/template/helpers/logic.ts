// Helpers that compare, choose, compute, check and encode. Truth is Go's here: an empty map is false, other than in {{#if}}.

import { jsonEqual, once, parseJson, trimEnd } from "@outrigger/base";
import { fault } from "../finding.ts";
import {
  asInteger,
  asMap,
  goText,
  type Helper,
  type HelperTable,
  isEmpty,
  parseGoBoolean,
  sortedJson,
  withOfFirst,
} from "./argument.ts";
import { regexMatch, regexReplaceAll } from "./regex.ts";

export const logicHelpers: HelperTable = {
  /** Whether the first argument equals any other: `(eq mode "TPROXY")`. Text never equals a number. */
  eq: withOfFirst((others) => {
    const [other] = others;
    if (others.length === 1 && typeof other === "string") return (value) => value === other;
    return (value) => others.some((candidate) => isSame(value, candidate));
  }),
  /** Whether two values differ: `(ne port "0")`. */
  ne: withOfFirst(([other]) =>
    typeof other === "string" ? (value) => value !== other : (value) => !isSame(value, other),
  ),
  /** Whether the first is less: `(lt (len list) 3)`. Numbers or texts. */
  lt: ordering((order) => order < 0),
  /** Whether the first is less or equal: `(le a b)`. */
  le: ordering((order) => order <= 0),
  /** Whether the first is greater: `(gt a b)`. */
  gt: ordering((order) => order > 0),
  /** Whether the first is greater or equal: `(ge (len containers) 1)`. */
  ge: ordering((order) => order >= 0),
  /** The first empty argument, or the last: `(and a b)`. */
  and: (args) => {
    for (let index = 0; index < args.length - 1; index++) if (isEmpty(args[index])) return args[index];
    return args.at(-1);
  },
  /** The first argument that is not empty, or the last: `(or a b)`. */
  or: (args) => {
    for (let index = 0; index < args.length - 1; index++) if (!isEmpty(args[index])) return args[index];
    return args.at(-1);
  },
  /** Whether the value is empty: `(not nativeSidecar)`. */
  not: ([value]) => isEmpty(value),
  /** Whether the value is missing, "", 0, false, or a list or map without entries: `(empty list)`. */
  empty: ([value]) => isEmpty(value),
  /** The value, or the default if the value is empty: `{{default "latest" metadata.labels.version}}`. */
  default: ([otherwise, value]) => (isEmpty(value) ? otherwise : value),
  /** The value, or the default if the value is missing or "": `(valueOrDefault values.global.trustDomain "cluster.local")`. */
  valueOrDefault: ([value, otherwise]) => (isMissing(value) ? otherwise : value),
  /** The first argument that is not empty: `(coalesce a b "c")`. */
  coalesce: (args) => args.find((value) => !isEmpty(value)),
  /** One of two values by a condition that comes last: `(ternary "1337" "0" isProxy)`. */
  ternary: ([yes, no, condition]) => (isEmpty(condition) ? no : yes),
  /** A sum of integers: `(add @index 1)`. */
  add: (args) => args.reduce((sum: number, value) => sum + asInteger(value), 0),
  /** A difference of integers: `(sub (len list) 1)`. */
  sub: ([a, b]) => asInteger(a) - asInteger(b),
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
  // What changes the type of a value. A missing value stays missing: its entry is left out.
  /** An integer: `initialDelaySeconds: {{int (annotation metadata "a" 1)}}`. Anything else is an error. */
  int: ([value]) => (isMissing(value) ? undefined : asInteger(value)),
  /** A text: `value: {{string values.global.proxy.statusPort}}`. */
  string: ([value]) => (value === null || value === undefined ? undefined : goText(value)),
  /** true or false, also from their text: `privileged: {{bool (annotation metadata "a" false)}}`. */
  bool: ([value]) => (isMissing(value) ? undefined : asBoolean(value)),
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
  /** The value, or an error with the message if the value is missing or "": `{{required "set values.logAgent.image" values.logAgent.image}}`. */
  required: ([message, value]) => {
    if (isMissing(value)) throw fault(goText(message));
    return value;
  },
  /** An error with the message: `{{fail "unknown mode"}}`. */
  fail: ([message]) => {
    throw fault(goText(message));
  },
  /** Whether a text matches a regular expression of Go, in linear time: `(regexMatch "^v[0-9]+$" metadata.labels.version)`. */
  regexMatch: ([pattern, text]) => regexMatch(goText(pattern), goText(text)),
  /** All matches of a regular expression replaced, `$1` and `$name` are groups: `(regexReplaceAll "[^a-z0-9-]" name "-")`. */
  regexReplaceAll: ([pattern, text, replacement]) =>
    regexReplaceAll(goText(pattern), goText(text), goText(replacement)),
  /** The text in base64: `(b64enc text)`. */
  b64enc: ([text]) => btoa(String.fromCharCode(...new TextEncoder().encode(goText(text)))),
  /** The text of base64: `(b64dec encoded)`. */
  b64dec: ([text]) => decodeBase64(goText(text)),
  /** The SHA-256 of a text, in hexadecimal: `(sha256sum (toJson values.logAgent))`. */
  sha256sum: ([text]) => sha256Hex(goText(text)),
};

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a ?? null) === (b ?? null) || (typeof a === "object" && typeof b === "object" && jsonEqual(a, b));
}

function ordering(holds: (order: number) => boolean): Helper {
  return ([a, b]) => {
    if (typeof a === "string" && typeof b === "string") return holds(a < b ? -1 : a > b ? 1 : 0);
    if (typeof a === "number" && typeof b === "number") return holds(a - b);
    if (typeof a === "object" || typeof b === "object") throw fault("only numbers and texts have an order");
    return holds(asInteger(a) - asInteger(b));
  };
}

function divisor(value: unknown): number {
  const number = asInteger(value);
  if (number === 0) throw fault("an integer is divided by 0");
  return number;
}

function decodeBase64(text: string): string {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw fault("the text is not base64 of UTF-8 text");
  }
}

// Few templates take a digest, and every cold start would make these.
const constants = once(() => primes(64).map((prime) => fraction(Math.cbrt(prime))));
const initial = once(() => primes(8).map((prime) => fraction(Math.sqrt(prime))));

/**
 * The digest of the UTF-8 text, in hexadecimal. In plain JavaScript: templates render in a browser too, synchronously.
 *
 * @example
 * ```ts
 * sha256Hex("abc").slice(0, 16) // => "ba7816bf8f01cfea"
 * ```
 */
export function sha256Hex(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = new Uint8Array(((bytes.length + 72) >> 6) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(blocks.length - 4, (bytes.length << 3) >>> 0);
  let state: readonly number[] = initial();
  for (let offset = 0; offset < blocks.length; offset += 64) state = compress(state, view, offset);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function compress(state: readonly number[], view: DataView, offset: number): readonly number[] {
  const words = new Int32Array(64);
  const added = constants();
  for (let index = 0; index < 64; index++) {
    if (index < 16) words[index] = view.getInt32(offset + 4 * index);
    else {
      const [a, b] = [words[index - 15] as number, words[index - 2] as number];
      const low = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const high = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      words[index] = (words[index - 16] as number) + low + (words[index - 7] as number) + high;
    }
  }
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index++) {
    const sum = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + sum + ((e & f) ^ (~e & g)) + (added[index] as number) + (words[index] as number)) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + (state[index] as number)) | 0);
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function primes(count: number): readonly number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

/** The first 32 bits of the fractional part. */
function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 0x100000000) | 0;
}

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
  const value = parseJson(goText(text));
  if (value === undefined) throw fault("the text is not JSON");
  return value;
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
