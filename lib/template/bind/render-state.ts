// The state of one rendering: the decisions it took, packed six to a character, and its values.
// The branch key determines the text and says nothing about the values, so shapes are cached by it.

import { startBudget } from "./render-budget.ts";

/** The state of one rendering; it is never shared. */
export interface RenderState {
  /** What blocks bind: contexts, loop variables and block parameters. Register 0 holds the template data. */
  readonly registers: unknown[];
  /** Values of the dynamic slots, in the order of the text. */
  readonly values: unknown[];
  packed: string;
  bits: number;
  count: number;
}

const BITS = 6;
/** The first of 64 printable characters, so that keys are one-byte text and short in JSON. */
const BASE = 0x30;

/** @param name of the template, for the error past its budget */
export function startRender(registers: unknown[], name = ""): RenderState {
  startBudget(name, registers[0]);
  return { registers, values: [], packed: "", bits: 0, count: 0 };
}

export function decide(state: RenderState, taken: boolean): void {
  state.bits = (state.bits << 1) | (taken ? 1 : 0);
  state.count += 1;
  if (state.count === BITS) {
    state.packed += String.fromCharCode(BASE + state.bits);
    state.bits = 0;
    state.count = 0;
  }
}

/** The branch key so far. No key of a template is a prefix of another, so padding bits are unambiguous. */
export function branchKeyOf(state: RenderState): string {
  if (state.count === 0) return state.packed;
  return state.packed + String.fromCharCode(BASE + (state.bits << (BITS - state.count)));
}

/** Reads the decisions of a branch key one by one; past its end every decision is false. */
export function branchKeyReader(key: string): () => boolean {
  let position = 0;
  return () => {
    const packed = key.charCodeAt(Math.floor(position / BITS)) - BASE;
    const bit = BITS - 1 - (position % BITS);
    position += 1;
    return ((packed >> bit) & 1) === 1;
  };
}
