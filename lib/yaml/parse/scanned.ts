// A scalar as it was read from a YAML text, and how its lines are folded.

/** A position with its line, so that columns can be counted. */
export interface Cursor {
  readonly at: number;
  /** 0-based. */
  readonly line: number;
  /** Offset of the line's first character. */
  readonly lineStart: number;
}

export interface ScannedScalar {
  readonly value: string;
  /** Offset after the scalar's last character. */
  readonly end: number;
  /** Where scanning goes on. */
  readonly next: Cursor;
  /** Whether a line break lies between the scalar's end and `next`. */
  readonly isBroken: boolean;
}

/** One line break is a space; further ones are kept. */
export function folded(first: string, breaks: string): string {
  if (first !== "\n") return first + breaks;
  return breaks === "" ? " " : breaks;
}
