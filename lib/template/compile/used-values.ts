// The paths below `values` that templates read, wherever they are: conditions, arguments and tags.

import type { CompiledTemplates, Expression, Program } from "../compiled-templates.ts";

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
  visitProgram(program, found);
  USED.set(program, found);
  return found;
}

type Found = Map<string, readonly string[]>;

function visitProgram(program: Program, found: Found): void {
  for (const statement of program) {
    switch (statement.kind) {
      case "slot":
        visit(statement.expression, found);
        break;
      case "inline":
        visitProgram(statement.program, found);
        break;
      case "partial":
        for (const { value } of statement.hash) visit(value, found);
        if (statement.context !== null) visit(statement.context, found);
        break;
      case "block":
        for (const expression of statement.args) visit(expression, found);
        for (const { value } of statement.hash) visit(value, found);
        visitProgram(statement.program, found);
        visitProgram(statement.inverse, found);
    }
  }
}

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
