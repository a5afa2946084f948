// The value of a variable after blocks that may have set it.

import { assignedOutside, isBlock } from "../go/assignments.ts";
import type { GoNode } from "../go/go-syntax.ts";
import { ANY, BOOL, type GoType } from "../go/go-types.ts";
import { foldRange } from "./fold-range.ts";
import { type Scope, type Value, withVariable } from "./scope.ts";
import { call, conditionOf, refuse } from "./translate-call.ts";
import { translatePipeline } from "./translate-expression.ts";

/** What a variable is after an `if` that may have set it: a choice between the values of its branches. */
export function valueAfter(nodes: readonly GoNode[], name: string, scope: Scope): Value {
  return nodes.reduce<Value>((value, node) => {
    const current = withVariable(scope, name, value);
    if (node.kind === "action" && node.pipeline.assigns && node.pipeline.variables[0] === name)
      return translatePipeline(node.pipeline, current);
    if (!isBlock(node) || !assignedOutside([node]).has(name)) return value;
    const folded = node.kind === "range" ? foldRange(node, current) : undefined;
    if (folded?.variable === name) return folded.value;
    if (node.kind !== "if") {
      return refuse(
        scope,
        node,
        `$${name} is set in a {{ ${node.kind} }}`,
        "compute the value with helpers before the block",
      );
    }
    const condition = translatePipeline(node.pipeline, current);
    const yes = valueAfter(node.body, name, current);
    const no = valueAfter(node.otherwise, name, current);
    const type: GoType = yes.type.kind === no.type.kind ? yes.type : ANY;
    return call("ternary", [yes, no, { text: conditionOf(condition), type: BOOL }], type);
  }, scope.variables.get(name) ?? { text: "undefined", type: ANY });
}
