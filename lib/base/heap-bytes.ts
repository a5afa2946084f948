// How much of the heap a value takes at most.

import type { Counted } from "./bounded-cache.ts";

/**
 * What V8 takes at most, with what the checks of a pod note of each object. A field has a hidden class of its own where the
 * author chose the key, and an object with numbers for keys has a table or a list with gaps.
 */
const NODE = 64;
const FIELD = 64;
const INDEX = 256;
const SCALAR = 24;
const TEXT = 32;

/**
 * Bytes of the heap that a value takes at most, with everything that it refers to.
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

/** What a text takes at most: V8 has two bytes for each of its characters if one of them is not of Latin-1. */
function textBytes(text: string): number {
  return TEXT + (text.length < SHORT || IS_WIDE.test(text) ? 2 : 1) * text.length;
}

/** Texts that are not worth a look. */
const SHORT = 16;
const IS_WIDE = /[^\0-\u00ff]/;
