// A filler that gives the same node again for the same values: most of what a template renders is the same for every pod of
// a release, and what is the same node is merged, checked and printed once.

import type { JsonValue } from "@outrigger/base";
import type { Fill } from "./fill.ts";
import type { Shape } from "./shape.ts";

/** Longer texts are not kept: a pod chooses them. */
const MAX_TEXT = 1000;

/** A filler that keeps the last result, frozen once it has been of use. Its values must be scalars, or constants. */
export function repeatFill(shape: Shape, fill: Fill): Fill {
  const slots = [...slotsOf(shape, 0, new Set())];
  let values: readonly unknown[] | undefined;
  let made: JsonValue | undefined;
  return (current, base) => {
    if (values !== undefined && isSame(values, current, base, slots)) return frozen(made);
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
    if (typeof value === "string" ? value.length > MAX_TEXT : !isConstant(value)) return undefined;
    values.push(value);
  }
  return values;
}

function isConstant(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.isFrozen(value);
}

function frozen<T>(node: T): T {
  if (typeof node !== "object" || node === null || Object.isFrozen(node)) return node;
  for (const key in node) frozen(node[key]);
  return Object.freeze(node);
}

/** The numbers of the values that the shape uses, counted from its first. */
function slotsOf(shape: Shape, base: number, slots: Set<number>): Set<number> {
  switch (shape[0]) {
    case "static":
      return slots;
    case "value":
      return slots.add(base + shape[1]);
    case "text":
      return slotsOfText(shape[1], base, slots);
    case "at":
      return slotsOf(shape[2], base + shape[1], slots);
    case "list":
      for (const item of shape[1]) slotsOf(item, base, slots);
      return slots;
    case "map":
      for (const [key, value] of shape[1]) {
        if (typeof key !== "string") slotsOfText(key, base, slots);
        slotsOf(value, base, slots);
      }
      return slots;
  }
}

function slotsOfText(parts: Extract<Shape, readonly ["text", unknown]>[1], base: number, slots: Set<number>) {
  for (const part of parts) if (typeof part !== "string") slots.add(base + part[0]);
  return slots;
}
