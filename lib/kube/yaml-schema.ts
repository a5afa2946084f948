// How kubectl (sigs.k8s.io/yaml and its YAML 1.1 parser) reads scalars, keys and tags, as a js-yaml schema. Converts the
// text of a node to JSON; knows nothing about documents, files or errors.

import {
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  FAILSAFE_SCHEMA,
  mergeTag,
  NOT_RESOLVED,
  nullCoreTag,
  type Schema,
} from "js-yaml";

const NULL_WORDS = new Set(["", "~", "null", "Null", "NULL"]);
const TRUE_WORDS = new Set(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]);
const FALSE_WORDS = new Set(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]);

const INTEGER = /^[-+]?(?:0|[1-9][0-9]*)$/;
const RADIX_INTEGER = /^[-+]?0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+|[0-7]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const TIME = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const WORD_STARTS = [..."yYnNtTfFoO"];
const NUMBER_STARTS = [..."+-.0123456789"];
const UINT64_LIMIT = 2n ** 64n;
const INT64_MIN = -(2n ** 63n);

const booleanTag = defineScalarTag<boolean>("tag:yaml.org,2002:bool", {
  implicit: true,
  implicitFirstChars: WORD_STARTS,
  resolve: (source) => (TRUE_WORDS.has(source) ? true : FALSE_WORDS.has(source) ? false : NOT_RESOLVED),
  identify: (value) => typeof value === "boolean",
});

const integerTag = defineScalarTag<number>("tag:yaml.org,2002:int", {
  implicit: true,
  implicitFirstChars: NUMBER_STARTS,
  resolve: (source) => readInteger(source) ?? NOT_RESOLVED,
  identify: (value) => Number.isSafeInteger(value),
  represent: (value) => String(value + 0),
});

const floatTag = defineScalarTag<number>("tag:yaml.org,2002:float", {
  implicit: true,
  implicitFirstChars: NUMBER_STARTS,
  resolve: (source) => readFloat(source) ?? NOT_RESOLVED,
  identify: (value) => typeof value === "number",
});

/** `!!binary`: the bytes, read as UTF-8 text, because JSON has no bytes. */
const binaryTag = defineScalarTag<string>("tag:yaml.org,2002:binary", {
  resolve: (source) => readBinary(source) ?? NOT_RESOLVED,
  identify: () => false,
});

/** Unknown tags (`!a`, `!!timestamp`) are dropped: text stays text, collections stay collections. */
const unknownTags = ["!", "tag:"].flatMap((prefix) => [
  defineScalarTag<string>(prefix, { matchByTagPrefix: true, resolve: (source) => source, identify: () => false }),
  defineSequence(prefix, true),
  defineMapping(prefix, true),
]);

/**
 * kubectl's reading of YAML: the words `on`, `yes`, `n` … are booleans, `0755` and `0o755` are 493, `1_000` is 1000,
 * timestamps and `12:30:45` are strings, `!!binary` is decoded to text and unknown tags are ignored.
 *
 * Numbers become what `JSON.parse` would make of them. Infinity and NaN, which JSON lacks, are errors.
 */
export const kubernetesSchema: Schema = FAILSAFE_SCHEMA.withTags(
  nullCoreTag,
  booleanTag,
  integerTag,
  floatTag,
  mergeTag,
  binaryTag,
  defineSequence("tag:yaml.org,2002:seq", false),
  defineMapping("tag:yaml.org,2002:map", false),
  ...unknownTags,
);

/**
 * Whether a plain scalar with this text could be read as another type than text. Times and base-60 numbers count, as in
 * kubectl's output: other parsers do not read them as text.
 */
export function isTakenForOther(text: string): boolean {
  return (
    NULL_WORDS.has(text) ||
    TRUE_WORDS.has(text) ||
    FALSE_WORDS.has(text) ||
    text === "<<" ||
    readInteger(text) !== undefined ||
    readFloat(text) !== undefined ||
    TIME.test(text) ||
    BASE_60.test(text)
  );
}

/** Go's `strconv.ParseInt(text, 0, 64)` after dropping underscores: C-style radix prefixes, a bare 0 meaning octal. */
function readInteger(source: string): number | undefined {
  const plain = withoutUnderscores(source);
  if (plain === undefined) return undefined;
  if (INTEGER.test(plain)) return Number(plain) + 0;
  if (!RADIX_INTEGER.test(plain)) return undefined;
  const negative = plain[0] === "-";
  const digits = negative || plain[0] === "+" ? plain.slice(1) : plain;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  if (magnitude >= UINT64_LIMIT || (negative && -magnitude < INT64_MIN)) return undefined;
  return Number(negative ? -magnitude : magnitude);
}

function readFloat(source: string): number | undefined {
  if (NOT_FINITE.test(source)) return Number.NaN;
  const plain = withoutUnderscores(source);
  if (plain === undefined || !FLOAT.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value + 0 : undefined;
}

/** Underscores are dropped from numbers; after a leading dot, the reference keeps them. */
function withoutUnderscores(source: string): string | undefined {
  if (!source.includes("_")) return source;
  return source[0] === "." || source[0] === "_" ? undefined : source.replaceAll("_", "");
}

function readBinary(source: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(source.replace(/\s/g, "")), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

function defineSequence(tagName: string, unknown: boolean) {
  return defineSequenceTag<unknown[]>(tagName, {
    matchByTagPrefix: unknown,
    create: () => [],
    addItem: (carrier, item) => {
      if (isNotFinite(item)) return NOT_JSON;
      carrier.push(item);
      return undefined;
    },
    identify: (value) => !unknown && Array.isArray(value),
  });
}

/** Keys are text, as in JSON: `on:` is the key `true`, as kubectl has it. `__proto__` is an ordinary key. */
function defineMapping(tagName: string, unknown: boolean) {
  return defineMappingTag<Record<string, unknown>>(tagName, {
    matchByTagPrefix: unknown,
    create: () => ({}),
    addPair: (carrier, key, value) => {
      if (key === null || typeof key === "object") return "a key must be text, a number or a boolean";
      if (isNotFinite(value)) return NOT_JSON;
      const name = String(key);
      if (name === "__proto__") {
        Object.defineProperty(carrier, name, { value, enumerable: true, configurable: true, writable: true });
      } else {
        carrier[name] = value;
      }
      return "";
    },
    has: (carrier, key) => Object.hasOwn(carrier, String(key)),
    keys: (carrier) => Object.keys(carrier).map(asWritten),
    get: (carrier, key) => (Object.hasOwn(carrier, String(key)) ? carrier[String(key)] : null),
    identify: (value) => !unknown && typeof value === "object" && value !== null && !Array.isArray(value),
    represent: (value) => new Map(Object.entries(value)),
  });
}

/** A key as it was probably written: after a merge (`<<`), the parser compares keys before they are converted to text. */
function asWritten(key: string): unknown {
  if (key === "true" || key === "false") return key === "true";
  return INTEGER.test(key) && String(Number(key)) === key ? Number(key) : key;
}

const NOT_JSON = "infinity and NaN have no JSON form: put the value in quotes if it is text";

function isNotFinite(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}
