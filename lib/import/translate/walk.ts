// How the translation of a template goes on: what it knows at a node, and what it has made of it.

import type { GoNode } from "../go/go-syntax.ts";
import type { Piece } from "./piece.ts";
import type { Scope } from "./scope.ts";
import type { YamlPosition } from "./yaml-position.ts";

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
