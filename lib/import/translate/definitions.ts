// The definitions of a Go template where they are called: their text, and what names mean in them.

import type { GoNode, Position } from "../go/go-syntax.ts";
import type { Scope, Value } from "./scope.ts";

/** A definition that calls another twice, which does the same, is read twice as often at each step. */
const MAX_CALLS = 1000;

/** Returns what a definition holds; undefined, with a finding, where it cannot be called. */
export function definitionOf(name: string, scope: Scope, at: Position): readonly GoNode[] | undefined {
  const nodes = scope.definitions.bodies.get(name);
  const isTooOften = scope.definitions.countCall() > MAX_CALLS;
  if (nodes !== undefined && !scope.calls.includes(name) && !isTooOften) return nodes;
  const reason =
    nodes === undefined
      ? "it is not defined in this template; copy its {{ define }} into the template"
      : isTooOften
        ? `the definitions of this template are called more than ${MAX_CALLS} times`
        : "it calls itself, which no partial can";
  scope.report("error", at, `Cannot translate {{ template ${JSON.stringify(name)} }}: ${reason}`);
  return undefined;
}

/** What names mean in a definition that is called with a value. */
export function calling(scope: Scope, name: string, dot: Value): Scope {
  return { ...scope, dot, variables: new Map([["", dot]]), calls: [...scope.calls, name] };
}
