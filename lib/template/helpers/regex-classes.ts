// Reads what matches one of several characters: escapes such as \w, and classes in brackets. Each becomes a class of JavaScript in
// which every character is written by its number; JavaScript folds cases as Go does.

import { type Node, type Reader, refuse } from "./regex-program.ts";

const DIGIT = "0-9";
const ALPHA = "A-Za-z";
const WORD = `${DIGIT}${ALPHA}_`;
const PERL: Readonly<Record<string, string>> = { d: DIGIT, w: WORD, s: "\\t\\n\\f\\r " };
const POSIX: Readonly<Record<string, string>> = {
  alnum: DIGIT + ALPHA,
  alpha: ALPHA,
  ascii: "\\0-\\x7f",
  blank: "\\t ",
  cntrl: "\\0-\\x1f\\x7f",
  digit: DIGIT,
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\x2f:-@\\x5b-`\\x7b-~",
  space: "\\t-\\r ",
  upper: "A-Z",
  word: WORD,
  xdigit: `${DIGIT}A-Fa-f`,
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 };

/** A node for the characters of a class, which is text between the brackets of JavaScript. */
export function setOf(content: string, { flags }: Pick<Reader, "flags">): Node {
  return { kind: "set", set: new RegExp(`^[${content}]$`, flags.includes("i") ? "vi" : "v") };
}

export function literal(point: string, reader: Reader): Node {
  return setOf(written(point.codePointAt(0) as number), reader);
}

/** What follows a backslash, outside of a class. */
export function readEscape(reader: Reader): Node {
  const point = reader.points[reader.at] ?? "";
  const assertion = ({ b: "word", B: "no-word", A: "start", z: "end" } as const)[point];
  if (assertion !== undefined) {
    reader.at += 1;
    return { kind: "assert", at: assertion };
  }
  return setOf(readPerl(reader) ?? written(readCode(reader)), reader);
}

function written(code: number): string {
  return `\\u{${code.toString(16)}}`;
}

function readPerl(reader: Reader): string | undefined {
  const point = reader.points[reader.at] ?? "";
  const content = PERL[point.toLowerCase()];
  if (content === undefined) return undefined;
  reader.at += 1;
  return point === point.toLowerCase() ? content : `[^${content}]`;
}

/** The number of the character that an escape means. */
function readCode(reader: Reader): number {
  const point = reader.points[reader.at++] ?? "";
  const control = CONTROLS[point];
  if (control !== undefined) return control;
  if (point !== "" && point < "\x80" && !/[0-9A-Za-z]/.test(point)) return point.codePointAt(0) as number;
  const rest = reader.points.slice(reader.at - 1, reader.at + 15).join("");
  const [digits = "", pair, braced] =
    /^(?:x([\da-f]{2})|x\{([\da-f]+)\}|0[0-7]{0,2}|[1-7][0-7]{1,2})/i.exec(rest) ?? [];
  const hex = pair ?? braced;
  const code = hex === undefined ? Number.parseInt(digits, 8) : Number.parseInt(hex, 16);
  if (!(code <= 0x10ffff)) refuse(`has an escape that is not supported: \\${point}`);
  reader.at += digits.length - 1;
  return code;
}

/** A class in brackets, after the first. */
export function readClass(reader: Reader): Node {
  const isNegated = reader.points[reader.at] === "^";
  if (isNegated) reader.at += 1;
  let content = "";
  for (let isFirst = true; isFirst || reader.points[reader.at] !== "]"; isFirst = false) content += readItem(reader);
  reader.at += 1;
  return setOf((isNegated ? "^" : "") + content, reader);
}

function readItem(reader: Reader): string {
  const [point, next] = reader.points.slice(reader.at, reader.at + 2);
  if (point === "[" && next === ":") {
    const named = /^\[:(\^?)(.*?):\]/s.exec(reader.points.slice(reader.at).join(""));
    if (named !== null) {
      const [whole, negation = "", name = ""] = named;
      if (!Object.hasOwn(POSIX, name)) refuse(`has a class that is not known: ${whole}`);
      reader.at += [...whole].length;
      return `[${negation}${POSIX[name]}]`;
    }
  }
  if (point === "\\") {
    reader.at += 1;
    const perl = readPerl(reader);
    if (perl !== undefined) return `[${perl}]`;
    reader.at -= 1;
  }
  const from = readEnd(reader);
  if (reader.points[reader.at] !== "-" || reader.points[reader.at + 1] === "]") return written(from);
  reader.at += 1;
  const to = readEnd(reader);
  if (to < from) refuse("has a range whose end is before its start");
  return `${written(from)}-${written(to)}`;
}

function readEnd(reader: Reader): number {
  const point = reader.points[reader.at++];
  if (point === undefined) refuse("has a [ that is not closed");
  return point === "\\" ? readCode(reader) : (point.codePointAt(0) as number);
}
