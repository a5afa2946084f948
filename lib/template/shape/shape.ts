// The shape of an overlay: its tree with the slots in their places, as plain JSON that a release can carry.
// Owns the format alone: parse-shape.ts makes shapes, fill-shape.ts fills them.

import type { JsonValue } from "../../json.ts";

export type Shape =
  /** A subtree without slots, the same in every rendering. */
  | readonly ["static", value: JsonValue]
  /** A whole scalar: the value with its own type. */
  | readonly ["value", index: number, place: PlaceTuple]
  /** A text with values in it. */
  | readonly ["text", parts: TextParts]
  | readonly ["list", items: readonly Shape[]]
  | readonly ["map", entries: readonly (readonly [key: string | TextParts, value: Shape])[]]
  /** A shape whose values begin so far after those of the shape around it: equal parts are one shape. */
  | readonly ["at", offset: number, shape: Shape];

/** Texts and numbers of values, in turn; where each number's tag stands comes after it. */
export type TextParts = readonly (string | readonly [index: number, place: PlaceTuple])[];

/** Source, line, column. */
export type PlaceTuple = readonly [source: string, line: number, column: number];

/** A shape with the trace that it belongs to, as a release ships it. */
export interface CompiledShape {
  readonly template: string;
  /** Whether the default roots had their default values: then more was known beforehand. */
  readonly usual: boolean;
  readonly trace: string;
  /** Of everything that the shape depends on besides its trace; a shape with another fingerprint is not used. */
  readonly fingerprint: string;
  readonly shape: Shape;
}
