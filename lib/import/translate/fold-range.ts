// A loop that only makes a value → a helper on the whole list: a list that grows, a flag that an item sets.

import { assignedOutside } from "../go/assignments.ts";
import type { GoBlock } from "../go/go-syntax.ts";
import { ANY, BOOL, STRING } from "../go/go-types.ts";
import { foundItem, growingList } from "../go/idioms.ts";
import type { Scope, Value } from "./scope.ts";
import { call, stringValue } from "./translate-call.ts";
import { translatePipeline } from "./translate-expression.ts";

export interface FoldedRange {
  readonly variable: string;
  /** What the variable is after the loop. */
  readonly value: Value;
}

/** Undefined for a loop that is translated as one. */
export function foldRange(node: GoBlock, scope: Scope): FoldedRange | undefined {
  return foldList(node, scope) ?? foldFlag(node, scope);
}

function foldList(node: GoBlock, scope: Scope): FoldedRange | undefined {
  const grown = growingList(node);
  if (grown === undefined || scope.variables.get(grown.variable)?.isEmptyList !== true) return undefined;
  const over = translatePipeline(grown.over, scope);
  const isContainers = over.text === "spec.containers" || over.text === "@root.spec.containers";
  const { variable, without } = grown;
  const type = { kind: "list", element: STRING } as const;
  if (without === "istio-proxy" && grown.names.join(".") === "Name" && isContainers)
    return { variable, value: call("appContainers", [over], type) };
  const plucked = pluck(over, grown.names);
  if (plucked === undefined || (without !== undefined && grown.names[0] !== "Name")) return undefined;
  if (without === undefined) return { variable, value: plucked };
  return { variable, value: call("without", [plucked, { text: `"${without}"`, type: STRING }], type) };
}

/** `$x` is what an item sets it to if one of them has that text in its field, and what it was if none has. */
function foldFlag(node: GoBlock, scope: Scope): FoldedRange | undefined {
  const found = foundItem(node);
  if (found === undefined || assignedOutside([node]).size !== 1) return undefined;
  const { variable, texts, to } = found;
  const before = scope.variables.get(variable);
  if (before === undefined) return undefined;
  const plucked = pluck(translatePipeline(found.over, scope), found.names);
  if (plucked === undefined) return undefined;
  const tests = texts.map((text) => call("has", [stringValue(text, scope, node), plucked], BOOL));
  const [only] = tests;
  const isFound = tests.length === 1 && only !== undefined ? only : call("or", tests, BOOL);
  const after = translatePipeline(to, scope);
  if (before.literal === false && after.literal === true) return { variable, value: isFound };
  if (before.literal === true && after.literal === false) return { variable, value: call("not", [isFound], BOOL) };
  const type = before.type.kind === after.type.kind ? before.type : ANY;
  return { variable, value: call("ternary", [after, before, isFound], type) };
}

/** One field of every item. */
function pluck(over: Value, names: readonly string[]): Value | undefined {
  const [name, ...others] = names;
  const element = over.type.kind === "list" ? over.type.element : ANY;
  if (name === undefined || others.length > 0 || element.kind !== "object") return undefined;
  const path = element.field(name)?.path ?? [];
  if (path.length !== 1) return undefined;
  return call("pluck", [{ text: `"${path[0]}"`, type: STRING }, over], { kind: "list", element: STRING });
}
