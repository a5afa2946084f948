// The paths below `values` that templates read, wherever they are: conditions, arguments and tags.

import { type CompiledTemplates, type Expression, type Program, statementsOf } from "../compiled-templates.ts";

/** Without `values` itself; `["global", "proxy", "image"]` for `{{values.global.proxy.image}}`. */
export function usedValues({ templates, partials }: CompiledTemplates): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  for (const program of [...Object.values(templates), ...Object.values(partials)]) {
    for (const [name, path] of usedBy(program)) found.set(name, path);
  }
  return [...found.values()];
}

/** Most programs are those of the templates before. */
const USED = new WeakMap<Program, Found>();

function usedBy(program: Program): Found {
  const known = USED.get(program);
  if (known !== undefined) return known;
  const found: Found = new Map();
  for (const statement of statementsOf(program)) {
    if (statement.kind === "slot") visit(statement.expression, found);
    if (statement.kind === "partial" && statement.context !== null) visit(statement.context, found);
    if (statement.kind === "block") for (const expression of statement.args) visit(expression, found);
    if ("hash" in statement) for (const { value } of statement.hash) visit(value, found);
  }
  USED.set(program, found);
  return found;
}

type Found = Map<string, readonly string[]>;

function visit(expression: Expression, found: Found): void {
  if (expression.kind === "literal") return;
  if (expression.kind === "call") {
    const path = lookupPath(expression);
    if (path !== undefined) found.set(path.join("."), path);
    for (const argument of path === undefined ? expression.args : expression.args.slice(1)) visit(argument, found);
    for (const { value } of expression.hash) visit(value, found);
    return;
  }
  const parts = expression.kind === "data" ? expression.parts.slice(1) : expression.parts;
  // All of `values`, as an argument of a partial, says nothing about what is read.
  if (parts[0] === "values" && parts.length > 1) found.set(parts.slice(1).join("."), parts.slice(1));
}

/** `(lookup values.a "b")` reads `values.a.b`; so do `get`, `index` and `hasKey`. */
function lookupPath({ helper, args }: Extract<Expression, { readonly kind: "call" }>): readonly string[] | undefined {
  const [from, key] = args;
  if (!["lookup", "get", "index", "hasKey", "isset"].includes(helper) || from?.kind !== "path") return undefined;
  return from.parts[0] === "values" && key?.kind === "literal"
    ? [...from.parts.slice(1), String(key.value)]
    : undefined;
}
