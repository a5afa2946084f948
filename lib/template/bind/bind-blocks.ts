// Blocks: conditions and loops. A constant condition leaves one branch, a short constant list is unrolled; the rest is
// left to the rendering.

import { once } from "../../once.ts";
import type { BlockStatement, Program } from "../compiled-templates.ts";
import { bindExpression, type LoopVariables } from "./bind-expression.ts";
import { type Build, readOnce, type Scope, within, withParameters } from "./bind-scope.ts";
import { type Bound, type Branch, choose, inSequence, type Run, repeat, runAll } from "./bound-program.ts";
import { type BoundValue, constant, readerOf, register } from "./bound-value.ts";
import { isPresent, isTruthy } from "./value-text.ts";

/** Binds a program inside the block, in the scope that the block makes for it. */
export type BindBody = (program: Program, scope: Scope) => Bound;

export function bindBlock(statement: BlockStatement, scope: Scope, build: Build, bind: BindBody): Bound {
  const [, name, args, , , , , line, column] = statement;
  for (const argument of args) build.visit?.(argument, name !== "let" && name !== "each", scope, line, column);
  if (name === "let") return bindLet(statement, scope, build, bind);
  const value = bindExpression(args[0] ?? ["literal"], scope);
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
  const [, name, , hash, , program, inverse] = statement;
  const zero = hash.find(([key]) => key === "includeZero");
  const condition = boundCondition(value, zero && bindExpression(zero[1], scope));
  const [yes, no] = name === "if" ? [program, inverse] : [inverse, program];
  if (condition.kind === "constant") return bind(condition.value ? yes : no, scope);
  return choose(
    readerOf(condition),
    branch(() => bind(yes, scope), build),
    branch(() => bind(no, scope), build),
  );
}

/** Whoever wants to be shown all of a program has it bound at once. */
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
  return {
    kind: "dynamic",
    read: (registers) => (isTruthy(readZero(registers)) ? isPresent : isTruthy)(read(registers)),
  };
}

function bindWith(statement: BlockStatement, value: BoundValue, scope: Scope, build: Build, bind: BindBody): Bound {
  const [, , , , [parameter], program, inverse] = statement;
  if (value.kind === "constant" && !isPresent(value.value)) return bind(inverse, scope);
  // The data and a partial's context are objects, and thus present.
  if (value.kind !== "dynamic") return bind(program, within(scope, value, [[parameter, value]]));
  const read: Run[] = [];
  const context = readOnce(value, read, build);
  const test = readerOf(context);
  const chosen = choose(
    (registers) => isPresent(test(registers)),
    branch(() => bind(program, within(scope, context, [[parameter, context]])), build),
    branch(() => bind(inverse, scope), build),
  );
  return { pieces: chosen.pieces, run: runAll([...read, ...(chosen.run ? [chosen.run] : [])]) };
}

function bindLet(statement: BlockStatement, scope: Scope, build: Build, bind: BindBody): Bound {
  const [, , args, , names, program] = statement;
  const runs: Run[] = [];
  const parameters = args.map(
    (argument, index) => [names[index], readOnce(bindExpression(argument, scope), runs, build)] as const,
  );
  const body = bind(program, withParameters(scope, parameters));
  return { pieces: body.pieces, run: body.run && runAll([...runs, body.run]) };
}

function bindEach(statement: BlockStatement, value: BoundValue, scope: Scope, build: Build, bind: BindBody): Bound {
  const [, , , , , program, inverse] = statement;
  if (value.kind === "constant") {
    const entries = entriesOf(value.value);
    if (entries.length === 0) return bind(inverse, scope);
    if (entries.length <= LONGEST_UNROLLED) {
      const last = entries.length - 1;
      const bodies = entries.map(([key, item], index) => {
        const flags = { first: constant(index === 0), last: constant(index === last) };
        const loop = { key: constant(key), index: constant(index), ...flags };
        return bind(program, insideEach(statement, constant(item), loop, scope));
      });
      return inSequence(bodies);
    }
  }
  const at = build.registers;
  build.registers += 5;
  const loop = { key: register(at + 1), index: register(at + 2), first: register(at + 3), last: register(at + 4) };
  const body = bind(program, insideEach(statement, register(at), loop, scope));
  return repeat(readerOf(value), at, body, bind(inverse, scope));
}

function insideEach(statement: BlockStatement, item: BoundValue, loop: LoopVariables, scope: Scope): Scope {
  const [itemName, keyName] = statement[4];
  const parameters = [[itemName, item] as const, [keyName, loop.key] as const];
  return within({ ...scope, loops: [loop, ...scope.loops] }, item, parameters);
}

/** Lists give their items, objects their own entries; anything else gives nothing, as in Handlebars. */
function entriesOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

const LONGEST_UNROLLED = 64;
