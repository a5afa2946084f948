// The syntax tree of a regular expression, and what its reader has read so far.

/** A set of code points, as ranges. */
export interface CharacterSet {
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly isNegated: boolean;
}

export type Node =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "assert"; readonly at: "start" | "end" | "word" | "no-word" }
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
  ignoreCase: boolean;
}
