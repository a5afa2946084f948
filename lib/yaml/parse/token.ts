// What scanning a YAML text gives: tokens, scalars, positions, and the error of an invalid text.

import type { ScalarStyle } from "./nodes.ts";

// Which characters a YAML text may hold, and which of them are white space, line breaks and indicators to go-yaml. The end
// of a text has the code NaN.
export const CODE = {
  tab: 9,
  space: 32,
  exclamation: 33,
  doubleQuote: 34,
  hash: 35,
  percent: 37,
  ampersand: 38,
  singleQuote: 39,
  asterisk: 42,
  comma: 44,
  minus: 45,
  dot: 46,
  colon: 58,
  greater: 62,
  question: 63,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  bar: 124,
  closeBrace: 125,
  byteOrderMark: 0xfeff,
} as const;

/** Matches characters that YAML does not allow: control characters, and half a surrogate pair. */
export const NOT_ALLOWED: RegExp = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

export function isBlank(code: number): boolean {
  return code === CODE.space || code === CODE.tab;
}

/** Whether a character is a line break of YAML 1.1, which has next line, line separator and paragraph separator too. */
export function isBreak(code: number): boolean {
  return code === 10 || code === 13 || code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBreakOrEnd(code: number): boolean {
  return isBreak(code) || Number.isNaN(code);
}

export function isSpaceOrEnd(code: number): boolean {
  return code === CODE.space || code === CODE.tab || isBreakOrEnd(code);
}

/** Offset after the line break at `at`: a carriage return and line feed are one. */
export function afterBreak(text: string, at: number): number {
  return text.charCodeAt(at) === 13 && text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1;
}

/** Returns the text of a line break in a value. It is a line feed, except that line and paragraph separators stay. */
export function breakText(text: string, at: number): string {
  const code = text.charCodeAt(at);
  return code === 0x2028 || code === 0x2029 ? text.charAt(at) : "\n";
}

/** Whether `---` or `...` is at `at`, alone or before white space. */
export function isDocumentMarker(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code !== CODE.minus && code !== CODE.dot) return false;
  return text.charCodeAt(at + 1) === code && text.charCodeAt(at + 2) === code && isSpaceOrEnd(text.charCodeAt(at + 3));
}

type DocumentToken = "end" | "error" | "directive" | "document-start" | "document-end";
type BlockToken = "block-sequence" | "block-mapping" | "block-end" | "-" | "key" | ":";
type FlowToken = "[" | "]" | "{" | "}" | ",";
export type TokenKind = DocumentToken | BlockToken | FlowToken | "alias" | "anchor" | "tag" | "scalar";

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** The value of a scalar, name of an anchor or alias, reason of an error, or text of a tag or directive. */
  readonly text: string;
  readonly style: ScalarStyle;
  /** Whether a key begins with this token. It is set when the key's colon is found. */
  isKey: boolean;
  /** Whether that key is the first of a block mapping. */
  isFirstKey: boolean;
}

export function token(kind: TokenKind, start: number, end: number, text = "", style: ScalarStyle = "plain"): Token {
  return { kind, start, end, text, style, isKey: false, isFirstKey: false };
}

/** A position with its line, so that columns can be counted. */
export interface Cursor {
  readonly at: number;
  /** The line, 0-based. */
  readonly line: number;
  /** Offset of the line's first character. */
  readonly lineStart: number;
}

export interface ScannedScalar {
  readonly value: string;
  /** Offset after the scalar's last character. */
  readonly end: number;
  /** The position where scanning continues. */
  readonly next: Cursor;
  /** Whether a line break lies between the scalar's end and `next`. */
  readonly isBroken: boolean;
}

/** Folds line breaks: a single one is a space; of several, the ones after the first are kept. */
export function folded(first: string, breaks: string): string {
  if (first !== "\n") return first + breaks;
  return breaks === "" ? " " : breaks;
}

/** The error of a text that is not YAML, or that has no value in JSON. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
  readonly reason: string;
  /** The offset of the error in the text. */
  readonly position: number;

  constructor(reason: string, position: number) {
    super(reason);
    this.reason = reason;
    this.position = position;
  }
}

// What is written before a node, tags and anchors, and what a document's tags and directives mean.
/** The prefix of each handle of a tag: `!!` and those of `%TAG`. */
type TagHandles = ReadonlyMap<string, string>;

export const DEFAULT_TAG_HANDLES: TagHandles = new Map([
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
]);

/**
 * The handle of a tag that a directive declares, with its prefix; undefined for `%YAML`.
 *
 * @throws YamlSyntaxError for a directive that YAML 1.1 does not have
 */
export function readDirective({ start, text }: Token): readonly [handle: string, prefix: string] | undefined {
  const [name, first = "", second = ""] = text
    .replace(/\s#.*$/, "")
    .trim()
    .split(/[ \t]+/);
  if (name === "%YAML") {
    if (first === "1.1") return undefined;
    throw new YamlSyntaxError("the version of YAML must be 1.1: remove this line", start);
  }
  if (name === "%TAG" && /^!(?:[\w-]*!)?$/.test(first) && second !== "") return [first, second];
  throw new YamlSyntaxError("a line with % is %YAML or %TAG", start);
}

/** A tag with its handle written out; undefined where it says nothing. */
export function fullTag(text: string, handles: TagHandles, at: number): string | undefined {
  if (text === "!") return "!";
  if (text.startsWith("!<")) return decodeTag(text.slice(2, -1), at);
  const [handle] = /^![\w-]*!/.exec(text) ?? ["!"];
  const prefix = handles.get(handle);
  const suffix = text.slice(handle.length);
  if (prefix === undefined) throw new YamlSyntaxError("the prefix of this tag is not declared with %TAG", at);
  if (suffix === "" && handle !== "!") throw new YamlSyntaxError("a tag has a name", at);
  return prefix + decodeTag(suffix, at);
}

function decodeTag(text: string, at: number): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause;
    throw new YamlSyntaxError("the % escapes of this tag are not UTF-8", at);
  }
}

const NAME = /[0-9A-Za-z_-]*/y;
const TAG = /!(?:<(?:[\w;/?:@&=+$,.!~*'()[\]-]|%[0-9a-fA-F]{2})+>|(?:[\w;/?:@&=+$,.!~*'()[\]-]|%[0-9a-fA-F]{2})*)/y;

/** The name after the `&` or `*` at an offset. */
export function nameAt(text: string, at: number): string {
  NAME.lastIndex = at + 1;
  const name = NAME.exec(text)?.[0] ?? "";
  const end = at + 1 + name.length;
  if (name === "" || !(isSpaceOrEnd(text.charCodeAt(end)) || "?:,]}%@`".includes(text.charAt(end))))
    throw new YamlSyntaxError("the name of an anchor has letters, digits, - and _ only", at);
  return name;
}

export function tagAt(text: string, at: number): string {
  TAG.lastIndex = at;
  const tag = TAG.exec(text)?.[0] ?? "!";
  const end = at + tag.length;
  if (!isSpaceOrEnd(text.charCodeAt(end))) throw new YamlSyntaxError("a tag ends with a space or a line break", end);
  return tag;
}

export function assertPlainStart(text: string, at: number): void {
  const first = text.charAt(at);
  if (first === "\t") throw new YamlSyntaxError("a tab is used as indentation: use spaces", at);
  if (NO_PLAIN_START.has(first)) throw new YamlSyntaxError(`a value cannot start with ${first}: put it in quotes`, at);
}

/** The characters that neither a plain scalar nor anything else begins with. */
const NO_PLAIN_START: ReadonlySet<string> = new Set("#|>%@`");
