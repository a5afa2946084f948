// A Go text/template → tokens: text, and the words of each action. Source: the lexer of Go's text/template/parse.

import { lineIndex, OutriggerError } from "@outrigger/base";
import type { Position } from "./go-syntax.ts";

type TokenKind = "text" | "comment" | "open" | "close" | "word" | "field" | "variable" | "number" | "string" | "mark";

export interface Token extends Position {
  readonly kind: TokenKind;
  /** The text without quotes, `$` or the leading dot. */
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
  const add = (kind: TokenKind, text: string, offset: number, spaced = false) =>
    void tokens.push({ kind, text, spaced, offset, ...at(offset) });
  let offset = 0;
  let trimsStart = false;
  while (offset < source.length) {
    const open = source.indexOf("{{", offset);
    const [opening = "", trimsEnd] = (open === -1 ? undefined : matchAt(OPENING, open)) ?? [];
    const text = source.slice(offset, open === -1 ? undefined : open);
    const rest = trimsStart ? text.replace(SPACE_BEFORE, "") : text;
    const trimmed = trimsEnd === undefined ? rest : rest.replace(SPACE_AFTER, "");
    if (trimmed !== "") add("text", trimmed, offset + text.length - rest.length);
    if (open === -1) break;
    const comment = matchAt(COMMENT, open);
    if (comment === undefined) add("open", "", open);
    [offset, trimsStart] =
      comment === undefined ? lexAction(open + opening.length, open) : lexComment(open + comment[0].length, open);
  }
  return tokens;

  function matchAt(sticky: RegExp, from: number): RegExpExecArray | undefined {
    sticky.lastIndex = from;
    return sticky.exec(source) ?? undefined;
  }

  /** @returns where it ends, and whether what follows is trimmed; so does lexAction() */
  function lexComment(from: number, open: number): readonly [end: number, trims: boolean] {
    const end = source.indexOf("*/", from);
    if (end === -1) throw goFault("the comment is not closed", at(open));
    const [closing, trims] = matchAt(COMMENT_CLOSING, end + 2) ?? [];
    if (closing === undefined) throw goFault("a comment must end its action", at(open));
    add("comment", source.slice(from, end).trim(), open);
    return [end + 2 + closing.length, trims !== undefined];
  }

  function lexAction(from: number, open: number): readonly [end: number, trims: boolean] {
    for (let position = from; ; ) {
      const [closing, trims] = matchAt(CLOSING, position) ?? [];
      const [space = ""] = matchAt(SPACE, position) ?? [];
      if (closing !== undefined) {
        const end = position + closing.length;
        add("close", "", end - (trims === undefined ? 2 : 3), space !== "");
        return [end, trims !== undefined];
      }
      position += space.length;
      if (position >= source.length) throw goFault("the action is not closed", at(open));
      const [kind, text, length] = lexWord(position);
      add(kind, text, position, space !== "");
      position += length;
    }
  }

  function lexWord(position: number): readonly [kind: TokenKind, text: string, length: number] {
    for (const [kind, pattern] of WORDS) {
      const [whole, text] = matchAt(pattern, position) ?? [];
      if (whole !== undefined) return [kind, text ?? whole, whole.length];
    }
    const [quoted, raw, text = "", character] = matchAt(QUOTED, position) ?? [];
    if (quoted !== undefined) {
      if (raw !== undefined) return ["string", raw.replaceAll("\r", ""), quoted.length];
      if (character === undefined) return ["string", unquoted(text, at(position)), quoted.length];
      return ["number", String(unquoted(character, at(position)).codePointAt(0) ?? 0), quoted.length];
    }
    const first = source[position] ?? "";
    const why = `the character ${JSON.stringify(first)} has no meaning in an action`;
    throw goFault(/["'`]/.test(first) ? "the string is not closed" : why, at(position));
  }
}

// Patterns at a place of the source. White space is a trim marker's part: `{{- ` and ` -}}`.
const OPENING = /\{\{(-[ \t\r\n])?/y;
const COMMENT = /\{\{(?:-[ \t\r\n]+)?\/\*/y;
const COMMENT_CLOSING = /(?:[ \t\r\n]+(-))?\}\}/y;
const CLOSING = /(?:[ \t\r\n]+(-)|[ \t\r\n]*)\}\}/y;
const SPACE = /[ \t\r\n]+/y;
const SPACE_BEFORE = /^[ \t\r\n]+/;
const SPACE_AFTER = /(?<![ \t\r\n])[ \t\r\n]+$/;
const QUOTED = /`([^`]*)`|"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)'/y;

/** The words that are not strings; the group of a variable or field is its name. The first match counts: `.5` is a number, `.a` a field. */
const WORDS: readonly (readonly [kind: TokenKind, pattern: RegExp])[] = [
  ["variable", /\$([\p{L}\p{Nd}_]*)/uy],
  ["number", /[-+]?\.?[0-9](?:[.\p{L}\p{Nd}_]|(?<=[eE])[-+])*/uy],
  ["field", /\.([\p{L}\p{Nd}_]*)/uy],
  ["mark", /:=|[()|,=]/y],
  ["word", /[\p{L}\p{Nd}_]+/uy],
];

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
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([\s\S]?))/g;

/** An interpreted string's contents: the escapes of Go. */
function unquoted(text: string, place: Position): string {
  return text.replace(ESCAPE, (_escape, byte?: string, short?: string, long?: string, octal?: string, letter = "") => {
    const hex = byte ?? short ?? long;
    if (hex === undefined && octal === undefined) {
      const known = ESCAPES[letter];
      if (known === undefined) throw goFault(`the escape \\${letter} in the string is not known`, place);
      return known;
    }
    const code = hex === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hex, 16);
    if (code > 0x10ffff) throw goFault("the escape in the string is not valid", place);
    return String.fromCodePoint(code);
  });
}

export function goFault(reason: string, { line, column }: Position): OutriggerError {
  const message = `Cannot read the Go template: ${reason} (line ${line}, column ${column})`;
  return new OutriggerError("template-invalid", message, { line, column });
}
