// The state of one rendering: the decisions it took, packed six to a character, and its values.
// The branch key determines the text and says nothing about the values, so shapes are cached by it. What it may cost is counted
// in steps and not in time, so that a pod gets the same answer on every machine: rounds of loops, and what helpers read or make.

import { OutriggerError, objectOf } from "@outrigger/base";
import { describeTemplate, type TemplatePosition } from "../finding.ts";

/** What a rendering collects. Local to one rendering, never shared. */
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
  left = LEAST;
  isExtended = false;
  template = name;
  rendered = registers[0];
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

/** Of every rendering: more than any pod takes that a person has written. */
const LEAST = 200_000;
/** For each character of the pod, where that is not enough. */
const PER_CHARACTER = 100;

/** Renderings do not overlap: they wait for nothing. */
let left = LEAST;
let isExtended = false;
let template = "";
let rendered: unknown;

/** @throws OutriggerError `template-render` past the budget; its cause is a RangeError, for a smaller pod would be within it */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) extend();
}

/** The size of the pod is counted for the few that need it. */
function extend(): void {
  if (!isExtended) {
    const { metadata, spec } = objectOf(rendered);
    left += PER_CHARACTER * JSON.stringify([metadata, spec]).length;
    isExtended = true;
  }
  if (left >= 0) return;
  throw new OutriggerError(
    "template-render",
    `Cannot render ${describeTemplate(template)}: it takes more than ${PER_CHARACTER} steps a character`,
    { path: template, cause: new RangeError("a rendering has a budget") },
  );
}

/** What a helper reads, or has made, as far as it shows without a walk. */
export function stepsOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 1;
}

// Numbers for the slots of templates: equal slots have one number, in every template that is loaded. So a text with placeholders
// means the same in the next version of its template, and what was parsed of it need not be parsed again.
/** What makes two slots equal. */
interface NumberedSlot {
  readonly kind: "slot" | "constant";
  /** Of a constant. */
  readonly value?: unknown;
  readonly position: TemplatePosition;
}

export type SlotNumbers = Pick<ReturnType<typeof newNumbers>, "numberOf">;

/** Equal slots that are known: more than the templates of a few releases have. */
const MOST = 10_000;
/** Characters of a constant: a longer one is not compared. */
const LONGEST = 256;

let current = newNumbers();

/** The numbers of now: when they are too many, the next template begins with new ones. */
export function slotNumbers(): SlotNumbers {
  if (current.isFull()) current = newNumbers();
  return current;
}

function newNumbers() {
  const known = new Map<string, number>();
  let next = 0;
  return {
    isFull: () => next > MOST,
    numberOf(slot: NumberedSlot): number {
      const key = keyOf(slot);
      const number = (key === undefined ? undefined : known.get(key)) ?? next++;
      if (key !== undefined) known.set(key, number);
      return number;
    },
  };
}

/** Undefined for a slot that is equal to itself alone. */
function keyOf(slot: NumberedSlot): string | undefined {
  const { source, line, column } = slot.position;
  const place = `${line}:${column} ${source}`;
  if (slot.kind === "slot") return place;
  const { value } = slot;
  if (typeof value === "object" || typeof value === "function") return value === null ? `${place}\0null` : undefined;
  const text = String(value);
  return text.length > LONGEST ? undefined : `${place}\0${typeof value} ${text}`;
}
