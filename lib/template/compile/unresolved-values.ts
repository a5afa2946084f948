// Finds references to `values.*` that do not resolve, so that a typo in a template shows when publishing and not as a
// missing field; and values that are used as a regular expression and are none.

import { suggestName } from "@outrigger/base";
import { bindExpression, contextOf, type Names, parameterOf } from "../bind/bind-expression.ts";
import { bindProgram } from "../bind/bind-program.ts";
import type { PartialCalls, Visit } from "../bind/bind-scope.ts";
import type { BoundValue } from "../bind/bound-value.ts";
import { ownProperty } from "../bind/own-property.ts";
import type { CompiledTemplates, Expression, PathExpression, Program } from "../compiled-templates.ts";
import { type Finding, partialSource } from "../finding.ts";
import type { HelperTable } from "../helpers/helper-table.ts";
import { patternProblem } from "./helper-rules.ts";

/**
 * A warning for each `values.a.b` that does not exist, unless the template only tests for it: in a condition, or as an
 * argument of `default`, `isset` and similar helpers. An error for each value that must be a regular expression and is none.
 * Branches that the values switch off are skipped.
 *
 * @param values the release's values, all layers merged
 * @param helpers the table that the templates are rendered with
 */
export function unresolvedValues(
  compiled: CompiledTemplates,
  values: unknown,
  helpers: HelperTable,
): readonly Finding[] {
  const tree = { partials: compiled.partials, values, text: JSON.stringify(values), helpers };
  // The list grows while it is read.
  const programs = Object.entries(compiled.templates);
  const called = new Set<string>();
  const findings = new Map<string, Finding>();
  for (const [source, program] of programs) {
    const visited = visitProgram(source, program, tree);
    for (const [key, finding] of visited.findings) findings.set(key, finding);
    for (const name of visited.plain) {
      if (!called.has(name)) programs.push([partialSource(name), compiled.partials[name] as Program]);
      called.add(name);
    }
  }
  return [...findings.values()];
}

interface Tree extends Pick<CompiledTemplates, "partials"> {
  readonly values: unknown;
  /** Of the values. */
  readonly text: string;
  readonly helpers: HelperTable;
}

/** What a program shows on its own, and what it depends on. */
interface Visited extends PartialCalls, Pick<Tree, "text" | "helpers"> {
  readonly source: string;
  /** By their places and messages: a partial may be called in several ways. */
  readonly findings: ReadonlyMap<string, Finding>;
}

/** Most programs are those of the tree before: readTemplate gives the same objects for them. */
const VISITED = new WeakMap<Program, Visited>();

function visitProgram(source: string, program: Program, tree: Tree): Visited {
  const known = VISITED.get(program);
  if (known !== undefined && isStill(known, source, tree)) return known;
  const { partials, values, text, helpers } = tree;
  const findings = new Map<string, Finding>();
  const visit: Visit = (expression, isTest, names, line, column) => {
    const at = { names, line, column, values, findings };
    searchPatterns(expression, at);
    if (!isTest) search(expression, at);
  };
  const calls: PartialCalls = { plain: new Set(), entered: new Map() };
  bindProgram({ name: source, program, partials, helpers, constants: { values }, visit, calls });
  const visited = { ...calls, text, helpers, source, findings };
  VISITED.set(program, visited);
  return visited;
}

function isStill({ source, text, helpers, entered }: Visited, name: string, tree: Tree): boolean {
  const isSame = source === name && text === tree.text && helpers === tree.helpers;
  return isSame && [...entered].every(([partial, program]) => tree.partials[partial] === program);
}

interface Search {
  readonly names: Names;
  readonly line: number;
  readonly column: number;
  readonly values: unknown;
  readonly findings: Map<string, Finding>;
}

/** Helpers that accept a missing argument. */
const ASKING: ReadonlySet<string> = new Set([
  "default",
  "valueOrDefault",
  "coalesce",
  "isset",
  "hasKey",
  "empty",
  "not",
  "and",
  "or",
]);

function search(expression: Expression, at: Search): void {
  if (expression.kind === "path") searchPath(expression, at);
  if (expression.kind === "data" && expression.parts[0] === "root") report(expression.parts.slice(1), at);
  if (expression.kind !== "call" || ASKING.has(expression.helper)) return;
  const { args, hash, line, column } = expression;
  for (const argument of [...args, ...hash.map(({ value }) => value)]) search(argument, { ...at, line, column });
}

/** Patterns that are values; those that the template spells out are found without them. */
function searchPatterns(expression: Expression, at: Search): void {
  if (expression.kind !== "call") return;
  const { helper, args, hash, line, column } = expression;
  for (const argument of [...args, ...hash.map(({ value }) => value)]) searchPatterns(argument, at);
  const [pattern] = args;
  const bound = pattern?.kind === "path" ? bindExpression(pattern, at.names) : undefined;
  if (bound?.kind !== "constant" || bound.value === undefined) return;
  const message = patternProblem(helper, bound.value);
  if (message === undefined) return;
  const template = at.names.source;
  const finding = { code: "bad-pattern", severity: "error", template, line, column, message } as const;
  at.findings.set(`${template} ${line} ${column}`, finding);
}

function searchPath(path: PathExpression, at: Search): void {
  if (parameterOf(path, at.names) !== undefined) return;
  let context: BoundValue | undefined = contextOf(path, at.names);
  while (context?.kind === "extended" && !context.entries.has("values")) context = context.base;
  if (context?.kind === "data") report(path.parts, at);
}

function report(parts: readonly string[], { names, line, column, values, findings }: Search): void {
  if (parts[0] !== "values") return;
  let value: unknown = values;
  for (const [index, name] of parts.entries()) {
    if (index === 0) continue;
    const next = ownProperty(value, name);
    if (next === undefined) {
      const missing = parts.slice(0, index + 1).join(".");
      const known = typeof value === "object" && value !== null ? Object.keys(value) : [];
      const message = `"${missing}" is not in the values${suggestName(name, known)}`;
      const finding = {
        code: "unresolved-value",
        severity: "warning",
        template: names.source,
        line,
        column,
        message,
      } as const;
      findings.set(`${names.source} ${line} ${column} ${missing}`, finding);
      return;
    }
    // A null is deliberate: it deletes a default.
    if (next === null) return;
    value = next;
  }
}
