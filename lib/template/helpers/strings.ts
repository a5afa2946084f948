// Helpers on text, with Sprig's names and order of arguments: the text comes last; and Go's fmt.Sprintf, as far as
// templates use it.

import { fault } from "../finding.ts";
import { asInteger, asList, assertMade, goText, type HelperTable, LONGEST_MADE } from "./argument.ts";

export const stringHelpers: HelperTable = {
  /** Whether a text has a part: `(contains "/" image)`. */
  contains: ([part, text]) => goText(text).includes(goText(part)),
  /** Whether a text begins so: `(hasPrefix "https://" url)`. */
  hasPrefix: ([prefix, text]) => goText(text).startsWith(goText(prefix)),
  /** Whether a text ends so: `(hasSuffix ".svc" host)`. */
  hasSuffix: ([suffix, text]) => goText(text).endsWith(goText(suffix)),
  /** At most so many characters, from the end if negative: `(trunc 63 name)`. */
  trunc: ([count, text]) => truncate(asInteger(count), goText(text)),
  /** Without white space at both ends: `(trim text)`. */
  trim: ([text]) => goText(text).trim(),
  /** Without any of the given characters at both ends: `(trimAll "-_." name)`. */
  trimAll: ([characters, text]) => trimCharacters(goText(characters), goText(text)),
  /** Without a beginning: `(trimPrefix "v" version)`. */
  trimPrefix: ([prefix, text]) => withoutPrefix(goText(prefix), goText(text)),
  /** Without an ending: `(trimSuffix ".local" domain)`. */
  trimSuffix: ([suffix, text]) => withoutSuffix(goText(suffix), goText(text)),
  /** In lower case: `(toLower owner.kind)`. */
  toLower: ([text]) => goText(text).toLowerCase(),
  /** In lower case: `(lower owner.kind)`. */
  lower: ([text]) => goText(text).toLowerCase(),
  /** In upper case: `(toUpper text)`. */
  toUpper: ([text]) => goText(text).toUpperCase(),
  /** In upper case: `(upper text)`. */
  upper: ([text]) => goText(text).toUpperCase(),
  /** All occurrences replaced: `(replace "." "-" name)`. */
  replace: ([from, to, text]) => replaced(goText(text), goText(from), goText(to)),
  /** Texts with a blank between them, without those that are missing: `(cat "a" name)`. */
  cat: (args) => textsOf(args).join(" "),
  /** A text so many times: `(repeat 3 "-")`. */
  repeat: ([count, text]) => repeated(asInteger(count), goText(text)),
  /** Without any white space: `(nospace text)`. */
  nospace: ([text]) => goText(text).replaceAll(/\s/g, ""),
  /** The last part of a path: `(base "/etc/certs/ca.pem")` is `ca.pem`. */
  base: ([path]) => lastPart(goText(path)),
  /** A list as one text: `(join "," names)`. */
  join: ([separator, list]) => joined(asList(list), goText(separator)),
  /** A text as a list: `(splitList "," text)`. */
  splitList: ([separator, text]) => goText(text).split(goText(separator)),
  /** A text as a map with the keys `_0`, `_1` …: `(split "," text)`. */
  split: ([separator, text]) => {
    const parts = goText(text).split(goText(separator));
    return Object.fromEntries(parts.map((part, index) => [`_${index}`, part]));
  },
  /** In double quotes, escaped as JSON; only for text inside text: `(quote name)`. */
  quote: (args) => textsOf(args, JSON.stringify).join(" "),
  /** In single quotes; only for text inside text: `(squote name)`. */
  squote: (args) => textsOf(args, (text) => `'${text}'`).join(" "),
  /** Text with verbs of Go, with flags, a width and a precision: `(printf "istio.%s" spec.serviceAccountName)`, `%05d`, `%-8s`, `%.2f`, `%x`. */
  printf: ([format, ...values]) => formatText(goText(format), values),
  /** The directory of a path, with its slash: `(directory "/etc/certs/ca.pem")` is `/etc/certs/`. */
  directory: ([path]) => {
    const text = goText(path);
    return text.slice(0, text.lastIndexOf("/") + 1);
  },
};

function replaced(text: string, from: string, to: string): string {
  if (text.length * to.length > LONGEST_MADE) assertMade(text.length + (text.split(from).length + 1) * to.length);
  return text.replaceAll(from, () => to);
}

function joined(list: readonly unknown[], separator: string): string {
  assertMade(list.length * separator.length);
  return list.map((item) => goText(item)).join(separator);
}

function lastPart(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  if (end === 0) return path === "" ? "." : "/";
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end);
}

const MAX_REPEATED = 65536;

function repeated(count: number, text: string): string {
  if (count * text.length > MAX_REPEATED) throw fault(`a text is repeated to more than ${MAX_REPEATED} characters`);
  return text.repeat(Math.max(0, count));
}

/** Of the values that are there. */
function textsOf(values: readonly unknown[], write = (text: string) => text): readonly string[] {
  return values.filter((value) => value !== null && value !== undefined).map((value) => write(goText(value)));
}

/** Never cuts a surrogate pair in two. */
function truncate(count: number, text: string): string {
  if (count >= 0) {
    const end = isPairAt(text, count) ? count - 1 : count;
    return text.length > count ? text.slice(0, end) : text;
  }
  const start = text.length + count;
  return start > 0 ? text.slice(isPairAt(text, start) ? start + 1 : start) : text;
}

function isPairAt(text: string, index: number): boolean {
  return index > 0 && index < text.length && (text.codePointAt(index - 1) as number) > 0xffff;
}

/** By code points, so that no surrogate pair is cut in two. */
function trimCharacters(cut: string, text: string): string {
  const characters = new Set(cut);
  let start = 0;
  let end = text.length;
  while (start < end) {
    const character = String.fromCodePoint(text.codePointAt(start) as number);
    if (!characters.has(character)) break;
    start += character.length;
  }
  while (end > start) {
    const width = isPairAt(text, end - 1) ? 2 : 1;
    if (!characters.has(text.slice(end - width, end))) break;
    end -= width;
  }
  return text.slice(start, end);
}

function withoutPrefix(prefix: string, text: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function withoutSuffix(suffix: string, text: string): string {
  return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

const VERB = /%([-+0]*)(\d{0,3})(?:\.(\d{0,3}))?(.?)/gsu;
const VERBS = "%s %v %t %q %d %x %X %o %b %c %f and %%";

interface Spec {
  /** Of `-`, `+` and `0`. */
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

/** Too few values print Go's `%!s(MISSING)` nowhere: they are an error, like too many. */
function formatText(format: string, values: readonly unknown[]): string {
  let used = 0;
  const text = format.replace(VERB, (_, flags: string, width: string, precision: string | undefined, verb: string) => {
    if (verb === "%") return "%";
    if (!"svtqdxXobcf".includes(verb) || verb === "")
      throw fault(`the format has the verb %${verb}: there are ${VERBS}`);
    if (used >= values.length) throw fault("the format has more verbs than there are values");
    const digits = precision === undefined ? undefined : Number(precision);
    return formatValue(verb, values[used++], { flags, width: Number(width), precision: digits });
  });
  if (used < values.length) throw fault("the format has fewer verbs than there are values");
  return text;
}

function formatValue(verb: string, value: unknown, spec: Spec): string {
  switch (verb) {
    case "d":
      return padNumber(String(asInteger(value)), spec);
    case "x":
    case "X":
      return typeof value === "string" ? padText(inCase(verb, hexOf(value)), spec) : padRadix(verb, 16, value, spec);
    case "o":
      return padRadix(verb, 8, value, spec);
    case "b":
      return padRadix(verb, 2, value, spec);
    case "c":
      return padText(characterOf(asInteger(value)), spec);
    case "f":
      return padNumber(fixed(asNumber(value), spec.precision), { ...spec, precision: undefined });
    case "q":
      return padText(JSON.stringify(goText(value)), spec);
    default: {
      if (verb === "v" && typeof value === "number" && spec.precision === undefined)
        return padNumber(goText(value), spec);
      const text = goText(value);
      return padText(spec.precision === undefined ? text : [...text].slice(0, spec.precision).join(""), spec);
    }
  }
}

const MAX_PRECISION = 100;

function fixed(value: number, precision = 6): string {
  if (precision > MAX_PRECISION || Math.abs(value) >= 1e21) throw fault("a number has too many digits for %f");
  return value.toFixed(precision);
}

function characterOf(code: number): string {
  if (code < 0 || code > 0x10ffff) throw fault("a number is no character for %c");
  return String.fromCodePoint(code);
}

function padRadix(verb: string, radix: number, value: unknown, spec: Spec): string {
  return padNumber(inCase(verb, asInteger(value).toString(radix)), spec);
}

/** The sign is before the zeros. A precision is the least number of digits. */
function padNumber(text: string, { flags, width, precision }: Spec): string {
  const isNegative = text.startsWith("-");
  const sign = isNegative ? "-" : flags.includes("+") ? "+" : "";
  const digits = (isNegative ? text.slice(1) : text).padStart(precision ?? 0, "0");
  if (flags.includes("-")) return (sign + digits).padEnd(width);
  if (flags.includes("0") && precision === undefined) return sign + digits.padStart(width - sign.length, "0");
  return (sign + digits).padStart(width);
}

function padText(text: string, { flags, width }: Spec): string {
  const missing = Math.max(0, width - [...text].length);
  return flags.includes("-") ? text + " ".repeat(missing) : " ".repeat(missing) + text;
}

function inCase(verb: string, text: string): string {
  return verb === "X" ? text.toUpperCase() : text;
}

function hexOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function asNumber(value: unknown): number {
  if (typeof value === "number") return value;
  throw fault("a number is expected");
}
