// Which variables a part of a Go template sets and uses.

import type { GoNode, Operand, Pipeline } from "./go-syntax.ts";

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

export function isBlock(node: GoNode): node is Extract<GoNode, { readonly kind: "if" | "with" | "range" }> {
  return node.kind === "if" || node.kind === "with" || node.kind === "range";
}
