// Numbers for the slots of templates: equal slots have one number, in every template that is loaded. So a text with placeholders
// means the same in the next version of its template, and what was parsed of it need not be parsed again.

import type { TemplatePosition } from "../finding.ts";

/** The parts of a slot that make it equal to another. */
interface NumberedSlot {
  readonly kind: "slot" | "constant";
  /** The value of a constant. */
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
