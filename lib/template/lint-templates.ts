// Checks names across templates and partials: helpers, partials, data roots, block parameters, `../` that leads nowhere.
// Works on the dense form, calls nothing and evaluates nothing.

import type {
  BlockStatement,
  CallExpression,
  DataExpression,
  Expression,
  Hash,
  PartialStatement,
  PathExpression,
  Program,
  Statement,
} from "./compiled-templates.ts";
import { type Finding, type FindingCode, partialSource } from "./finding.ts";
import { arityOf, REFUSED_HELPERS, TEXT_HELPERS } from "./helper-rules.ts";
import { suggestName } from "./suggest-name.ts";
import { TEMPLATE_ROOTS } from "./template-roots.ts";

export interface LintInput {
  readonly templates: Readonly<Record<string, Program>>;
  readonly partials: Readonly<Record<string, Program>>;
  readonly helpers: readonly string[];
}

/** All findings of the templates and of the partials, those nobody calls included. */
export function lintPrograms(input: LintInput): readonly Finding[] {
  const lint: Lint = {
    partials: new Map(Object.entries(input.partials)),
    helpers: new Set(input.helpers),
    passed: passedArguments([...Object.values(input.templates), ...Object.values(input.partials)]),
    findings: new Map(),
    seen: new Set(),
    calls: 0,
  };
  for (const [name, program] of Object.entries(input.templates)) {
    lintProgram(program, rootScope(name, new Set(TEMPLATE_ROOTS)), lint);
  }
  for (const [name, program] of lint.partials) {
    const source = partialSource(name);
    if (!lint.seen.has(source)) lintProgram(program, { ...rootScope(source, undefined), stack: [program] }, lint);
  }
  return [...lint.findings.values()];
}

interface Lint {
  readonly partials: ReadonlyMap<string, Program>;
  readonly helpers: ReadonlySet<string>;
  /** Names of all arguments that any call passes to a partial: an argument may be optional. */
  readonly passed: ReadonlyMap<string, ReadonlySet<string>>;
  readonly findings: Map<string, Finding>;
  readonly seen: Set<string>;
  calls: number;
}

/** Names that a context is known to have; undefined when it could have any. */
type KnownNames = ReadonlySet<string> | undefined;

interface Scope {
  readonly source: string;
  /** Innermost first. */
  readonly contexts: readonly KnownNames[];
  readonly parameters: ReadonlySet<string>;
  /** Block parameters around an inline partial, which do not reach into it. */
  readonly unreachable: ReadonlySet<string>;
  readonly loops: number;
  readonly inlines: ReadonlyMap<string, InlinePartial>;
  readonly stack: readonly Program[];
}

interface InlinePartial {
  readonly program: Program;
  readonly source: string;
  readonly parameters: ReadonlySet<string>;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const MOST_CALLS = 5000;
const LOOP_VARIABLES = ["key", "index", "first", "last"];

function rootScope(source: string, names: KnownNames): Scope {
  return {
    source,
    contexts: [names],
    parameters: NO_NAMES,
    unreachable: NO_NAMES,
    loops: 0,
    inlines: new Map(),
    stack: [],
  };
}

function lintProgram(program: Program, outer: Scope, lint: Lint): void {
  let scope = outer;
  for (const statement of program) {
    if (statement[0] !== "inline") continue;
    const inline = { program: statement[2], source: scope.source, parameters: new Set([...scope.parameters, ...scope.unreachable]) };
    scope = { ...scope, inlines: new Map(scope.inlines).set(statement[1], inline) };
  }
  for (const statement of program) lintStatement(statement, scope, lint);
}

function lintStatement(statement: Statement, scope: Scope, lint: Lint): void {
  switch (statement[0]) {
    case "slot":
      return lintSlot(statement[1], scope, lint);
    case "block":
      return lintBlock(statement, scope, lint);
    case "partial":
      return lintPartial(statement, scope, lint);
    default:
      return;
  }
}

/** A lone name is a call if a helper has it, as in Handlebars; a text helper around a whole slot has no use. */
function lintSlot(expression: Expression, scope: Scope, lint: Lint): void {
  if (expression[0] === "path") {
    const [, depth, scoped, parts, line = 1, column = 1] = expression;
    const name = parts[0] as string;
    const alone = depth === 0 && scoped === 0 && parts.length === 1 && !scope.parameters.has(name);
    if (alone && (lint.helpers.has(name) || REFUSED_HELPERS.has(name))) {
      return lintCall(["call", name, [], [], line, column], scope, lint);
    }
  }
  lintExpression(expression, scope, lint);
  if (expression[0] === "call" && TEXT_HELPERS.has(expression[1])) {
    const [, name, , , line, column] = expression;
    report(lint, scope, "needless-helper", line, column, `"${name}" puts quotes into the value: {{x}} keeps text as text, write "{{x}}" to force it`, "warning");
  }
}

function lintBlock(statement: BlockStatement, scope: Scope, lint: Lint): void {
  const [, name, args, hash, parameters, program, inverse] = statement;
  for (const argument of args) lintExpression(argument, scope, lint);
  lintHash(hash, scope, lint);
  const inner = parameters.length === 0 ? scope : { ...scope, parameters: new Set([...scope.parameters, ...parameters]) };
  if (name === "each" || name === "with") {
    const contexts = [undefined, ...scope.contexts];
    lintProgram(program, { ...inner, contexts, loops: scope.loops + (name === "each" ? 1 : 0) }, lint);
  } else {
    lintProgram(program, inner, lint);
  }
  lintProgram(inverse, scope, lint);
}

function lintPartial(statement: PartialStatement, scope: Scope, lint: Lint): void {
  const [, name, context, hash, , line, column] = statement;
  if (context) lintExpression(context, scope, lint);
  lintHash(hash, scope, lint);
  const inline = scope.inlines.get(name);
  const program = inline?.program ?? lint.partials.get(name);
  if (!program) {
    const known = [...scope.inlines.keys(), ...lint.partials.keys()];
    return report(lint, scope, "missing-partial", line, column, `partial "${name}" does not exist${suggestName(name, known)}`);
  }
  if (scope.stack.includes(program)) {
    return report(lint, scope, "recursive-partial", line, column, `partial "${name}" calls itself`);
  }
  lint.calls += 1;
  if (lint.calls > MOST_CALLS) {
    return report(lint, scope, "too-many-partials", line, column, `more than ${MOST_CALLS} partial calls: partials that call partials multiply`);
  }
  const source = inline?.source ?? partialSource(name);
  lint.seen.add(source);
  lintProgram(
    program,
    {
      source,
      contexts: [partialContext(context, lint.passed.get(name) ?? NO_NAMES, scope)],
      parameters: NO_NAMES,
      unreachable: inline?.parameters ?? NO_NAMES,
      loops: scope.loops,
      inlines: scope.inlines,
      stack: [...scope.stack, program],
    },
    lint,
  );
}

function partialContext(context: Expression | null, passed: ReadonlySet<string>, scope: Scope): KnownNames {
  const base = context ? contextNames(context, scope) : scope.contexts[0];
  return base && new Set([...base, ...passed]);
}

function passedArguments(programs: readonly Program[]): ReadonlyMap<string, ReadonlySet<string>> {
  const passed = new Map<string, Set<string>>();
  const visit = (program: Program): void => {
    for (const statement of program) {
      if (statement[0] === "inline") visit(statement[2]);
      if (statement[0] === "block") for (const inner of [statement[5], statement[6]]) visit(inner);
      if (statement[0] !== "partial") continue;
      const names = passed.get(statement[1]) ?? new Set();
      for (const [key] of statement[3]) names.add(key);
      passed.set(statement[1], names);
    }
  };
  for (const program of programs) visit(program);
  return passed;
}

function contextNames(expression: Expression, scope: Scope): KnownNames {
  if (expression[0] === "path" && expression[3].length === 0) return scope.contexts[expression[1]];
  if (expression[0] === "data" && expression[2].length === 1 && expression[2][0] === "root") return new Set(TEMPLATE_ROOTS);
  return undefined;
}

function lintHash(hash: Hash, scope: Scope, lint: Lint): void {
  for (const [, value] of hash) lintExpression(value, scope, lint);
}

function lintExpression(expression: Expression, scope: Scope, lint: Lint): void {
  switch (expression[0]) {
    case "path":
      return lintPath(expression, scope, lint);
    case "data":
      return lintVariable(expression, scope, lint);
    case "call":
      return lintCall(expression, scope, lint);
    default:
      return;
  }
}

function lintCall(call: CallExpression, scope: Scope, lint: Lint): void {
  const [, name, args, hash, line, column] = call;
  for (const argument of args) lintExpression(argument, scope, lint);
  lintHash(hash, scope, lint);
  const refused = REFUSED_HELPERS.get(name);
  if (refused !== undefined && !lint.helpers.has(name)) return report(lint, scope, "refused-helper", line, column, `"${name}" is not needed: ${refused}`);
  if (!lint.helpers.has(name) && name !== "lookup") {
    return report(lint, scope, "unknown-helper", line, column, `helper "${name}" is not known${suggestName(name, lint.helpers)}`);
  }
  const arity = arityOf(name);
  if (arity && (args.length < arity[0] || args.length > arity[1])) {
    const field = args.length === 0 ? `; for the field of that name write {{this.${name}}}` : "";
    report(lint, scope, "helper-arguments", line, column, `helper "${name}" takes ${describeArity(arity)}, here are ${args.length}${field}`);
  }
}

function describeArity([least, most]: readonly [number, number]): string {
  const range = least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
  return `${range} ${range === "1" || range === "at least 1" ? "argument" : "arguments"}`;
}

function lintPath([, depth, scoped, parts, line = 1, column = 1]: PathExpression, scope: Scope, lint: Lint): void {
  if (depth >= scope.contexts.length) {
    return report(lint, scope, "context-depth", line, column, `"${"../".repeat(depth)}" leads out of the ${scope.stack.length > 0 ? "partial: pass the value as an argument" : "template"}`);
  }
  const name = parts[0];
  if (name === undefined || (depth === 0 && scoped === 0 && scope.parameters.has(name))) return;
  const known = scope.contexts[depth];
  if (depth === 0 && scoped === 0 && scope.unreachable.has(name) && !known?.has(name)) {
    return report(lint, scope, "block-parameter", line, column, `block parameter "${name}" does not reach into a partial: pass it as an argument, {{> partial ${name}=${name}}}`);
  }
  if (known && !known.has(name)) {
    report(lint, scope, "unknown-name", line, column, `"${name}" is not in the template data${suggestName(name, known)}`);
  }
}

function lintVariable([, depth, parts, line = 1, column = 1]: DataExpression, scope: Scope, lint: Lint): void {
  const name = parts[0] as string;
  if (name === "root") return;
  if (!LOOP_VARIABLES.includes(name)) {
    return report(lint, scope, "unknown-variable", line, column, `"@${name}" is not known: there are @root, @key, @index, @first and @last`);
  }
  // A partial may be called from inside a loop by a template that is not here.
  if (depth >= scope.loops && scope.stack.length === 0) {
    report(lint, scope, "unknown-variable", line, column, `"@${"../".repeat(depth)}${name}" is used outside of #each`);
  }
}

function report(
  lint: Lint,
  scope: Scope,
  code: FindingCode,
  line: number,
  column: number,
  message: string,
  severity: Finding["severity"] = "error",
): void {
  const key = `${scope.source}\n${line}\n${column}\n${code}`;
  if (!lint.findings.has(key)) lint.findings.set(key, { code, severity, template: scope.source, line, column, message });
}
