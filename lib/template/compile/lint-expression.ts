// Names in expressions: helpers and their arguments, data roots, loop variables, `../` that leads nowhere.

import { OutriggerError, suggestName } from "@outrigger/base";
import {
  type CallExpression,
  type DataExpression,
  type Expression,
  type Hash,
  type PathExpression,
  type Program,
  TEMPLATE_ROOTS,
} from "../compiled-templates.ts";
import type { Finding, FindingCode } from "../finding.ts";
import { goText } from "../helpers/argument.ts";
import { arityOf, HELPER_ARGUMENTS, type HelperArgument, LOOKUP_ARGUMENTS } from "../helpers/helper-arguments.ts";
import { parseRegex } from "../helpers/regex-parser.ts";

/** As in Handlebars, a lone name is a call if a helper has it. A text helper around a whole slot has no use. */
export function lintSlot(expression: Expression, scope: LintScope, lint: Lint): void {
  const call = loneCall(expression, scope, lint);
  lintExpression(call ?? expression, scope, lint);
  if (expression.kind !== "call" || !TEXT_HELPERS.has(expression.helper)) return;
  const { helper } = expression;
  const message = `"${helper}" puts quotes into the value: {{x}} keeps text as text, write "{{x}}" to force it`;
  report(lint, scope, "needless-helper", expression, message, "warning");
}

export function lintExpression(expression: Expression, scope: LintScope, lint: Lint): void {
  if (expression.kind === "path") lintPath(expression, scope, lint);
  else if (expression.kind === "data") lintVariable(expression, scope, lint);
  else if (expression.kind === "call") lintCall(expression, scope, lint);
}

export function lintHash(hash: Hash, scope: LintScope, lint: Lint): void {
  for (const { value } of hash) lintExpression(value, scope, lint);
}

function loneCall(expression: Expression, scope: LintScope, lint: Lint): CallExpression | undefined {
  if (expression.kind !== "path") return undefined;
  const { depth, scoped, parts, line = 1, column = 1 } = expression;
  const [helper = "", ...rest] = parts;
  if (depth > 0 || scoped || rest.length > 0 || scope.parameters.has(helper)) return undefined;
  const isHelper = lint.helpers.has(helper) || REFUSED_HELPERS.has(helper);
  return isHelper ? { kind: "call", helper, args: [], hash: [], line, column } : undefined;
}

function lintCall(call: CallExpression, scope: LintScope, lint: Lint): void {
  const { helper: name, args, hash } = call;
  for (const argument of args) lintExpression(argument, scope, lint);
  lintHash(hash, scope, lint);
  const expected = name === "lookup" ? LOOKUP_ARGUMENTS : lint.helpers.get(name);
  if (expected === undefined) {
    const refused = REFUSED_HELPERS.get(name);
    if (refused !== undefined) {
      report(lint, scope, "refused-helper", call, `"${name}" is not needed: ${refused}`);
    } else {
      const near = suggestName(name, lint.helpers.keys()) || '; "outrigger print helpers" lists those that are';
      report(lint, scope, "unknown-helper", call, `helper "${name}" is not known${near}`);
    }
    return;
  }
  const arity = arityOf(expected);
  if (args.length >= arity[0] && args.length <= arity[1]) {
    const problem = args[0]?.kind === "literal" ? patternProblem(name, args[0].value) : undefined;
    if (problem !== undefined) report(lint, scope, "bad-pattern", call, problem);
    return;
  }
  const field = args.length === 0 ? `; for the field of that name write {{this.${name}}}` : "";
  const message = `helper "${name}" takes ${describeArity(arity)}, not ${args.length}${field}`;
  report(lint, scope, "helper-arguments", call, message);
}

function describeArity([least, most]: readonly [number, number]): string {
  if (least === most) return least === 1 ? "1 argument" : `${least} arguments`;
  if (most === Number.POSITIVE_INFINITY) return least === 1 ? "at least 1 argument" : `at least ${least} arguments`;
  return `${least} to ${most} arguments`;
}

function lintPath(path: PathExpression, scope: LintScope, lint: Lint): void {
  const { depth, scoped, parts } = path;
  if (depth >= scope.contexts.length) {
    const out = scope.stack.length > 0 ? "partial: pass the value as an argument" : "template";
    report(lint, scope, "context-depth", path, `"${"../".repeat(depth)}" leads out of the ${out}`);
    return;
  }
  const name = parts[0];
  const bare = depth === 0 && !scoped;
  if (name === undefined || (bare && (scope.parameters.has(name) || ROOTS.has(name)))) return;
  const known = scope.contexts[depth];
  if (bare && scope.unreachable.has(name) && !known?.has(name)) {
    const fix = `pass it as an argument, {{> partial ${name}=${name}}}`;
    report(lint, scope, "block-parameter", path, `block parameter "${name}" does not reach into a partial: ${fix}`);
  } else if (known && !known.has(name)) {
    report(lint, scope, "unknown-name", path, `"${name}" is not in the template data${suggestName(name, known)}`);
  }
}

/** Roots of the template data are visible everywhere. */
export const ROOTS: ReadonlySet<string> = new Set(TEMPLATE_ROOTS);

const LOOP_VARIABLES = ["key", "index", "first", "last"];

function lintVariable(variable: DataExpression, scope: LintScope, lint: Lint): void {
  const { depth, parts } = variable;
  const name = parts[0] as string;
  if (name === "root") return;
  if (!LOOP_VARIABLES.includes(name)) {
    const message = `"@${name}" is not known: use @root, @key, @index, @first or @last`;
    report(lint, scope, "unknown-variable", variable, message);
  } else if (depth >= scope.loops && scope.stack.length === 0) {
    // Not an error inside a partial: another template may call the partial from a loop.
    report(lint, scope, "unknown-variable", variable, `"@${"../".repeat(depth)}${name}" is used outside of #each`);
  }
}

/** The names that a context has; undefined when it could have any. */
export type KnownNames = ReadonlySet<string> | undefined;

export interface LintScope {
  readonly source: string;
  /** Innermost first. */
  readonly contexts: readonly KnownNames[];
  readonly parameters: ReadonlySet<string>;
  /** Block parameters around an inline partial, which do not reach into it. */
  readonly unreachable: ReadonlySet<string>;
  readonly loops: number;
  readonly inlines: ReadonlyMap<string, InlinePartial>;
  /** The partials being linted, outermost first. */
  readonly stack: readonly Program[];
}

export interface InlinePartial {
  readonly program: Program;
  readonly source: string;
  readonly parameters: ReadonlySet<string>;
}

/** Shared by all templates of one run. */
export interface Lint {
  readonly partials: ReadonlyMap<string, Program>;
  readonly helpers: ReadonlyMap<string, readonly HelperArgument[]>;
  /** The names of all arguments that any call passes to a partial: an argument may be optional. */
  readonly passed: ReadonlyMap<string, ReadonlySet<string>>;
  readonly findings: Map<string, Finding>;
  /** Partials that a template calls. */
  readonly seen: Set<string>;
  /** Partials that have been linted with the template data as their context, and the calls in them: another call shows nothing new. */
  readonly plain: Map<Program, number>;
  calls: number;
}

/** Records a finding once per position and code, however many templates call the partial. */
export function report(
  lint: Lint,
  { source }: LintScope,
  code: FindingCode,
  { line = 1, column = 1 }: Pick<PathExpression, "line" | "column">,
  message: string,
  severity: Finding["severity"] = "error",
): void {
  const key = `${source}\n${line}\n${column}\n${code}`;
  if (!lint.findings.has(key)) lint.findings.set(key, { code, severity, template: source, line, column, message });
}

// Which of Helm's helpers a template does not need, and whose first argument must be a regular expression.

const WHOLE = "an object or list is inserted whole, write key: {{value}}";

/** Helpers of Istio's and Helm's templates that exist only because values are spliced there. */
export const REFUSED_HELPERS: ReadonlyMap<string, string> = new Map([
  ["toYaml", WHOLE],
  ["toYAML", WHOLE],
  ["fromYaml", "read the value as JSON with fromJson"],
  ["indent", WHOLE],
  ["nindent", WHOLE],
  ["env", "templates cannot read the environment, put the setting into the values"],
  ["log", "templates do not log, use outrigger inject --overlay to see the result"],
  ["tpl", "templates are not evaluated at run time, use a partial"],
  ["include", "write {{> name}}"],
  ["template", "write {{> name}}"],
]);

/** Helpers that add YAML or JSON quotes, which become part of the value when they wrap a whole slot. */
export const TEXT_HELPERS: ReadonlySet<string> = new Set(["quote", "squote"]);

/** What is wrong with the first argument of a helper that takes a regular expression; undefined for every other helper. */
export function patternProblem(helper: string, value: unknown): string | undefined {
  const [first] = Object.hasOwn(HELPER_ARGUMENTS, helper) ? (HELPER_ARGUMENTS[helper] ?? []) : [];
  if (first?.[0] !== "pattern") return undefined;
  try {
    parseRegex(goText(value));
    return undefined;
  } catch (error) {
    return `"${helper}" always fails here: ${error instanceof OutriggerError ? error.message : String(error)}`;
  }
}
