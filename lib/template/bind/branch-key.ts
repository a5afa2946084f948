// The way that one rendering takes through a template: its decisions, packed six to a character, and its values.
// A trace says everything about the text and nothing about the values, so it is the key under which shapes are kept.

/** What a rendering collects while it runs. Local to one rendering, never shared. */
export interface Trail {
  /** What blocks bind: contexts, loop variables, block parameters. Register 0 holds the template data. */
  readonly registers: unknown[];
  /** Values of the dynamic slots, in the order of the text. */
  readonly values: unknown[];
  packed: string;
  bits: number;
  count: number;
}

const BITS = 6;
/** The first of 64 printable characters, so that traces are one-byte text and short in JSON. */
const BASE = 0x30;

export function startTrail(registers: unknown[]): Trail {
  return { registers, values: [], packed: "", bits: 0, count: 0 };
}

export function decide(trail: Trail, taken: boolean): void {
  trail.bits = (trail.bits << 1) | (taken ? 1 : 0);
  trail.count += 1;
  if (trail.count === BITS) {
    trail.packed += String.fromCharCode(BASE + trail.bits);
    trail.bits = 0;
    trail.count = 0;
  }
}

/** The trace so far. No trace of a template is the beginning of another, so the filled-up bits cannot be mistaken. */
export function traceOf(trail: Trail): string {
  if (trail.count === 0) return trail.packed;
  return trail.packed + String.fromCharCode(BASE + (trail.bits << (BITS - trail.count)));
}

/** Reads the decisions of a trace one by one; past its end every decision is false. */
export function traceReader(trace: string): () => boolean {
  let position = 0;
  return () => {
    const packed = trace.charCodeAt(Math.floor(position / BITS)) - BASE;
    const bit = BITS - 1 - (position % BITS);
    position += 1;
    return ((packed >> bit) & 1) === 1;
  };
}
