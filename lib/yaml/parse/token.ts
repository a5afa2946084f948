// What scanning a YAML text gives: tokens, scalars, positions, and the error of an invalid text.

import type { ScalarStyle } from "./nodes.ts";

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

export function assertPlainStart(text: string, at: number): void {
  const first = text.charAt(at);
  if (first === "\t") throw new YamlSyntaxError("a tab is used as indentation: use spaces", at);
  if (NO_PLAIN_START.has(first)) throw new YamlSyntaxError(`a value cannot start with ${first}: put it in quotes`, at);
}

/** The characters that neither a plain scalar nor anything else begins with. */
const NO_PLAIN_START: ReadonlySet<string> = new Set("#|>%@`");
