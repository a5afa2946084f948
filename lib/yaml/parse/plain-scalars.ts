// Reads the text of one scalar without quotes, plain, literal or folded, as go-yaml reads it. Knows nothing of the structure around
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
} from "./characters.ts";
import { type Cursor, folded, type ScannedScalar, YamlSyntaxError } from "./token.ts";

/**
 * @param indent column of the enclosing block collection, -1 at the top
 * @throws YamlSyntaxError for a tab in the indentation of a further line
 */
export function scanPlain(text: string, from: Cursor, indent: number, inFlow: boolean): ScannedScalar {
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

const BLOCK_HEADER = /[|>](?:([-+])([0-9])?|([0-9])([-+])?)?[ \t]*(?:#[^\n\r\x85\u2028\u2029]*)?/y;

/** @returns `increment`, columns in addition to the parent's, is 0 where they are not said */
function readBlockHeader(text: string, at: number) {
  BLOCK_HEADER.lastIndex = at;
  // Every part of it may be missing but the | or > that is there.
  const match = BLOCK_HEADER.exec(text) as RegExpExecArray;
  const end = at + match[0].length;
  const digit = match[2] ?? match[3];
  if (digit === "0") throw new YamlSyntaxError("the indentation of a block scalar cannot be 0", at);
  if (!isBreakOrEnd(text.charCodeAt(end)))
    throw new YamlSyntaxError("text follows the | or > of a block scalar on its line", end);
  return { chomping: match[1] ?? match[4] ?? "", increment: Number(digit ?? 0), end };
}
