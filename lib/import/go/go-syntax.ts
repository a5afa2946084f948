// The syntax tree of a Go text/template. Holds what was written and where; knows nothing of Istio or of Handlebars.

/** 1-based, in the text of the template. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type Operand =
  | { readonly kind: "dot" | "nil" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "string"; readonly value: string }
  /** `.A.B` */
  | { readonly kind: "field"; readonly names: readonly string[] }
  /** `$x.A.B`; the name is empty for `$`. */
  | { readonly kind: "variable"; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: "function"; readonly name: string }
  /** `(pipeline)` */
  | { readonly kind: "group"; readonly pipeline: Pipeline }
  /** `(pipeline).A.B` */
  | { readonly kind: "chain"; readonly operand: Operand; readonly names: readonly string[] };

export type Command = readonly Operand[];

export interface Pipeline extends Position {
  /** Variables without their `$`. */
  readonly variables: readonly string[];
  /** `=` and not `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly Command[];
  /** As written, for findings. */
  readonly source: string;
}

export type GoNode =
  | ({ readonly kind: "text"; readonly text: string } & Position)
  | ({ readonly kind: "comment"; readonly text: string } & Position)
  | ({ readonly kind: "action"; readonly pipeline: Pipeline } & Position)
  | GoBlock
  | ({ readonly kind: "template"; readonly name: string; readonly pipeline: Pipeline | undefined } & Position)
  | ({ readonly kind: "break" | "continue" } & Position);

export interface GoBlock extends Position {
  readonly kind: "if" | "with" | "range";
  readonly pipeline: Pipeline;
  readonly body: readonly GoNode[];
  readonly otherwise: readonly GoNode[];
}

export interface GoTemplate {
  readonly nodes: readonly GoNode[];
  /** `{{ define }}` and `{{ block }}`, by name. */
  readonly definitions: ReadonlyMap<string, readonly GoNode[]>;
}
