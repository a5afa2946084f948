// The shape of an overlay: its tree with slots instead of values, as plain JSON that a release can hold.
// The format only: parse-shape.ts makes shapes, fill-shape.ts fills them.

import type { JsonValue } from "@outrigger/base";

export type Shape =
  /** A subtree without slots: the same in every rendering. */
  | readonly ["static", value: JsonValue]
  /** A whole scalar: the value with its own type. */
  | readonly ["value", index: number, position: PositionTuple]
  /** Text that contains values. */
  | readonly ["text", parts: TextParts]
  | readonly ["list", items: readonly Shape[]]
  | readonly ["map", entries: readonly (readonly [key: string | TextParts, value: Shape])[]]
  /** A shape whose values start `offset` after those of the enclosing shape, so that equal parts share one shape. */
  | readonly ["at", offset: number, shape: Shape];

/** Text, and slots as the number of their value with the position of their tag. */
export type TextParts = readonly (string | readonly [index: number, position: PositionTuple])[];

export type PositionTuple = readonly [source: string, line: number, column: number];

/** A shape with its branch key, as a release holds it. */
export interface CompiledShape {
  readonly template: string;
  /** Whether the default roots had their default values, so that more of the program was constant. */
  readonly usual: boolean;
  readonly branchKey: string;
  /** Covers everything else that the shape depends on: a shape with another fingerprint is not used. */
  readonly fingerprint: string;
  readonly shape: Shape;
}

/**
 * The overlay of a shape whose first value is at `base`; undefined leaves the entry out.
 * Throws OutriggerError `template-render` for a value that its slot cannot take.
 */
export type Fill = (values: readonly unknown[], base: number) => JsonValue | undefined;
