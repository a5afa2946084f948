// Finds references to `values` that do not resolve, so that a typo in a template shows when publishing and not as a
// missing field; and values that are used as a regular expression and are none.

import { entryOf, suggestName } from "@outrigger/base";
import { bindExpression, contextOf, type Names, parameterOf } from "../bind/bind-expression.ts";
import { bindProgram } from "../bind/bind-program.ts";
import type { Visit } from "../bind/bound-program.ts";
import type { BoundValue } from "../bind/bound-value.ts";
import { ownProperty } from "../bind/own-property.ts";
import type { CallExpression, CompiledTemplates, Expression, PathExpression, Program } from "../compiled-templates.ts";
import { type Finding, partialSource } from "../finding.ts";
import type { HelperTable } from "../helpers/helper.ts";
import { patternProblem } from "./pattern-problem.ts";

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
  const { partials } = compiled;
  const data: BoundValue = { kind: "data", constants: { values } };
  // By their places and messages: a partial may be called in several ways.
  const findings = new Map<string, Finding>();
  const seen = new Set<string>();
  // Grows while it is read: a template, or a partial as it is called.
  const parts: { source: string; program: Program; context: BoundValue }[] = Object.entries(compiled.templates).map(
    ([source, program]) => ({ source, program, context: data }),
  );
  for (const { source, program, context } of parts) {
    const call = `${source} ${describe(context)}`;
    if (seen.has(call)) continue;
    seen.add(call);
    const visit: Visit = (expression, isTest, names, line, column) => {
      search(expression, isTest, { names, helpers, line, column, values, findings });
    };
    const onCall = (name: string, given: BoundValue) =>
      void parts.push({ source: partialSource(name), program: partials[name] as Program, context: given });
    bindProgram({ name: source, program, context, partials, helpers, constants: { values }, visit, onCall });
  }
  return [...findings.values()];
}

/** Returns a text that is equal for contexts with the same findings: one value that is known only for a pod is like another. */
function describe(context: BoundValue): string {
  if (context.kind === "constant") return JSON.stringify(context.value);
  if (context.kind !== "extended") return context.kind;
  const entries = [...context.entries].map(([name, value]) => `${JSON.stringify(name)}: ${describe(value)}`);
  return `${describe(context.base)} {${entries.join(", ")}}`;
}

interface Search {
  readonly names: Names;
  readonly helpers: HelperTable;
  readonly line: number;
  readonly column: number;
  readonly values: unknown;
  readonly findings: Map<string, Finding>;
}

/** Helpers that accept a missing argument. */
const ASKING: ReadonlySet<string> = new Set("default valueOrDefault coalesce isset hasKey empty not and or".split(" "));

/** @param asks whether a missing value is meant: in a condition, or as an argument of a helper that accepts it */
function search(expression: Expression, asks: boolean, at: Search): void {
  if (expression.kind === "path" && !asks) searchPath(expression, at);
  if (expression.kind === "data" && !asks && expression.parts[0] === "root") report(expression.parts.slice(1), at);
  if (expression.kind !== "call") return;
  const { helper, args, hash, line, column } = expression;
  for (const argument of [...args, ...hash.map(({ value }) => value)])
    search(argument, asks || ASKING.has(helper), { ...at, line, column });
  searchPattern(expression, at);
}

/** A pattern that is a value; those that the template spells out are found without it. */
function searchPattern({ helper, args: [pattern], line, column }: CallExpression, at: Search): void {
  const bound = pattern?.kind === "path" ? bindExpression(pattern, at.names) : undefined;
  if (bound?.kind !== "constant" || bound.value === undefined) return;
  const message = patternProblem(helper, entryOf(at.helpers, helper), bound.value);
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

function report([root, ...parts]: readonly string[], { names, line, column, values, findings }: Search): void {
  if (root !== "values") return;
  let value: unknown = values;
  for (const [index, name] of parts.entries()) {
    const next = ownProperty(value, name);
    if (next === undefined) {
      const missing = [root, ...parts.slice(0, index + 1)].join(".");
      const known = typeof value === "object" && value !== null ? Object.keys(value) : [];
      const message = `"${missing}" is not in the values${suggestName(name, known)}`;
      findings.set(`${names.source} ${line} ${column} ${missing}`, {
        code: "unresolved-value",
        severity: "warning",
        template: names.source,
        line,
        column,
        message,
      });
      return;
    }
    // A null is deliberate: it deletes a default.
    if (next === null) return;
    value = next;
  }
}
