// Reads the text of one scalar in single or double quotes, as go-yaml reads it.

import { afterBreak, breakText, CODE, isBlank, isBreak, isDocumentMarker, isSpaceOrEnd } from "./characters.ts";
import { type Cursor, folded, type ScannedScalar, YamlSyntaxError } from "./token.ts";

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
