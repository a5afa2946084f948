// Reads the text of one scalar, in each of YAML's five styles, as go-yaml reads it. Knows nothing of the structure around
// it but the column that it must keep to.

import {
  afterBreak,
  breakText,
  CODE,
  isBlank,
  isBreak,
  isBreakOrEnd,
  isDocumentMarker,
  isSpaceOrEnd,
} from "./yaml-characters.ts";
import { YamlSyntaxError } from "./yaml-syntax-error.ts";

/** A position with its line, so that columns can be counted. */
export interface Cursor {
  readonly at: number;
  /** 0-based. */
  readonly line: number;
  /** Offset of the line's first character. */
  readonly lineStart: number;
}

export interface ScannedScalar {
  readonly value: string;
  /** Offset after the scalar's last character. */
  readonly end: number;
  /** Where scanning goes on. */
  readonly next: Cursor;
  /** Whether a line break lies between the scalar's end and `next`. */
  readonly isBroken: boolean;
}

interface PlainContext {
  /** Column of the enclosing block collection, -1 at the top. */
  readonly indent: number;
  readonly inFlow: boolean;
}

/** @throws YamlSyntaxError for a tab in the indentation of a further line */
export function scanPlain(text: string, from: Cursor, { indent, inFlow }: PlainContext): ScannedScalar {
  let { at, line, lineStart } = from;
  let value = "";
  let end = at;
  // What is between the last word and the next one: spaces on one line, or folded line breaks.
  let gap = "";
  let isBroken = false;
  for (;;) {
    if ((at === lineStart && isDocumentMarker(text, at)) || text.charCodeAt(at) === CODE.hash) break;
    const wordStart = at;
    while (!endsPlainWord(text, at, inFlow)) at += 1;
    if (at > wordStart) {
      value += gap + text.slice(wordStart, at);
      gap = "";
      isBroken = false;
      end = at;
    }
    if (!isBlank(text.charCodeAt(at)) && !isBreak(text.charCodeAt(at))) break;
    const blanksStart = at;
    let breaks = "";
    let first = "";
    for (let code = text.charCodeAt(at); isBlank(code) || isBreak(code); code = text.charCodeAt(at)) {
      if (isBreak(code)) {
        if (first === "") first = breakText(text, at);
        else breaks += breakText(text, at);
        at = afterBreak(text, at);
        line += 1;
        lineStart = at;
      } else {
        if (first !== "" && code === CODE.tab && at - lineStart < indent + 1)
          throw new YamlSyntaxError("a tab is used as indentation: use spaces", at);
        at += 1;
      }
    }
    gap = first === "" ? text.slice(blanksStart, at) : folded(first, breaks);
    isBroken = first !== "";
    if (!inFlow && at - lineStart < indent + 1) break;
  }
  return { value, end, next: { at, line, lineStart }, isBroken };
}

function endsPlainWord(text: string, at: number, inFlow: boolean): boolean {
  const code = text.charCodeAt(at);
  if (isSpaceOrEnd(code)) return true;
  if (code === CODE.colon) return isSpaceOrEnd(text.charCodeAt(at + 1));
  return inFlow && (code === CODE.comma || code === CODE.question || isBracket(code));
}

function isBracket(code: number): boolean {
  return code === CODE.openBracket || code === CODE.closeBracket || code === CODE.openBrace || code === CODE.closeBrace;
}

/** One line break is a space; further ones are kept. */
function folded(first: string, breaks: string): string {
  if (first !== "\n") return first + breaks;
  return breaks === "" ? " " : breaks;
}

/** @throws YamlSyntaxError for a quote that is not closed, or an escape sequence that does not exist */
export function scanQuoted(text: string, from: Cursor, isJson: boolean): ScannedScalar {
  const quote = text.charCodeAt(from.at);
  const isDouble = quote === CODE.doubleQuote;
  let { at, line, lineStart } = from;
  at += 1;
  let value = "";
  for (;;) {
    if (at === lineStart && isDocumentMarker(text, at)) throw notClosed(from.at);
    // Characters up to white space or the closing quote.
    let copied = at;
    let first = "";
    let broken = false;
    for (let code = text.charCodeAt(at); !isSpaceOrEnd(code); code = text.charCodeAt(at)) {
      if (code === quote) {
        if (isDouble || text.charCodeAt(at + 1) !== quote) break;
        value += text.slice(copied, at + 1);
        at += 2;
        copied = at;
      } else if (isDouble && code === CODE.backslash) {
        value += text.slice(copied, at);
        if (isBreak(text.charCodeAt(at + 1))) {
          at = afterBreak(text, at + 1);
          line += 1;
          lineStart = at;
          copied = at;
          broken = true;
          break;
        }
        const escaped = readEscape(text, at, isJson);
        value += escaped.value;
        at = escaped.end;
        copied = at;
      } else at += 1;
    }
    value += text.slice(copied, at);
    if (!broken && text.charCodeAt(at) === quote) break;
    if (Number.isNaN(text.charCodeAt(at))) throw notClosed(from.at);
    const blanksStart = at;
    let breaks = "";
    for (let code = text.charCodeAt(at); isBlank(code) || isBreak(code); code = text.charCodeAt(at)) {
      if (isBlank(code)) {
        at += 1;
        continue;
      }
      if (first === "" && !broken) first = breakText(text, at);
      else breaks += breakText(text, at);
      at = afterBreak(text, at);
      line += 1;
      lineStart = at;
    }
    if (broken) value += breaks;
    else value += first === "" ? text.slice(blanksStart, at) : folded(first, breaks);
  }
  return { value, end: at + 1, next: { at: at + 1, line, lineStart }, isBroken: false };
}

function notClosed(at: number): YamlSyntaxError {
  return new YamlSyntaxError("the quote that opens here is not closed", at);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "'": "'",
  "\\": "\\",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
};
const ESCAPE_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function readEscape(text: string, at: number, isJson: boolean): { readonly value: string; readonly end: number } {
  const character = text.charAt(at + 1);
  if (isJson && character === "/") return { value: "/", end: at + 2 };
  const simple = ESCAPES[character];
  if (simple !== undefined) return { value: simple, end: at + 2 };
  const length = ESCAPE_DIGITS[character];
  if (length === undefined) throw new YamlSyntaxError("there is no such escape sequence in double quotes", at);
  const digits = text.slice(at + 2, at + 2 + length);
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits))
    throw new YamlSyntaxError(`an escape sequence needs ${length} hexadecimal digits`, at);
  const code = Number.parseInt(digits, 16);
  if (isJson) return { value: String.fromCharCode(code), end: at + 2 + length };
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw new YamlSyntaxError("an escape sequence names no character", at);
  return { value: String.fromCodePoint(code), end: at + 2 + length };
}

/**
 * A literal (`|`) or folded (`>`) scalar.
 *
 * @param indent column of the enclosing block collection, -1 at the top
 * @throws YamlSyntaxError
 */
export function scanBlock(text: string, from: Cursor, indent: number): ScannedScalar {
  const isLiteral = text.charCodeAt(from.at) === CODE.bar;
  const header = readBlockHeader(text, from.at);
  let { at, line, lineStart } = from;
  at = header.end;
  if (isBreak(text.charCodeAt(at))) nextLine();
  let column = header.increment === 0 ? 0 : Math.max(indent, 0) + header.increment;
  let end = at;
  let trailing = "";
  let value = "";
  let leading = "";
  let wasBlank = false;
  skipBreaks();
  while (at - lineStart === column && at < text.length) {
    const blank = isBlank(text.charCodeAt(at));
    if (!isLiteral && !wasBlank && !blank && leading === "\n") value += trailing === "" ? " " : "";
    else value += leading;
    value += trailing;
    trailing = "";
    wasBlank = blank;
    const start = at;
    while (!isBreakOrEnd(text.charCodeAt(at))) at += 1;
    value += text.slice(start, at);
    leading = at < text.length ? breakText(text, at) : "";
    if (leading !== "") nextLine();
    end = at;
    skipBreaks();
  }
  if (header.chomping !== "-") value += leading;
  if (header.chomping === "+") value += trailing;
  // Empty lines at the end are part of the scalar only if they count.
  if (header.chomping === "+") end = Math.max(end, lineStart);
  return { value, end, next: { at, line, lineStart }, isBroken: true };

  function nextLine(): void {
    at = afterBreak(text, at);
    line += 1;
    lineStart = at;
  }

  /** Eats indentation and empty lines, and finds out the indentation where it is not known yet. */
  function skipBreaks(): void {
    let widest = 0;
    for (;;) {
      while ((column === 0 || at - lineStart < column) && text.charCodeAt(at) === CODE.space) at += 1;
      widest = Math.max(widest, at - lineStart);
      const code = text.charCodeAt(at);
      if ((column === 0 || at - lineStart < column) && code === CODE.tab)
        throw new YamlSyntaxError("a tab is used as indentation: use spaces", at);
      if (!isBreak(code)) break;
      trailing += breakText(text, at);
      nextLine();
    }
    if (column === 0) column = Math.max(widest, indent + 1, 1);
  }
}

interface BlockHeader {
  readonly chomping: string;
  /** Columns in addition to the parent's, 0 where they are not said. */
  readonly increment: number;
  readonly end: number;
}

const BLOCK_HEADER = /[|>](?:([-+])([0-9])?|([0-9])([-+])?)?[ \t]*(?:#[^\n\r\x85\u2028\u2029]*)?/y;

function readBlockHeader(text: string, at: number): BlockHeader {
  BLOCK_HEADER.lastIndex = at;
  const match = BLOCK_HEADER.exec(text);
  const end = at + (match?.[0].length ?? 0);
  const digit = match?.[2] ?? match?.[3];
  if (digit === "0") throw new YamlSyntaxError("the indentation of a block scalar cannot be 0", at);
  if (!isBreakOrEnd(text.charCodeAt(end)))
    throw new YamlSyntaxError("text follows the | or > of a block scalar on its line", end);
  return { chomping: match?.[1] ?? match?.[4] ?? "", increment: Number(digit ?? 0), end };
}
