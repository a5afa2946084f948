// A program in the dense form → a plan: the pieces that its text is made of, and what has to run to render it.
// Partials are put in place, constant decisions are taken and constant lists unrolled here, once per release.

import { OutriggerError } from "../errors.ts";
import { bindExpression, bindSlot, type LoopVariables, type Names } from "./bind-expression.ts";
import { type BoundValue, constant, type Read, readerOf, register } from "./bound-value.ts";
import type { BlockStatement, Expression, PartialStatement, Program, SlotStatement, Statement } from "./compiled-templates.ts";
import { describeTemplate, partialSource } from "./finding.ts";
import type { HelperTable } from "./helper-table.ts";
import type { Piece, Place } from "./text-pieces.ts";
import { decide, type Trail } from "./trace.ts";
import { isPresent, isTruthy } from "./value-text.ts";

/** Does what is left of a program once everything constant is done: takes decisions, reads values. */
export type Run = (trail: Trail) => void;

export interface Plan {
  readonly pieces: readonly Piece[];
  /** Undefined when there is nothing to decide and nothing to read. */
  readonly run: Run | undefined;
  readonly registers: number;
}

export interface PlanInput {
  readonly name: string;
  readonly program: Program;
  readonly partials: Readonly<Record<string, Program>>;
  readonly helpers: HelperTable;
  /** Roots of the template data that are known now. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** Is shown every expression that a rendering can get to; not those that stand under a constant decision against. */
  readonly visit?: Visit;
}

/** `asked` when the expression is only asked whether there is something, by #if, #unless or #with. */
export type Visit = (expression: Expression, asked: boolean, names: Names, line: number, column: number) => void;

/** @throws OutriggerError `template-invalid` when partials multiply beyond measure */
export function bindProgram(input: PlanInput): Plan {
  const data: BoundValue = { kind: "data", constants: input.constants };
  const visit = input.visit ?? (() => undefined);
  const build: Build = { partials: new Map(Object.entries(input.partials)), visit, registers: 1, statements: 0 };
  const scope: Scope = {
    source: input.name,
    helpers: input.helpers,
    data,
    contexts: [data],
    parameters: new Map(),
    loops: [],
    inlines: new Map(),
  };
  const { pieces, run } = bindStatements(input.program, scope, build);
  return { pieces, run, registers: build.registers };
}

interface Build {
  readonly partials: ReadonlyMap<string, Program>;
  readonly visit: Visit;
  registers: number;
  statements: number;
}

interface Scope extends Names {
  readonly inlines: ReadonlyMap<string, { readonly program: Program; readonly source: string }>;
}

interface Bound {
  readonly pieces: readonly Piece[];
  readonly run: Run | undefined;
}

const EMPTY: Bound = { pieces: [], run: undefined };
const MOST_STATEMENTS = 200_000;
const LONGEST_UNROLLED = 64;

function bindStatements(program: Program, outer: Scope, build: Build): Bound {
  build.statements += program.length;
  if (build.statements > MOST_STATEMENTS) {
    throw new OutriggerError("template-invalid", `Cannot load ${describeTemplate(outer.source)}: its partials multiply to more than ${MOST_STATEMENTS} statements`);
  }
  const scope = withInlines(program, outer);
  return inSequence(program.map((statement) => bindStatement(statement, scope, build)));
}

/** Inline partials are known in the whole program that defines them, before their definition too. */
function withInlines(program: Program, scope: Scope): Scope {
  let inlines: Map<string, { program: Program; source: string }> | undefined;
  for (const statement of program) {
    if (statement[0] !== "inline") continue;
    inlines ??= new Map(scope.inlines);
    inlines.set(statement[1], { program: statement[2], source: scope.source });
  }
  return inlines ? { ...scope, inlines } : scope;
}

function bindStatement(statement: Statement, scope: Scope, build: Build): Bound {
  switch (statement[0]) {
    case "text": {
      const [, text, line, column] = statement;
      return { pieces: [{ kind: "text", text, place: { source: scope.source, line, column } }], run: undefined };
    }
    case "slot":
      return bindSlotStatement(statement, scope, build);
    case "partial":
      return bindPartial(statement, scope, build);
    case "block":
      return bindBlock(statement, scope, build);
    case "inline":
      return EMPTY;
  }
}

function bindSlotStatement([, expression, line, column]: SlotStatement, scope: Scope, build: Build): Bound {
  build.visit(expression, false, scope, line, column);
  const value = bindSlot(expression, line, column, scope);
  const place: Place = { source: scope.source, line, column };
  if (value.kind === "constant") return { pieces: [{ kind: "constant", value: value.value, place }], run: undefined };
  const read = readerOf(value);
  return { pieces: [{ kind: "slot", place }], run: (trail) => void trail.values.push(read(trail.registers)) };
}

function bindPartial(statement: PartialStatement, scope: Scope, build: Build): Bound {
  const [, name, contextExpression, hash, indent, line, column] = statement;
  const inline = scope.inlines.get(name);
  const program = inline?.program ?? build.partials.get(name);
  if (!program) {
    throw new OutriggerError("template-invalid", `Cannot load ${describeTemplate(scope.source)}: partial "${name}" does not exist (line ${line}, column ${column})`, { line, column });
  }
  const runs: Run[] = [];
  const bind = (expression: Expression) => {
    build.visit(expression, false, scope, line, column);
    return readOnce(bindExpression(expression, scope), runs, build);
  };
  const given = contextExpression ? bind(contextExpression) : (scope.contexts[0] as BoundValue);
  const entries = new Map(hash.map(([key, value]) => [key, bind(value)]));
  const context: BoundValue = entries.size === 0 ? given : { kind: "extended", base: given, entries };
  const inner = { ...scope, source: inline?.source ?? partialSource(name), contexts: [context], parameters: new Map() };
  const { pieces, run } = bindStatements(program, inner, build);
  return {
    pieces: indent === "" ? pieces : [{ kind: "indent", indent, pieces }],
    run: run && runAll([...runs, run]),
  };
}

/** A value that is read where it is bound, once, however often its name is used. */
function readOnce(value: BoundValue, runs: Run[], build: Build): BoundValue {
  if (value.kind !== "dynamic") return value;
  const at = build.registers++;
  const { read } = value;
  runs.push((trail) => void (trail.registers[at] = read(trail.registers)));
  return register(at);
}

function bindBlock(statement: BlockStatement, scope: Scope, build: Build): Bound {
  const [, name, args, , , , , line, column] = statement;
  for (const argument of args) build.visit(argument, name !== "let" && name !== "each", scope, line, column);
  if (name === "let") return bindLet(statement, scope, build);
  const value = bindExpression(args[0] ?? ["literal"], scope);
  switch (name) {
    case "if":
    case "unless":
      return bindIf(statement, value, scope, build);
    case "with":
      return bindWith(statement, value, scope, build);
    case "each":
      return bindEach(statement, value, scope, build);
  }
}

function bindIf(statement: BlockStatement, value: BoundValue, scope: Scope, build: Build): Bound {
  const [, name, , hash, , program, inverse] = statement;
  const zero = hash.find(([key]) => key === "includeZero");
  const condition = boundCondition(value, zero && bindExpression(zero[1], scope));
  const [yes, no] = name === "if" ? [program, inverse] : [inverse, program];
  if (condition.kind === "constant") return bindStatements(condition.value ? yes : no, scope, build);
  return choose(readerOf(condition), bindStatements(yes, scope, build), bindStatements(no, scope, build));
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

function bindWith(statement: BlockStatement, value: BoundValue, scope: Scope, build: Build): Bound {
  const [, , , , [parameter], program, inverse] = statement;
  if (value.kind === "constant" && !isPresent(value.value)) return bindStatements(inverse, scope, build);
  // The data and a partial's context are objects, and thus present.
  if (value.kind !== "dynamic") return bindStatements(program, within(scope, value, [[parameter, value]]), build);
  const at = build.registers++;
  const body = bindStatements(program, within(scope, register(at), [[parameter, register(at)]]), build);
  const read = value.read;
  const test: Read = (registers) => isPresent(((registers as unknown[])[at] = read(registers)));
  return choose(test, body, bindStatements(inverse, scope, build));
}

function within(scope: Scope, context: BoundValue, parameters: readonly (readonly [string | undefined, BoundValue])[]): Scope {
  return withParameters({ ...scope, contexts: [context, ...scope.contexts] }, parameters);
}

function withParameters(scope: Scope, added: readonly (readonly [string | undefined, BoundValue])[]): Scope {
  const parameters = new Map(scope.parameters);
  for (const [name, value] of added) if (name !== undefined) parameters.set(name, value);
  return { ...scope, parameters };
}

function bindLet(statement: BlockStatement, scope: Scope, build: Build): Bound {
  const [, , args, , names, program] = statement;
  const runs: Run[] = [];
  const parameters = args.map(
    (argument, index) => [names[index], readOnce(bindExpression(argument, scope), runs, build)] as const,
  );
  const body = bindStatements(program, withParameters(scope, parameters), build);
  return { pieces: body.pieces, run: body.run && runAll([...runs, body.run]) };
}

function bindEach(statement: BlockStatement, value: BoundValue, scope: Scope, build: Build): Bound {
  const [, , , , [itemName, keyName], program, inverse] = statement;
  if (value.kind === "constant") {
    const entries = entriesOf(value.value);
    if (entries.length === 0) return bindStatements(inverse, scope, build);
    if (entries.length <= LONGEST_UNROLLED) {
      return inSequence(
        entries.map(([key, item], index) => {
          const loop = { key: constant(key), index: constant(index), first: constant(index === 0), last: constant(index === entries.length - 1) };
          const inner = within({ ...scope, loops: [loop, ...scope.loops] }, constant(item), [[itemName, constant(item)], [keyName, loop.key]]);
          return bindStatements(program, inner, build);
        }),
      );
    }
  }
  const at = build.registers;
  build.registers += 5;
  const loop: LoopVariables = { key: register(at + 1), index: register(at + 2), first: register(at + 3), last: register(at + 4) };
  const inner = within({ ...scope, loops: [loop, ...scope.loops] }, register(at), [[itemName, register(at)], [keyName, loop.key]]);
  const body = bindStatements(program, inner, build);
  const otherwise = bindStatements(inverse, scope, build);
  return {
    pieces: [{ kind: "loop", body: body.pieces, otherwise: otherwise.pieces }],
    run: loopRun(readerOf(value), at, body.run, otherwise.run),
  };
}

/** Lists give their items, objects their own entries; anything else gives nothing, as in Handlebars. */
function entriesOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** One "go on" for each item and one "stop": so the number of items is part of the trace. */
function loopRun(read: Read, at: number, body: Run | undefined, otherwise: Run | undefined): Run {
  return (trail) => {
    const { registers } = trail;
    const value = read(registers);
    const keys = Array.isArray(value) ? undefined : typeof value === "object" && value !== null ? Object.keys(value) : [];
    const length = keys === undefined ? (value as unknown[]).length : keys.length;
    for (let index = 0; index < length; index++) {
      decide(trail, true);
      if (body === undefined) continue;
      const key = keys === undefined ? index : (keys[index] as string);
      registers[at] = (value as Record<string | number, unknown>)[key];
      registers[at + 1] = key;
      registers[at + 2] = index;
      registers[at + 3] = index === 0;
      registers[at + 4] = index === length - 1;
      body(trail);
    }
    decide(trail, false);
    if (length === 0) otherwise?.(trail);
  };
}

function choose(test: Read, yes: Bound, no: Bound): Bound {
  const runYes = yes.run;
  const runNo = no.run;
  return {
    pieces: [{ kind: "choice", yes: yes.pieces, no: no.pieces }],
    run: (trail) => {
      if (test(trail.registers)) {
        decide(trail, true);
        runYes?.(trail);
      } else {
        decide(trail, false);
        runNo?.(trail);
      }
    },
  };
}

function inSequence(parts: readonly Bound[]): Bound {
  return {
    pieces: parts.flatMap(({ pieces }) => pieces),
    run: runAll(parts.flatMap(({ run }) => run ?? [])),
  };
}

function runAll(runs: readonly Run[]): Run | undefined {
  if (runs.length <= 1) return runs[0];
  return (trail) => {
    for (let index = 0; index < runs.length; index++) (runs[index] as Run)(trail);
  };
}
