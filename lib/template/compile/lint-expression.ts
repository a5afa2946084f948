// Names in expressions: helpers and their arguments, data roots, loop variables, `../` that leads nowhere.

import { suggestName } from "@outrigger/base";
import type { CallExpression, DataExpression, Expression, Hash, PathExpression } from "../compiled-templates.ts";
import { arityOf } from "../helpers/helper.ts";
import { LOOKUP_DOC } from "../helpers/lookup-doc.ts";
import { type Lint, type LintScope, ROOTS, report } from "./lint-scope.ts";
import { REFUSED_HELPERS, TEXT_HELPERS } from "./needless-helpers.ts";
import { patternProblem } from "./pattern-problem.ts";

/** Checks the expression of a slot. A lone name is a call if a helper has it, as in Handlebars. A text helper around a whole slot has no use. */
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
  const known = lint.helpers.get(name);
  const doc = name === "lookup" ? LOOKUP_DOC : known?.doc;
  if (doc === undefined) {
    const refused = REFUSED_HELPERS.get(name);
    if (refused !== undefined) {
      report(lint, scope, "refused-helper", call, `"${name}" is not needed: ${refused}`);
    } else {
      const near = suggestName(name, lint.helpers.keys()) || '; "outrigger print helpers" lists those that are';
      report(lint, scope, "unknown-helper", call, `helper "${name}" is not known${near}`);
    }
    return;
  }
  const arity = arityOf(doc.args);
  if (args.length >= arity[0] && args.length <= arity[1]) {
    const problem = args[0]?.kind === "literal" ? patternProblem(name, known, args[0].value) : undefined;
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
