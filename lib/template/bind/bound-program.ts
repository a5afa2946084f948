// A bound program: the pieces of its text beside what has to run, and how the two are put together so that they agree.
// Whatever decides at run time notes the decision in the trail, and has a piece that reads it back.

import type { Read } from "./bound-value.ts";
import { decide, type Trail } from "./branch-key.ts";
import type { Piece } from "./text-pieces.ts";

/** Does what is left of a program once everything constant is done: takes decisions, reads values. */
export type Run = (trail: Trail) => void;

export interface Bound {
  readonly pieces: readonly Piece[];
  /** Undefined when there is nothing to decide and nothing to read. */
  readonly run: Run | undefined;
}

export const EMPTY: Bound = { pieces: [], run: undefined };

/** A branch is bound when it is first taken: of all the ways through a template, a process takes few. */
export function choose(test: Read, yes: Branch, no: Branch): Bound {
  const runYes = runBranch(yes);
  const runNo = runBranch(no);
  return {
    pieces: [{ kind: "choice", yes: () => yes().pieces, no: () => no().pieces }],
    run: (trail) => {
      if (test(trail.registers)) {
        decide(trail, true);
        runYes(trail);
      } else {
        decide(trail, false);
        runNo(trail);
      }
    },
  };
}

/** Gives the same each time. */
export type Branch = () => Bound;

function runBranch(branch: Branch): Run {
  let run: Run = (trail) => {
    run = branch().run ?? doNothing;
    run(trail);
  };
  return (trail) => run(trail);
}

function doNothing(): void {}

export function inSequence(parts: readonly Bound[]): Bound {
  return {
    pieces: parts.flatMap(({ pieces }) => pieces),
    run: runAll(parts.flatMap(({ run }) => run ?? [])),
  };
}

export function runAll(runs: readonly Run[]): Run | undefined {
  if (runs.length <= 1) return runs[0];
  return (trail) => {
    for (let index = 0; index < runs.length; index++) (runs[index] as Run)(trail);
  };
}

/** @param at the first of five registers: item, key, index, first, last */
export function repeat(read: Read, at: number, body: Bound, otherwise: Bound): Bound {
  return {
    pieces: [{ kind: "loop", body: body.pieces, otherwise: otherwise.pieces }],
    run: loopRun(read, at, body.run, otherwise.run),
  };
}

/** One "go on" for each item and one "stop": so the number of items is part of the trace. */
function loopRun(read: Read, at: number, body: Run | undefined, otherwise: Run | undefined): Run {
  return (trail) => {
    const { registers } = trail;
    const value = read(registers);
    const keys = Array.isArray(value)
      ? undefined
      : typeof value === "object" && value !== null
        ? Object.keys(value)
        : [];
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
