// Keeps the last result of a filler: most of what a template renders is the same for every pod of a release.

import type { JsonValue } from "@outrigger/base";
import type { Fill, Shape, TextParts } from "./shape.ts";

/** Longer texts are not kept: a pod chooses them. */
const MAX_TEXT = 1000;

/**
 * Returns a filler that keeps the last result, frozen once it has been of use: the same node is merged, checked and printed once. Its
 * values must be scalars, or constants.
 */
export function repeatFill(shape: Shape, fill: Fill): Fill {
  const slots = [...new Set(slotsOf(shape, 0))];
  let values: readonly unknown[] | undefined;
  let made: JsonValue | undefined;
  return (current, base) => {
    if (values !== undefined && isSame(values, current, base, slots)) return frozenNode(made);
    made = fill(current, base);
    values = kept(current, base, slots);
    return made;
  };
}

function isSame(
  values: readonly unknown[],
  current: readonly unknown[],
  base: number,
  slots: readonly number[],
): boolean {
  for (let at = 0; at < slots.length; at++) if (values[at] !== current[base + (slots[at] as number)]) return false;
  return true;
}

/** The values of the slots; undefined if one of them is the pod's own node or too long. */
function kept(current: readonly unknown[], base: number, slots: readonly number[]): readonly unknown[] | undefined {
  const values: unknown[] = [];
  for (const slot of slots) {
    const value = current[base + slot];
    // What is no object is frozen.
    if (typeof value === "string" ? value.length > MAX_TEXT : !Object.isFrozen(value)) return undefined;
    values.push(value);
  }
  return values;
}

function frozenNode<T>(node: T): T {
  if (Object.isFrozen(node)) return node;
  // Not by key: V8 would compile this for the objects that it has seen, and freezing makes them others.
  for (const child of Object.values(node as object)) frozenNode(child);
  return Object.freeze(node);
}

/** The numbers of the values that the shape uses, counted from its first. */
function slotsOf(shape: Shape, base: number): readonly number[] {
  switch (shape[0]) {
    case "static":
      return [];
    case "value":
      return [base + shape[1]];
    case "text":
      return slotsOfText(shape[1], base);
    case "at":
      return slotsOf(shape[2], base + shape[1]);
    case "list":
      return shape[1].flatMap((item) => slotsOf(item, base));
    case "map":
      return shape[1].flatMap(([key, value]) => [...slotsOfText(key, base), ...slotsOf(value, base)]);
  }
}

function slotsOfText(parts: string | TextParts, base: number): readonly number[] {
  return typeof parts === "string" ? [] : parts.flatMap((part) => (typeof part === "string" ? [] : base + part[0]));
}
