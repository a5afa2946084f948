// How much of the heap a value takes at most.

import type { Counted } from "./bounded-cache.ts";

/**
 * The bytes that V8 takes at most for the parts of a value, with what the checks of a pod note of each object. A field
 * has a hidden class of its own if the author chose the key, and an object with numbers for keys has a table or a list
 * with gaps.
 */
const NODE = 64;
const FIELD = 64;
const INDEX = 256;
const SCALAR = 24;
const TEXT = 32;

/**
 * Returns the bytes of the heap that a value takes at most, with everything that it refers to.
 *
 * @param counted objects that count as nothing, because others refer to them too; those of the value are added
 */
export function heapBytes(value: unknown, counted?: Counted): number {
  if (typeof value === "string") return textBytes(value);
  if (typeof value !== "object" || value === null) return SCALAR;
  if (counted?.has(value)) return 0;
  counted?.add(value);
  let bytes = NODE;
  if (Array.isArray(value)) for (const item of value) bytes += heapBytes(item, counted);
  else {
    for (const [field, child] of Object.entries(value)) {
      const first = field.charCodeAt(0);
      bytes += FIELD + textBytes(field) + (first >= 0x30 && first <= 0x39 ? INDEX : 0) + heapBytes(child, counted);
    }
  }
  return bytes;
}

/**
 * Returns the bytes that a text takes at most. V8 uses two bytes for each character if one of them is not in Latin-1.
 */
function textBytes(text: string): number {
  return TEXT + (text.length < SHORT || IS_WIDE.test(text) ? 2 : 1) * text.length;
}

/** The length below which a text is not searched for wide characters. */
const SHORT = 16;
const IS_WIDE = /[^\0-\u00ff]/;
