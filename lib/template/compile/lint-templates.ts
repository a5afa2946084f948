// Checks names across templates and partials, in the scope that each block and each call gives them.
// Works on the compiled form, calls nothing and evaluates nothing.

import { suggestName } from "@outrigger/base";
import {
  type BlockStatement,
  type CompiledTemplates,
  type Expression,
  type InlineStatement,
  type PartialStatement,
  type Program,
  type Statement,
  statementsOf,
} from "../compiled-templates.ts";
import { type Finding, partialSource } from "../finding.ts";
import type { HelperTable } from "../helpers/helper.ts";
import { lintExpression, lintHash, lintSlot } from "./lint-expression.ts";
import { type InlinePartial, type KnownNames, type Lint, type LintScope, ROOTS, report } from "./lint-scope.ts";

/** All findings about the templates and the partials, including partials that no template calls. */
export function lintPrograms(
  { templates, partials }: Pick<CompiledTemplates, "templates" | "partials">,
  helpers: HelperTable,
): readonly Finding[] {
  const lint: Lint = {
    partials: new Map(Object.entries(partials)),
    helpers: new Map(Object.entries(helpers).sort(([a], [b]) => (a < b ? -1 : 1))),
    passed: passedArguments([...Object.values(templates), ...Object.values(partials)]),
    findings: new Map(),
    seen: new Set(),
    plain: new Map(),
    calls: 0,
  };
  for (const [name, program] of Object.entries(templates)) lintProgram(program, rootScope(name, ROOTS), lint);
  for (const [name, program] of lint.partials) {
    const source = partialSource(name);
    if (!lint.seen.has(source)) lintProgram(program, { ...rootScope(source, undefined), stack: [program] }, lint);
  }
  return [...lint.findings.values()];
}

const NO_NAMES: ReadonlySet<string> = new Set();
const MOST_CALLS = 5000;

function rootScope(source: string, names: KnownNames): LintScope {
  const inlines = new Map<string, InlinePartial>();
  return { source, contexts: [names], parameters: NO_NAMES, unreachable: NO_NAMES, loops: 0, inlines, stack: [] };
}

function passedArguments(programs: readonly Program[]): ReadonlyMap<string, ReadonlySet<string>> {
  const passed = new Map<string, Set<string>>();
  for (const statement of programs.flatMap(statementsOf)) {
    if (statement.kind !== "partial") continue;
    const names = passed.get(statement.name) ?? new Set();
    for (const { key } of statement.hash) names.add(key);
    passed.set(statement.name, names);
  }
  return passed;
}

function lintProgram(program: Program, outer: LintScope, lint: Lint): void {
  const scope = withInlines(program, outer);
  for (const statement of program) lintStatement(statement, scope, lint);
}

function withInlines(program: Program, scope: LintScope): LintScope {
  const defined = program.filter((statement): statement is InlineStatement => statement.kind === "inline");
  if (defined.length === 0) return scope;
  const parameters = new Set([...scope.parameters, ...scope.unreachable]);
  const inlines = new Map<string, InlinePartial>(scope.inlines);
  for (const { name, program } of defined) inlines.set(name, { program, source: scope.source, parameters });
  return { ...scope, inlines };
}

function lintStatement(statement: Statement, scope: LintScope, lint: Lint): void {
  if (statement.kind === "slot") lintSlot(statement.expression, scope, lint);
  else if (statement.kind === "block") lintBlock(statement, scope, lint);
  else if (statement.kind === "partial") lintPartial(statement, scope, lint);
}

function lintBlock(statement: BlockStatement, scope: LintScope, lint: Lint): void {
  const { name, args, hash, parameters: names, program, inverse } = statement;
  // Of too many arguments, some are no values: their number is reported.
  if (name === "let" || args.length === 1) for (const argument of args) lintExpression(argument, scope, lint);
  lintHash(hash, scope, lint);
  const parameters = names.length === 0 ? scope.parameters : new Set([...scope.parameters, ...names]);
  const loops = scope.loops + (name === "each" ? 1 : 0);
  const contexts = name === "each" || name === "with" ? [undefined, ...scope.contexts] : scope.contexts;
  lintProgram(program, { ...scope, parameters, loops, contexts }, lint);
  lintProgram(inverse, scope, lint);
}

function lintPartial(statement: PartialStatement, scope: LintScope, lint: Lint): void {
  const { name, context, hash } = statement;
  if (context) lintExpression(context, scope, lint);
  lintHash(hash, scope, lint);
  const inline = scope.inlines.get(name);
  const program = inline?.program ?? lint.partials.get(name);
  if (!program) {
    const known = [...scope.inlines.keys(), ...lint.partials.keys()];
    const near = suggestName(name.replace(/^.*\//, "").replace(/\.hbs$/, ""), known);
    report(lint, scope, "missing-partial", statement, `partial "${name}" does not exist${near}`);
  } else if (scope.stack.includes(program)) {
    report(lint, scope, "recursive-partial", statement, `partial "${name}" calls itself`);
  } else if (lint.calls >= MOST_CALLS) {
    const message = `more than ${MOST_CALLS} partial calls: partials that call partials multiply`;
    report(lint, scope, "too-many-partials", statement, message);
  } else {
    const known = partialContext(context, lint.passed.get(name) ?? NO_NAMES, scope);
    const isPlain = known === ROOTS && scope.inlines.size === 0 && scope.loops === 0;
    const linted = isPlain ? lint.plain.get(program) : undefined;
    const before = lint.calls;
    lint.calls += linted ?? 1;
    if (linted !== undefined) return;
    const source = inline?.source ?? partialSource(name);
    lint.seen.add(source);
    const unreachable = inline?.parameters ?? NO_NAMES;
    const stack = [...scope.stack, program];
    lintProgram(program, { ...scope, source, contexts: [known], parameters: NO_NAMES, unreachable, stack }, lint);
    if (isPlain) lint.plain.set(program, lint.calls - before);
  }
}

function partialContext(context: Expression | null, passed: ReadonlySet<string>, scope: LintScope): KnownNames {
  const base = context ? contextNames(context, scope) : scope.contexts[0];
  return base && passed.size > 0 ? new Set([...base, ...passed]) : base;
}

function contextNames(expression: Expression, scope: LintScope): KnownNames {
  if (expression.kind === "path" && expression.parts.length === 0) return scope.contexts[expression.depth];
  const isRoot = expression.kind === "data" && expression.parts.length === 1 && expression.parts[0] === "root";
  return isRoot ? ROOTS : undefined;
}
