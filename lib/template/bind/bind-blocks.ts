// Blocks: conditions and loops. A constant condition keeps one branch and a short constant list is unrolled; everything
// else is decided at render time.

import { once } from "@outrigger/base";
import type { BlockStatement, Expression, Program } from "../compiled-templates.ts";
import type { TemplatePosition } from "../finding.ts";
import { bindExpression, type LoopVariables } from "./bind-expression.ts";
import {
  type Bound,
  type Branch,
  type Build,
  choose,
  inSequence,
  named,
  type Run,
  readOnce,
  repeat,
  runAll,
  type Scope,
  under,
  within,
  withParameters,
} from "./bound-program.ts";
import { type BoundValue, constant, type Read, readerOf, register } from "./bound-value.ts";
import { expressionText } from "./expression-text.ts";
import { isPresent, isTruthy } from "./truth.ts";

/** Binds a program inside the block, in the scope that the block creates. */
export type BindBody = (program: Program, scope: Scope) => Bound;

export function bindBlock(statement: BlockStatement, scope: Scope, build: Build, bind: BindBody): Bound {
  const { name, args, line, column } = statement;
  for (const argument of args) build.visit?.(argument, name !== "let" && name !== "each", scope, line, column);
  if (name === "let") return bindLet(statement, scope, build, bind);
  // A block without an argument does not compile.
  const value = bindExpression(args[0] as Expression, scope);
  switch (name) {
    case "if":
    case "unless":
      return bindIf(statement, value, scope, build, bind);
    case "with":
      return bindWith(statement, value, scope, build, bind);
    case "each":
      return bindEach(statement, value, scope, build, bind);
  }
}

function bindIf(statement: BlockStatement, value: BoundValue, scope: Scope, build: Build, bind: BindBody): Bound {
  const { name, hash, program, inverse } = statement;
  const zero = hash.findLast(({ key }) => key === "includeZero");
  const decision = boundCondition(value, zero && bindExpression(zero.value, scope));
  const [yes, no] = name === "if" ? [program, inverse] : [inverse, program];
  const position = positionOf(statement, scope);
  if (decision.kind === "constant") {
    const taken = decision.value === true;
    return decided(taken, bind(taken ? yes : no, scope), position, build);
  }
  const ofDataAlone = scope.contexts[0] === scope.data && scope.parameters.size === 0 && scope.loops.length === 0;
  const condition = testedText(statement, scope, build);
  const ifYes = branch(() => bind(yes, under(scope, "if", condition)), build);
  const ifNo = branch(() => bind(no, under(scope, "unless", condition)), build);
  return choose(readerOf(decision), ifYes, ifNo, {
    position,
    block: ofDataAlone ? statement : undefined,
    condition,
  });
}

function decided(taken: boolean, { pieces, run }: Bound, position: TemplatePosition, { keepsDecisions }: Build): Bound {
  return { pieces: keepsDecisions ? [{ kind: "decided", taken, pieces, position }] : pieces, run };
}

/** A visitor sees the whole program, so all branches are bound at once. */
function branch(bind: () => Bound, { visit }: Build): Branch {
  const bound = once(bind);
  if (visit !== undefined) bound();
  return bound;
}

function boundCondition(value: BoundValue, zero: BoundValue | undefined): BoundValue {
  if (value.kind === "constant" && (zero === undefined || zero.kind === "constant")) {
    return constant(isTruthy(zero?.value) ? isPresent(value.value) : isTruthy(value.value));
  }
  const read = readerOf(value);
  if (zero === undefined) return { kind: "dynamic", read: (registers) => isTruthy(read(registers)) };
  const readZero = readerOf(zero);
  const test: Read = (registers) => (isTruthy(readZero(registers)) ? isPresent : isTruthy)(read(registers));
  return { kind: "dynamic", read: test };
}

function bindWith(statement: BlockStatement, value: BoundValue, scope: Scope, build: Build, bind: BindBody): Bound {
  const { args, parameters, program, inverse } = statement;
  const [parameter] = parameters;
  const position = positionOf(statement, scope);
  if (value.kind === "constant" && !isPresent(value.value))
    return decided(false, bind(inverse, scope), position, build);
  // Template data and the context of a partial are objects: always present.
  if (value.kind !== "dynamic") {
    return decided(true, bind(program, within(scope, value, [[parameter, value]])), position, build);
  }
  const read: Run[] = [];
  const condition = testedText(statement, scope, build);
  const context = named(readOnce(value, read, build), args[0] as Expression, scope, build);
  const readContext = readerOf(context);
  const chosen = choose(
    (registers) => isPresent(readContext(registers)),
    branch(() => bind(program, under(within(scope, context, [[parameter, context]]), "with", condition)), build),
    branch(() => bind(inverse, under(scope, "without", condition)), build),
    { position, condition },
  );
  return { pieces: chosen.pieces, run: runAll([...read, ...(chosen.run ? [chosen.run] : [])]) };
}

function bindLet(statement: BlockStatement, scope: Scope, build: Build, bind: BindBody): Bound {
  const { args, parameters: names, program } = statement;
  const runs: Run[] = [];
  const values = args.map((argument) =>
    named(readOnce(bindExpression(argument, scope), runs, build), argument, scope, build),
  );
  const parameters = values.map((value, index) => [names[index], value] as const);
  const body = bind(program, withParameters(scope, parameters));
  return { pieces: body.pieces, run: body.run && runAll([...runs, body.run]) };
}

function bindEach(statement: BlockStatement, value: BoundValue, scope: Scope, build: Build, bind: BindBody): Bound {
  const { program, inverse } = statement;
  const position = positionOf(statement, scope);
  if (value.kind === "constant") {
    const entries = entriesOf(value.value);
    if (entries.length === 0) return decided(false, bind(inverse, scope), position, build);
    if (entries.length <= LONGEST_UNROLLED) {
      const last = entries.length - 1;
      const bodies = entries.map(([key, item], index) => {
        const flags = { first: constant(index === 0), last: constant(index === last) };
        const loop = { key: constant(key), index: constant(index), ...flags };
        return bind(program, insideEach(statement, constant(item), loop, scope));
      });
      return decided(true, inSequence(bodies), position, build);
    }
  }
  const at = build.registers;
  build.registers += 5;
  const loop = { key: register(at + 1), index: register(at + 2), first: register(at + 3), last: register(at + 4) };
  const condition = testedText(statement, scope, build);
  const depth = scope.loops.length + 1;
  const item = named(register(at), `@${depth}.item`, scope, build);
  named(loop.key, `@${depth}.key`, scope, build);
  const body = bind(program, under(insideEach(statement, item, loop, scope), "each", condition));
  return repeat(readerOf(value), at, body, bind(inverse, under(scope, "empty", condition)), { position, condition });
}

function insideEach(statement: BlockStatement, item: BoundValue, loop: LoopVariables, scope: Scope): Scope {
  const [itemName, keyName] = statement.parameters;
  const parameters = [[itemName, item] as const, [keyName, loop.key] as const];
  return within({ ...scope, loops: [loop, ...scope.loops] }, item, parameters);
}

/** The items of a list, the own entries of an object, nothing of anything else, as in Handlebars. */
function entriesOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

const LONGEST_UNROLLED = 64;

/** What a block tests, with `includeZero` where it is written. */
function testedText({ args, hash }: BlockStatement, scope: Scope, { texts }: Build): string | undefined {
  if (texts === undefined) return undefined;
  const tested = args.map((argument) => expressionText(argument, scope, texts));
  return [...tested, ...hash.map(({ key, value }) => `${key}=${expressionText(value, scope, texts)}`)].join(" ");
}

function positionOf({ line, column }: BlockStatement, { source }: Scope): TemplatePosition {
  return { source, line, column };
}
