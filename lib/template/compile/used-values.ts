// The values that templates read, so that those without a reader can be found.

import { type CallExpression, type CompiledTemplates, type Expression, statementsOf } from "../compiled-templates.ts";

/**
 * Returns the paths below `values` that templates read, wherever they are: conditions, arguments and tags. Without `values` itself:
 * `["global", "proxy", "image"]` for `{{values.global.proxy.image}}`.
 */
export function usedValues({ templates, partials }: CompiledTemplates): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  for (const statement of [...Object.values(templates), ...Object.values(partials)].flatMap(statementsOf)) {
    if (statement.kind === "slot") noteIn(statement.expression, found);
    if (statement.kind === "partial" && statement.context !== null) noteIn(statement.context, found);
    if (statement.kind === "block") for (const expression of statement.args) noteIn(expression, found);
    if ("hash" in statement) for (const { value } of statement.hash) noteIn(value, found);
  }
  return [...found.values()];
}

function noteIn(expression: Expression, found: Map<string, readonly string[]>): void {
  if (expression.kind === "literal") return;
  if (expression.kind === "call") {
    const path = lookupPath(expression);
    if (path !== undefined) found.set(path.join("."), path);
    for (const argument of path === undefined ? expression.args : expression.args.slice(1)) noteIn(argument, found);
    for (const { value } of expression.hash) noteIn(value, found);
    return;
  }
  const parts = expression.kind === "data" ? expression.parts.slice(1) : expression.parts;
  // All of `values`, as an argument of a partial, says nothing about what is read.
  if (parts[0] === "values" && parts.length > 1) found.set(parts.slice(1).join("."), parts.slice(1));
}

/** Returns the path that a call reads: `(lookup values.a "b")` reads `values.a.b`; so do `get`, `index`, `hasKey` and `isset`. */
function lookupPath({ helper, args }: CallExpression): readonly string[] | undefined {
  const [from, key] = args;
  if (!["lookup", "get", "index", "hasKey", "isset"].includes(helper) || from?.kind !== "path") return undefined;
  return from.parts[0] === "values" && key?.kind === "literal"
    ? [...from.parts.slice(1), String(key.value)]
    : undefined;
}
