// A compiled program → a plan: the pieces that its text is made of, and the functions that render it.
// Partials are inlined, constant decisions taken and constant lists unrolled here, once per release.

import type { Expression, PartialStatement, Program, SlotStatement, Statement } from "../compiled-templates.ts";
import { loadError, partialSource, type TemplatePosition } from "../finding.ts";
import type { HelperFunctions } from "../helpers/helper.ts";
import { bindBlock } from "./bind-blocks.ts";
import { bindExpression, slotExpression } from "./bind-expression.ts";
import {
  type Bound,
  type Build,
  EMPTY,
  inSequence,
  named,
  type Run,
  readOnce,
  runAll,
  type Scope,
} from "./bound-program.ts";
import { type BoundValue, readerOf } from "./bound-value.ts";
import { expressionText } from "./expression-text.ts";

export interface Plan extends Bound {
  /** Returns the number of registers that a rendering needs; it grows as more of the program is bound. */
  readonly registers: () => number;
}

export interface PlanInput extends Pick<Build, "visit" | "onCall" | "keepsDecisions" | "texts"> {
  readonly name: string;
  readonly program: Program;
  readonly partials: Readonly<Record<string, Program>>;
  readonly helpers: HelperFunctions;
  /** Roots of the template data that are known now. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** What the program is called with; left out, the template data. */
  readonly context?: BoundValue;
}

/** @throws OutriggerError `template-invalid` when partial calls multiply beyond the limit */
export function bindProgram(input: PlanInput): Plan {
  const data: BoundValue = { kind: "data", constants: input.constants };
  const { name: source, helpers, context = data, program, visit, onCall, keepsDecisions, texts } = input;
  const partials = new Map(Object.entries(input.partials));
  const build: Build = { partials, visit, onCall, keepsDecisions, texts, registers: 1, statements: 0 };
  const scope: Scope = {
    source,
    helpers,
    data,
    contexts: [context],
    parameters: new Map(),
    loops: [],
    inlines: new Map(),
  };
  const { pieces, run } = bindStatements(program, scope, build);
  return { pieces, run, registers: () => build.registers };
}

const MOST_STATEMENTS = 200_000;

function bindStatements(program: Program, outer: Scope, build: Build): Bound {
  build.statements += program.length;
  if (build.statements > MOST_STATEMENTS) {
    throw loadError(outer.source, `its partials multiply to more than ${MOST_STATEMENTS} statements`);
  }
  const scope = withInlines(program, outer);
  return inSequence(program.map((statement) => bindStatement(statement, scope, build)));
}

/** An inline partial is visible in the whole program that defines it, before its definition too. */
function withInlines(program: Program, scope: Scope): Scope {
  let inlines: Map<string, { program: Program; source: string }> | undefined;
  for (const statement of program) {
    if (statement.kind !== "inline") continue;
    inlines ??= new Map(scope.inlines);
    inlines.set(statement.name, { program: statement.program, source: scope.source });
  }
  return inlines ? { ...scope, inlines } : scope;
}

function bindStatement(statement: Statement, scope: Scope, build: Build): Bound {
  switch (statement.kind) {
    case "text": {
      const { text, line, column } = statement;
      const position: TemplatePosition = { source: scope.source, line, column };
      return { pieces: [{ kind: "text", text, position, trail: scope.trail }], run: undefined };
    }
    case "slot":
      return bindSlotStatement(statement, scope, build);
    case "partial":
      return bindPartial(statement, scope, build);
    case "block":
      return bindBlock(statement, scope, build, (program, inner) => bindStatements(program, inner, build));
    case "inline":
      return EMPTY;
  }
}

function bindSlotStatement({ expression, line, column }: SlotStatement, scope: Scope, build: Build): Bound {
  build.visit?.(expression, false, scope, line, column);
  if (build.onCall !== undefined) return EMPTY;
  const printed = slotExpression(expression, line, column, scope);
  const value = bindExpression(printed, scope);
  const position: TemplatePosition = { source: scope.source, line, column };
  const { trail } = scope;
  if (value.kind === "constant")
    return { pieces: [{ kind: "constant", value: value.value, position, trail }], run: undefined };
  const read = readerOf(value);
  const written = build.texts && expressionText(printed, scope, build.texts);
  return {
    pieces: [{ kind: "slot", position, trail, expression: written }],
    run: (state) => void state.values.push(read(state.registers)),
  };
}

function bindPartial(statement: PartialStatement, scope: Scope, build: Build): Bound {
  const { name, context: contextExpression, hash, indent, line, column } = statement;
  const inline = scope.inlines.get(name);
  const program = inline?.program ?? build.partials.get(name);
  const place = { line, column };
  if (!program)
    throw loadError(scope.source, `partial "${name}" does not exist (line ${line}, column ${column})`, place);
  const runs: Run[] = [];
  const bind = (expression: Expression) => {
    build.visit?.(expression, false, scope, line, column);
    return named(readOnce(bindExpression(expression, scope), runs, build), expression, scope, build);
  };
  const given = contextExpression ? bind(contextExpression) : (scope.contexts[0] as BoundValue);
  const entries = new Map(hash.map(({ key, value }) => [key, bind(value)]));
  const context: BoundValue = entries.size === 0 ? given : { kind: "extended", base: given, entries };
  if (build.onCall !== undefined && inline === undefined && scope.inlines.size === 0 && scope.loops.length === 0) {
    build.onCall(name, context);
    return EMPTY;
  }
  const inner = { ...scope, source: inline?.source ?? partialSource(name), contexts: [context], parameters: new Map() };
  const { pieces, run } = bindStatements(program, inner, build);
  return {
    pieces: indent === "" ? pieces : [{ kind: "indent", indent, pieces }],
    run: run && runAll([...runs, run]),
  };
}
