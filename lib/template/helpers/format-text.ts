// Go's fmt.Sprintf, as far as templates use it.

import { fault } from "../finding.ts";
import { asInteger, goText } from "./argument.ts";

const VERB = /%([-+0]*)(\d{0,3})(?:\.(\d{0,3}))?(.?)/gsu;
const VERBS = "%s %v %t %q %d %x %X %o %b %c %f and %%";

interface Spec {
  /** The flags that are given, of `-`, `+` and `0`. */
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

/**
 * Returns the format with a value in place of each verb. Too few or too many values are an error, other than in Go.
 *
 * @example
 * ```ts
 * formatText("%s:%05d", ["a", 42]) // => "a:00042"
 * ```
 */
export function formatText(format: string, values: readonly unknown[]): string {
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
