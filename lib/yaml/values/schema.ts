// How kubectl (sigs.k8s.io/yaml and its YAML 1.1 parser) reads scalars and tags. Converts the text of a scalar to JSON; knows
// nothing about documents, files or errors.

import type { YamlScalar } from "../parse/nodes.ts";
import { YamlSyntaxError } from "../parse/token.ts";

const NULL_WORDS = new Set(["", "~", "null", "Null", "NULL"]);
const TRUE_WORDS = new Set(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]);
const FALSE_WORDS = new Set(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]);

const INTEGER = /^[-+]?(?:0|[1-9][0-9]*)$/;
const RADIX_INTEGER = /^[-+]?0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+|[0-7]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const TIME = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
/** Matches the start of texts that may be read as another type. */
const OTHER_START = /^[-+.0-9yYnNtTfFoO~]/;
/** The number of characters below which a number's digits are exact. */
const SAFE_LENGTH = 15;
const UINT64_LIMIT = 2n ** 64n;
const INT64_MIN = -(2n ** 63n);

const TAGS = "tag:yaml.org,2002:";

/**
 * The value of a scalar as kubectl reads it: the words `on`, `yes`, `n` … are booleans, `0755` and `0o755` are 493, `1_000`
 * is 1000, timestamps and `12:30:45` are strings, `!!binary` is decoded to text and unknown tags are ignored.
 *
 * Numbers become what `JSON.parse` would make of them; infinity and NaN, which JSON lacks, are returned as they are.
 *
 * @throws YamlSyntaxError for a text that is not of the type that its tag says
 */
export function resolveScalar(node: YamlScalar): string | number | boolean | null {
  const { tag, value, style } = node;
  if (tag === undefined) return style === "plain" ? resolvePlain(value) : value;
  if (!tag.startsWith(TAGS)) return value;
  const type = tag.slice(TAGS.length);
  if (type === "binary") return readBinary(node);
  const isOfType = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (isOfType === undefined) return value;
  if (type === "timestamp" && TIME.test(value)) return value;
  const resolved = resolvePlain(value);
  if (isOfType(resolved)) return resolved;
  throw new YamlSyntaxError(`the value is not of the type that its tag says: !!${type}`, node.start);
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  bool: (value) => typeof value === "boolean",
  int: (value) => Number.isInteger(value),
  float: (value) => typeof value === "number",
  null: (value) => value === null,
  timestamp: () => false,
};

function resolvePlain(text: string): string | number | boolean | null {
  if (text === "") return null;
  if (!OTHER_START.test(text)) return text;
  if (NULL_WORDS.has(text)) return null;
  if (TRUE_WORDS.has(text)) return true;
  if (FALSE_WORDS.has(text)) return false;
  return readInteger(text) ?? readFloat(text) ?? text;
}

/** The text of a scalar's value where it is a key: numbers are written as Go writes them. */
export function keyText({ value: source }: YamlScalar, value: string | number | boolean): string {
  if (typeof value !== "number") return String(value);
  if (Number.isNaN(value)) return /nan/i.test(source) ? ".nan" : source.startsWith("-") ? "-.inf" : ".inf";
  const integer = integerOf(source);
  return integer === undefined ? floatText(value) : String(integer);
}

/**
 * Writes a number as Go does: with the fewest digits that a float of 32 bits needs, and with an exponent if it is large
 * or small.
 */
function floatText(value: number): string {
  let digits = 1;
  while (digits < MAX_FLOAT_DIGITS && Math.fround(Number(value.toPrecision(digits))) !== Math.fround(value))
    digits += 1;
  const [mantissa = "", exponent = ""] = value.toExponential(digits - 1).split("e");
  if (Number(exponent) >= -4 && Number(exponent) < FLOAT_EXPONENT) return String(Number(value.toPrecision(digits)));
  return `${mantissa}e${exponent.replace(/^([-+])(\d)$/, "$10$2")}`;
}

/** The most digits that a float of 32 bits needs, and the exponent from which it is written with one. */
const MAX_FLOAT_DIGITS = 9;
const FLOAT_EXPONENT = 6;

/**
 * Whether a plain scalar with this text could be read as another type than text. Times and base-60 numbers count, as in
 * kubectl's output: other parsers do not read them as text.
 */
export function isTakenForOther(text: string): boolean {
  return typeof resolvePlain(text) !== "string" || text === "<<" || TIME.test(text) || BASE_60.test(text);
}

function readInteger(source: string): number | undefined {
  const integer = integerOf(source);
  return integer === undefined ? undefined : Number(integer) + 0;
}

/**
 * Reads an integer as Go's `strconv.ParseInt(text, 0, 64)` does after dropping underscores: radix prefixes are those of
 * C, and a leading 0 means octal.
 */
function integerOf(source: string): number | bigint | undefined {
  const plain = withoutUnderscores(source);
  if (plain === undefined) return undefined;
  if (INTEGER.test(plain)) {
    if (plain.length < SAFE_LENGTH) return Number(plain);
    const integer = BigInt(plain.replace("+", ""));
    return integer >= UINT64_LIMIT || integer < INT64_MIN ? undefined : integer;
  }
  if (!RADIX_INTEGER.test(plain)) return undefined;
  const negative = plain[0] === "-";
  const digits = negative || plain[0] === "+" ? plain.slice(1) : plain;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  if (magnitude >= UINT64_LIMIT || (negative && -magnitude < INT64_MIN)) return undefined;
  return negative ? -magnitude : magnitude;
}

function readFloat(source: string): number | undefined {
  if (NOT_FINITE.test(source)) return Number.NaN;
  const plain = withoutUnderscores(source);
  if (plain === undefined || !FLOAT.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value + 0 : undefined;
}

/**
 * Drops underscores from a number, or returns undefined if the text starts with a dot or an underscore: the reference
 * keeps underscores after a leading dot.
 */
function withoutUnderscores(source: string): string | undefined {
  if (!source.includes("_")) return source;
  return source[0] === "." || source[0] === "_" ? undefined : source.replaceAll("_", "");
}

function readBinary({ value, start }: YamlScalar): string {
  const source = value.replace(/[\r\n]/g, "");
  try {
    if (source.length % 4 !== 0) throw new TypeError("base64 has groups of four characters");
    const bytes = Uint8Array.from(atob(source), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    throw new YamlSyntaxError("the value of !!binary is not base64", start);
  }
}
