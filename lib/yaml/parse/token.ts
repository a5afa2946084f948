// A token of a YAML text.

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
