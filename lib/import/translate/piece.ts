// A translated template before it is laid out: text, tags and blocks, with the white space that Go gives them.

import type { GoNode } from "../go/go-syntax.ts";
import { NOT_TRANSLATED, type Scope } from "./scope.ts";
import type { YamlPosition } from "./yaml-position.ts";

export type Piece =
  | { readonly kind: "text"; readonly text: string; readonly isLiteral: boolean }
  /** A value, `{{x}}`. */
  | { readonly kind: "tag"; readonly text: string }
  | { readonly kind: "comment"; readonly text: string }
  /** `{{> name}}`, with what it holds. */
  | { readonly kind: "partial"; readonly text: string; readonly body: readonly Piece[] }
  | PieceBlock;

/** What stands in the place of something that has no translation. */
export const NOT_TRANSLATED_PIECE: Piece = { kind: "tag", text: `{{${NOT_TRANSLATED}}}` };

export interface PieceBlock {
  readonly kind: "block";
  /** The branches, each with the tag that opens it; one without a condition is the last. */
  readonly branches: readonly { readonly tag: string; readonly body: readonly Piece[] }[];
  readonly close: string;
  /** Whether one of the branches is always taken. */
  readonly isTotal: boolean;
}

/** A block of a helper, with what is there where it has nothing to show. */
export function blockPiece(
  helper: "if" | "let" | "each",
  head: string,
  body: readonly Piece[],
  otherwise?: readonly Piece[],
): PieceBlock {
  const last = otherwise === undefined ? [] : [{ tag: "{{else}}", body: otherwise }];
  const isTotal = helper === "let" || (helper === "if" && otherwise !== undefined);
  return {
    kind: "block",
    branches: [{ tag: `{{#${helper} ${head}}}`, body }, ...last],
    close: `{{/${helper}}}`,
    isTotal,
  };
}

/** Whether a line ends at the start of these pieces, whichever branches are taken. */
export function startsWithLineEnd(pieces: readonly Piece[], after: () => boolean, index = 0): boolean {
  const piece = pieces[index];
  if (piece === undefined) return after();
  const rest = () => startsWithLineEnd(pieces, after, index + 1);
  switch (piece.kind) {
    case "text":
      if (/^[ \t]*\n/.test(piece.text)) return true;
      return piece.text.trim() === "" && rest();
    case "tag":
      return false;
    case "comment":
      return rest();
    case "partial":
      return startsWithLineEnd(piece.body, rest);
    case "block":
      return piece.branches.every(({ body }) => startsWithLineEnd(body, rest)) && (piece.isTotal || rest());
  }
}

export interface Around {
  readonly scope: Scope;
  readonly position: YamlPosition;
  /** Whether a line ends after the nodes. */
  readonly after: () => boolean;
}

export interface Done {
  readonly pieces: readonly Piece[];
  readonly position: YamlPosition;
}

/** Translates nodes that follow one another. */
export type Walk = (nodes: readonly GoNode[], around: Around) => Done;
