// A Go text/template → tokens: text, and the words of each action. Source: the lexer of Go's text/template/parse.

import { lineIndex, OutriggerError } from "@outrigger/base";
import type { Position } from "./go-syntax.ts";

export type TokenKind =
  | "text"
  | "comment"
  | "open"
  | "close"
  | "word"
  | "field"
  | "variable"
  | "number"
  | "string"
  | "mark";

export interface Token extends Position {
  readonly kind: TokenKind;
  /** Without quotes, `$` or the leading dot. */
  readonly text: string;
  /** Whether white space comes before it: `.a .b` are two operands, `.a.b` is one. */
  readonly spaced: boolean;
  readonly offset: number;
}

/**
 * The tokens of a template. Trim markers have been applied to the text around them.
 *
 * @throws OutriggerError `template-invalid`, with line and column
 *
 * @example
 * ```ts
 * lexGoTemplate("a {{- .B }}").map(({ kind, text }) => kind + " " + text) // => ["text a", "open ", "field B", "close "]
 * ```
 */
export function lexGoTemplate(source: string): readonly Token[] {
  const tokens: Token[] = [];
  const at = lineIndex(source);
  let offset = 0;
  let trimsNext = false;
  while (offset < source.length) {
    const open = source.indexOf("{{", offset);
    const end = open === -1 ? source.length : open;
    const trimsLast = open !== -1 && source[open + 2] === "-" && isSpace(source[open + 3]);
    pushText(offset, end, trimsNext, trimsLast);
    trimsNext = false;
    if (open === -1) break;
    offset = open + (trimsLast ? 4 : 2);
    if (source.startsWith("/*", skipSpace(offset, trimsLast))) {
      offset = lexComment(skipSpace(offset, trimsLast), open);
      continue;
    }
    tokens.push({ kind: "open", text: "", spaced: false, offset: open, ...at(open) });
    offset = lexAction(offset, open);
  }
  return tokens;

  function skipSpace(from: number, skips: boolean): number {
    let to = from;
    while (skips && isSpace(source[to])) to += 1;
    return to;
  }

  function pushText(from: number, to: number, trimsStart: boolean, trimsEnd: boolean): void {
    let start = from;
    let end = to;
    while (trimsStart && start < end && isSpace(source[start])) start += 1;
    while (trimsEnd && end > start && isSpace(source[end - 1])) end -= 1;
    if (end > start)
      tokens.push({ kind: "text", text: source.slice(start, end), spaced: false, offset: start, ...at(start) });
  }

  function lexComment(from: number, open: number): number {
    const end = source.indexOf("*/", from + 2);
    if (end === -1) throw fault("the comment is not closed", at(open));
    const text = source.slice(from + 2, end).trim();
    const trims = isSpace(source[end + 2]) && source.startsWith("-}}", skipSpace(end + 2, true));
    const close = trims ? skipSpace(end + 2, true) + 1 : end + 2;
    if (!source.startsWith("}}", close)) throw fault("a comment must end its action", at(open));
    tokens.push({ kind: "comment", text, spaced: false, offset: open, ...at(open) });
    trimsNext = trims;
    return close + 2;
  }

  function lexAction(from: number, open: number): number {
    let position = from;
    for (;;) {
      const start = position;
      while (isSpace(source[position])) position += 1;
      const spaced = position > start;
      if (position >= source.length) throw fault("the action is not closed", at(open));
      const trims = spaced && source.startsWith("-}}", position);
      if (trims || source.startsWith("}}", position)) {
        tokens.push({ kind: "close", text: "", spaced, offset: position, ...at(position) });
        trimsNext = trims;
        return position + (trims ? 3 : 2);
      }
      const [token, length] = lexWord(position);
      tokens.push({ ...token, spaced, offset: position, ...at(position) });
      position += length;
    }
  }

  function lexWord(position: number): readonly [Pick<Token, "kind" | "text">, number] {
    const character = source[position] as string;
    if (character === '"' || character === "`" || character === "'") return lexQuoted(position, character);
    if (character === "$") {
      const name = wordAt(position + 1);
      return [{ kind: "variable", text: name }, name.length + 1];
    }
    if (character === "." && isDigit(source[position + 1])) return lexNumber(position);
    if (character === ".") {
      const name = wordAt(position + 1);
      return [{ kind: "field", text: name }, name.length + 1];
    }
    if (isDigit(character) || ((character === "-" || character === "+") && isDigit(source[position + 1])))
      return lexNumber(position);
    if (source.startsWith(":=", position)) return [{ kind: "mark", text: ":=" }, 2];
    if ("()|,=".includes(character)) return [{ kind: "mark", text: character }, 1];
    const word = wordAt(position);
    if (word === "")
      throw fault(`the character ${JSON.stringify(character)} has no meaning in an action`, at(position));
    return [{ kind: "word", text: word }, word.length];
  }

  function wordAt(from: number): string {
    let to = from;
    while (to < source.length && isWordCharacter(source[to] as string)) to += 1;
    return source.slice(from, to);
  }

  function lexNumber(from: number): readonly [Pick<Token, "kind" | "text">, number] {
    let to = from + 1;
    while (to < source.length) {
      const isExponentSign = "+-".includes(source[to] as string) && "eE".includes(source[to - 1] as string);
      if (!isExponentSign && source[to] !== "." && !isWordCharacter(source[to] as string)) break;
      to += 1;
    }
    return [{ kind: "number", text: source.slice(from, to) }, to - from];
  }

  function lexQuoted(from: number, quote: string): readonly [Pick<Token, "kind" | "text">, number] {
    let to = from + 1;
    while (to < source.length && source[to] !== quote) {
      if (quote !== "`" && source[to] === "\n") break;
      to += quote !== "`" && source[to] === "\\" ? 2 : 1;
    }
    if (source[to] !== quote) throw fault("the string is not closed", at(from));
    const inner = source.slice(from + 1, to);
    const text = quote === "`" ? inner.replaceAll("\r", "") : unquoted(inner, at(from));
    const length = to + 1 - from;
    if (quote !== "'") return [{ kind: "string", text }, length];
    return [{ kind: "number", text: String(text.codePointAt(0) ?? 0) }, length];
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};
const HEX_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** An interpreted string's contents: the escapes of Go. */
function unquoted(text: string, place: Position): string {
  let result = "";
  for (let index = 0; index < text.length; index++) {
    if (text[index] !== "\\") {
      result += text[index];
      continue;
    }
    const letter = text[++index] ?? "";
    const known = ESCAPES[letter];
    const length = HEX_LENGTHS[letter];
    if (known !== undefined) result += known;
    else if (length !== undefined) {
      const code = Number.parseInt(text.slice(index + 1, index + 1 + length), 16);
      if (!(code <= 0x10ffff)) throw fault("the escape in the string is not valid", place);
      result += String.fromCodePoint(code);
      index += length;
    } else if (/[0-7]/.test(letter)) {
      result += String.fromCharCode(Number.parseInt(text.slice(index, index + 3), 8));
      index += 2;
    } else throw fault(`the escape \\${letter} in the string is not known`, place);
  }
  return result;
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\r";
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{Nd}_]/u.test(character);
}

function fault(reason: string, { line, column }: Position): OutriggerError {
  const message = `Cannot read the Go template: ${reason} (line ${line}, column ${column})`;
  return new OutriggerError("template-invalid", message, { line, column });
}
