// The syntax tree of a regular expression, and what its reader has read so far.

import { fault } from "./argument.ts";

/** @throws OutriggerError `template-render` with what is wrong with the expression */
export function refuse(why: string): never {
  throw fault(`the regular expression ${why}`);
}

/** Where a position is, or what is next to it. */
export type Assertion = "start" | "end" | "line-start" | "line-end" | "word" | "no-word";

export type Node =
  /** A character that the expression, of one class of JavaScript, matches. */
  | { readonly kind: "set"; readonly set: RegExp }
  | { readonly kind: "assert"; readonly at: Assertion }
  | { readonly kind: "group"; readonly node: Node; readonly slot: number | undefined }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "choice"; readonly nodes: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly least: number;
      readonly most: number;
      readonly isLazy: boolean;
    };

export interface Reader {
  readonly points: readonly string[];
  at: number;
  groups: number;
  readonly names: Map<string, number>;
  depth: number;
  /** Those of i, m, s and U that hold here. */
  flags: string;
}

/** The nodes right below one. */
export function partsOf(node: Node): readonly Node[] {
  return "nodes" in node ? node.nodes : "node" in node ? [node.node] : [];
}
