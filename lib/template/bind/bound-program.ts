// A bound program: the pieces of its text and the functions that run, combined so that the two agree.
// Each function that decides at render time records the decision in the branch key, and has a piece that reads it back.

import type { Expression, Program } from "../compiled-templates.ts";
import type { Names } from "./bind-expression.ts";
import { type BoundValue, type Read, register } from "./bound-value.ts";
import { expressionText, type ValueTexts } from "./expression-text.ts";
import { spend } from "./render-budget.ts";
import { decide, type RenderState } from "./render-state.ts";
import type { Decision, Piece, Trail } from "./text-pieces.ts";

/** The dynamic part of a program: takes decisions and reads values. */
export type Run = (state: RenderState) => void;

export interface Bound {
  readonly pieces: readonly Piece[];
  /** Undefined when the program has no decision to take and no value to read. */
  readonly run: Run | undefined;
}

export const EMPTY: Bound = { pieces: [], run: undefined };

/** A branch is bound when it is first taken: a process takes few of the branches of a template. */
export function choose(
  test: Read,
  yes: Branch,
  no: Branch,
  { position, block, condition }: Pick<Decision, "position" | "block" | "condition">,
): Bound {
  const [runYes, runNo] = [runBranch(yes), runBranch(no)];
  return {
    pieces: [{ kind: "choice", yes: () => yes().pieces, no: () => no().pieces, position, block, condition }],
    run: (state) => {
      const taken = Boolean(test(state.registers));
      decide(state, taken);
      (taken ? runYes : runNo)(state);
    },
  };
}

/** Returns the same each time. */
export type Branch = () => Bound;

function runBranch(branch: Branch): Run {
  let run: Run = (state) => {
    run = branch().run ?? doNothing;
    run(state);
  };
  return (state) => run(state);
}

function doNothing(): void {}

export function inSequence(parts: readonly Bound[]): Bound {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const pieces: Piece[] = [];
  const runs: Run[] = [];
  for (const part of parts) {
    for (const piece of part.pieces) pieces.push(piece);
    if (part.run !== undefined) runs.push(part.run);
  }
  return { pieces, run: runAll(runs) };
}

export function runAll(runs: readonly Run[]): Run | undefined {
  if (runs.length <= 1) return runs[0];
  return (state) => {
    for (let index = 0; index < runs.length; index++) (runs[index] as Run)(state);
  };
}

/** @param at the first of five registers: item, key, index, first, last */
export function repeat(
  read: Read,
  at: number,
  body: Bound,
  otherwise: Bound,
  place: Pick<Decision, "position" | "condition">,
): Bound {
  const pieces: readonly Piece[] = [{ kind: "loop", yes: () => body.pieces, no: () => otherwise.pieces, ...place }];
  return { pieces, run: loopRun(read, at, body.run, otherwise.run) };
}

/** One `true` for each item and a final `false`, so that the number of items is part of the branch key. */
function loopRun(read: Read, at: number, body: Run | undefined, otherwise: Run | undefined): Run {
  return (state) => {
    const { registers } = state;
    const value = read(registers);
    const keys = Array.isArray(value)
      ? undefined
      : typeof value === "object" && value !== null
        ? Object.keys(value)
        : [];
    const length = keys === undefined ? (value as unknown[]).length : keys.length;
    spend(length);
    for (let index = 0; index < length; index++) {
      decide(state, true);
      if (body === undefined) continue;
      const key = keys === undefined ? index : (keys[index] as string);
      registers[at] = (value as Record<string | number, unknown>)[key];
      registers[at + 1] = key;
      registers[at + 2] = index;
      registers[at + 3] = index === 0;
      registers[at + 4] = index === length - 1;
      body(state);
    }
    decide(state, false);
    if (length === 0) otherwise?.(state);
  };
}

export interface Scope extends Names {
  readonly inlines: ReadonlyMap<string, { readonly program: Program; readonly source: string }>;
  /** Kept where the build keeps texts. */
  readonly trail?: Trail | undefined;
}

/** Shared by all programs of one template. The counters only grow. */
export interface Build {
  readonly partials: ReadonlyMap<string, Program>;
  /** Called with every expression that a rendering can reach, skipping branches that a constant rules out. */
  readonly visit?: Visit | undefined;
  /**
   * Called in place of entering a partial when a program is visited and not rendered. What such a call shows depends on
   * its context alone; a partial that sees the loops and inline partials around it is entered all the same.
   */
  readonly onCall?: ((name: string, context: BoundValue) => void) | undefined;
  /** Whether the pieces also hold the decisions that a constant takes. */
  readonly keepsDecisions?: boolean | undefined;
  /** For a program whose writes are compared: what each value stands for, so that pieces have their conditions and expressions. */
  readonly texts?: ValueTexts | undefined;
  registers: number;
  statements: number;
}

/** `isTest` is true when #if, #unless or #with only tests the expression. */
export type Visit = (expression: Expression, isTest: boolean, names: Names, line: number, column: number) => void;

export function within(scope: Scope, context: BoundValue, parameters: Parameters): Scope {
  return withParameters({ ...scope, contexts: [context, ...scope.contexts] }, parameters);
}

type Parameters = readonly (readonly [name: string | undefined, value: BoundValue])[];

/** The scope with more block parameters; parameters without a name are skipped. */
export function withParameters(scope: Scope, added: Parameters): Scope {
  const parameters = new Map(scope.parameters);
  for (const [name, value] of added) if (name !== undefined) parameters.set(name, value);
  return { ...scope, parameters };
}

/** The scope of a branch that is taken under one more condition. */
export function under(scope: Scope, word: string, condition: string | undefined): Scope {
  return condition === undefined ? scope : { ...scope, trail: [...(scope.trail ?? []), `${word} ${condition}`] };
}

/** Notes what a value stands for: the expression that it is read from, or another text. */
export function named(value: BoundValue, text: Expression | string, scope: Scope, { texts }: Build): BoundValue {
  if (texts === undefined || value.kind !== "dynamic") return value;
  texts.set(value, typeof text === "string" ? text : expressionText(text, scope, texts));
  return value;
}

/** A value that is read once, where it is bound, however often its name is used. */
export function readOnce(value: BoundValue, runs: Run[], build: Build): BoundValue {
  if (value.kind !== "dynamic") return value;
  const at = build.registers++;
  const { read } = value;
  runs.push((state) => {
    state.registers[at] = read(state.registers);
  });
  return register(at);
}
