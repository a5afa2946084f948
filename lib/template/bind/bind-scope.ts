// The scope in which a program is bound, and the counters that a whole template shares.

import type { Expression, Program } from "../compiled-templates.ts";
import type { Names } from "./bind-expression.ts";
import type { Run } from "./bound-program.ts";
import { type BoundValue, register } from "./bound-value.ts";

export interface Scope extends Names {
  readonly inlines: ReadonlyMap<string, { readonly program: Program; readonly source: string }>;
}

/** Shared by all programs of one template. The counters only grow. */
export interface Build {
  readonly partials: ReadonlyMap<string, Program>;
  readonly visit: Visit | undefined;
  readonly calls: PartialCalls | undefined;
  /** Whether the pieces also hold the decisions that a constant takes. */
  readonly keepsDecisions: boolean;
  registers: number;
  statements: number;
}

/** The partials that a program calls which is visited. */
export interface PartialCalls {
  /** Not entered: what such a call shows depends on its context alone. */
  readonly alone: { readonly name: string; readonly context: BoundValue }[];
  /** Entered, because they see the loops and inline partials around them. */
  readonly entered: Map<string, Program>;
}

/** `isTest` is true when #if, #unless or #with only tests the expression. */
export type Visit = (expression: Expression, isTest: boolean, names: Names, line: number, column: number) => void;

/** The scope inside a block with its own context. */
export function within(scope: Scope, context: BoundValue, parameters: Parameters): Scope {
  return withParameters({ ...scope, contexts: [context, ...scope.contexts] }, parameters);
}

export type Parameters = readonly (readonly [name: string | undefined, value: BoundValue])[];

/** The scope with more block parameters; parameters without a name are skipped. */
export function withParameters(scope: Scope, added: Parameters): Scope {
  const parameters = new Map(scope.parameters);
  for (const [name, value] of added) if (name !== undefined) parameters.set(name, value);
  return { ...scope, parameters };
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
