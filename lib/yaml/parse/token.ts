// What scanning a YAML text gives: tokens, scalars, positions, and the error of an invalid text.

import type { ScalarStyle } from "./nodes.ts";

export type TokenKind =
  | "end"
  | "error"
  | "directive"
  | "document-start"
  | "document-end"
  | "block-sequence"
  | "block-mapping"
  | "block-end"
  | "["
  | "]"
  | "{"
  | "}"
  | "-"
  | ","
  | "key"
  | ":"
  | "alias"
  | "anchor"
  | "tag"
  | "scalar";

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** Value of a scalar, name of an anchor or alias, reason of an error, text of a tag or directive. */
  readonly text: string;
  readonly style: ScalarStyle;
  /** A key begins with this token. Set when its colon is found. */
  isKey: boolean;
  /** A block mapping begins with that key. */
  isFirstKey: boolean;
}

export function token(kind: TokenKind, start: number, end: number, text = "", style: ScalarStyle = "plain"): Token {
  return { kind, start, end, text, style, isKey: false, isFirstKey: false };
}

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

/** One line break is a space; further ones are kept. */
export function folded(first: string, breaks: string): string {
  if (first !== "\n") return first + breaks;
  return breaks === "" ? " " : breaks;
}

/** A text is not YAML, or not YAML that has a value in JSON. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
  readonly reason: string;
  /** Offset in the text. */
  readonly position: number;

  constructor(reason: string, position: number) {
    super(reason);
    this.reason = reason;
    this.position = position;
  }
}
