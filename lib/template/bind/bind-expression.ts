// A compiled expression → its bound value. A call with constant arguments is made here, once.

import { entryOf, OutriggerError } from "@outrigger/base";
import { type CallExpression, type Expression, type PathExpression, TEMPLATE_ROOTS } from "../compiled-templates.ts";
import { renderError } from "../finding.ts";
import type { HelperFunction, HelperFunctions } from "../helpers/helper.ts";
import { type BoundValue, boundPath, boundProperty, constant, NOTHING, type Read, readerOf } from "./bound-value.ts";
import { ownProperty } from "./own-property.ts";
import { spend, stepsOf } from "./render-budget.ts";

export type LoopVariables = Readonly<Record<"key" | "index" | "first" | "last", BoundValue>>;

/** What names refer to at one point of a template. */
export interface Names {
  /** Name of the template or partial, for errors. */
  readonly source: string;
  readonly helpers: HelperFunctions;
  readonly data: BoundValue;
  /** The contexts around, the innermost first. */
  readonly contexts: readonly BoundValue[];
  readonly parameters: ReadonlyMap<string, BoundValue>;
  /** The variables of the loops around, the innermost first. */
  readonly loops: readonly LoopVariables[];
}

const MISSING: Expression = { kind: "literal" };

export function bindExpression(expression: Expression, names: Names): BoundValue {
  switch (expression.kind) {
    case "literal":
      return constant(expression.value);
    case "path": {
      const { parts } = expression;
      const parameter = parameterOf(expression, names);
      return parameter ? boundPath(parameter, parts.slice(1)) : boundPath(contextOf(expression, names), parts);
    }
    case "data": {
      const { depth, parts } = expression;
      const [name = "", ...rest] = parts;
      if (name === "root") return boundPath(names.data, rest);
      const loop: Readonly<Record<string, BoundValue>> = names.loops[depth] ?? {};
      return boundPath(entryOf(loop, name) ?? NOTHING, rest);
    }
    case "call":
      return bindCall(expression, names);
  }
}

/** The block parameter that a path starts from. A path that is not scoped has a name. */
export function parameterOf({ depth, scoped, parts }: PathExpression, { parameters }: Names): BoundValue | undefined {
  return depth === 0 && !scoped ? parameters.get(parts[0] as string) : undefined;
}

/**
 * The value that a path starts from, block parameters aside. A root of the template data is a root everywhere, also inside
 * `#each` and `#with`, unless an argument of a partial has its name; `this.spec` and `./spec` are fields of the context.
 */
export function contextOf({ depth, scoped, parts }: PathExpression, names: Names): BoundValue {
  const [name = ""] = parts;
  if (depth > 0 || scoped || !ROOTS.has(name)) return names.contexts[depth] ?? NOTHING;
  return names.contexts.find((context) => context.kind === "extended" && context.entries.has(name)) ?? names.data;
}

const ROOTS: ReadonlySet<string> = new Set(TEMPLATE_ROOTS);

/** A slot's expression: a lone name that a helper has is a call of it, as in Handlebars. */
export function slotExpression(expression: Expression, line: number, column: number, names: Names): Expression {
  if (expression.kind !== "path") return expression;
  const { depth, scoped, parts } = expression;
  const [helper = "", ...rest] = parts;
  const isLone = depth === 0 && !scoped && rest.length === 0 && !names.parameters.has(helper);
  if (!isLone || !Object.hasOwn(names.helpers, helper)) return expression;
  return { kind: "call", helper, args: [], hash: [], line, column };
}

function bindCall(call: CallExpression, names: Names): BoundValue {
  const { helper: name, args, hash, line, column } = call;
  if (name === "lookup") return bindLookup(args, names);
  const helper = entryOf(names.helpers, name);
  const place = { source: names.source, line, column };
  if (!helper) throw renderError(`helper "${name}": it is not known`, place);
  const bound = args.map((argument) => bindExpression(argument, names));
  const options = hash.map(({ key, value }) => [key, bindExpression(value, names)] as const);
  const blame: Blame = (cause) => {
    const isClear = cause instanceof OutriggerError || cause instanceof RangeError;
    const reason = isClear ? cause.message : "it failed on this value";
    return renderError(`helper "${name}": ${reason}`, place, cause);
  };
  if ([...bound, ...options.map(([, value]) => value)].every(({ kind }) => kind === "constant")) {
    try {
      const hash = Object.fromEntries(options.map(([key, value]) => [key, knownOf(value)]));
      return constant(helper.run(bound.map(knownOf), hash));
    } catch {
      // The call may never be reached: the error belongs to a rendering, not to loading.
    }
  }
  const read =
    firstReader(helper, bound, options.length, blame) ??
    callReader(helper.run, bound.map(readerOf), hashReader(options), blame);
  return { kind: "dynamic", read };
}

function knownOf(value: BoundValue): unknown {
  return value.kind === "constant" ? value.value : undefined;
}

/** Adds the position to a helper's error. */
type Blame = (cause: unknown) => OutriggerError;

/** A call of which only the first argument is dynamic. */
function firstReader(
  helper: HelperFunction,
  args: readonly BoundValue[],
  options: number,
  blame: Blame,
): Read | undefined {
  const [first, ...others] = args;
  if (helper.ofFirst === undefined || options > 0 || first === undefined) return undefined;
  const known: unknown[] = [];
  for (const value of others) {
    if (value.kind !== "constant") return undefined;
    known.push(value.value);
  }
  let call: (value: unknown) => unknown;
  try {
    call = helper.ofFirst(known);
  } catch {
    return undefined;
  }
  const read = readerOf(first);
  return (registers) => {
    const value = read(registers);
    try {
      return call(value);
    } catch (cause) {
      throw blame(cause);
    }
  };
}

function bindLookup(args: readonly Expression[], names: Names): BoundValue {
  const value = bindExpression(args[0] ?? MISSING, names);
  const key = bindExpression(args[1] ?? MISSING, names);
  if (value.kind === "constant" && key.kind === "constant") return constant(lookup(value.value, key.value));
  if (value.kind !== "dynamic" && key.kind === "constant") return boundProperty(value, propertyName(key.value));
  const readValue = readerOf(value);
  const readKey = readerOf(key);
  return { kind: "dynamic", read: (registers) => lookup(readValue(registers), readKey(registers)) };
}

/** Returns a falsy value unchanged, as Handlebars' lookup does. */
function lookup(value: unknown, key: unknown): unknown {
  return value ? ownProperty(value, propertyName(key)) : value;
}

function propertyName(key: unknown): string {
  return typeof key === "string" || typeof key === "number" ? String(key) : "";
}

const NO_HASH: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));

type ReadHash = (registers: readonly unknown[]) => Readonly<Record<string, unknown>>;

function hashReader(options: readonly (readonly [string, BoundValue])[]): ReadHash | undefined {
  if (options.length === 0) return undefined;
  const readers = options.map(([key, value]) => [key, readerOf(value)] as const);
  return (registers) => {
    const hash: Record<string, unknown> = Object.create(null);
    for (const [key, read] of readers) hash[key] = read(registers);
    return hash;
  };
}

/** One closure per number of arguments. Only the helper is inside the `try`: an argument's error keeps its own position. */
function callReader(run: HelperFunction["run"], args: readonly Read[], hash: ReadHash | undefined, blame: Blame): Read {
  const call = (values: readonly unknown[], options: Readonly<Record<string, unknown>>): unknown => {
    let steps = 0;
    for (let at = 0; at < values.length; at++) steps += stepsOf(values[at]);
    spend(steps);
    let result: unknown;
    try {
      result = run(values, options);
    } catch (cause) {
      throw blame(cause);
    }
    spend(stepsOf(result));
    return result;
  };
  const [a, b, c] = args as [Read, Read, Read];
  if (hash === undefined) {
    if (args.length === 1) return (registers) => call([a(registers)], NO_HASH);
    if (args.length === 2) return (registers) => call([a(registers), b(registers)], NO_HASH);
    if (args.length === 3) return (registers) => call([a(registers), b(registers), c(registers)], NO_HASH);
  }
  return (registers) => {
    const values = args.map((read) => read(registers));
    return call(values, hash === undefined ? NO_HASH : hash(registers));
  };
}
