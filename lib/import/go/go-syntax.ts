// The syntax tree of a Go text/template, and which variables a part of it sets and uses. Holds what was written and where; knows
// nothing of Istio or of Handlebars.

/** A place in the text of the template: both numbers are 1-based. */
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
  /** Whether the variables are set with `=` and not declared with `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly Command[];
  /** The pipeline's text, for findings. */
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

/** Variables of an outer block that the nodes set with `=`. */
export function assignedOutside(nodes: readonly GoNode[]): ReadonlySet<string> {
  const own = new Set<string>();
  const found = new Set<string>();
  for (const node of nodes) {
    if (node.kind === "action") {
      for (const name of node.pipeline.variables) {
        if (!node.pipeline.assigns) own.add(name);
        else if (!own.has(name)) found.add(name);
      }
    } else if (isBlock(node)) {
      for (const name of [...assignedOutside(node.body), ...assignedOutside(node.otherwise)]) {
        if (!own.has(name) && !(node.pipeline.variables.includes(name) && !node.pipeline.assigns)) found.add(name);
      }
    }
  }
  return found;
}

/** Whether the nodes read a variable; what sets it again is not followed. */
export function usesVariable(nodes: readonly GoNode[], name: string): boolean {
  return nodes.some((node) => {
    if (node.kind === "action") return readsVariable(node.pipeline, name);
    if (isBlock(node)) {
      return readsVariable(node.pipeline, name) || usesVariable(node.body, name) || usesVariable(node.otherwise, name);
    }
    return node.kind === "template" && node.pipeline !== undefined && readsVariable(node.pipeline, name);
  });
}

function readsVariable({ commands }: Pipeline, name: string): boolean {
  return commands.some((command) => command.some((operand) => inOperand(operand, name)));
}

function inOperand(operand: Operand, name: string): boolean {
  if (operand.kind === "variable") return operand.name === name;
  if (operand.kind === "group") return readsVariable(operand.pipeline, name);
  return operand.kind === "chain" && inOperand(operand.operand, name);
}

export function isBlock(node: GoNode): node is GoBlock {
  return node.kind === "if" || node.kind === "with" || node.kind === "range";
}
