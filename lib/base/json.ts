// The type of JSON values, and the questions about them that every folder asks.

import { lookup } from "./lookup.ts";

/** Any value of JSON: what `JSON.parse` returns. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object of JSON. An entry that is undefined is absent: `JSON.stringify` leaves it out. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/**
 * True for a JSON object: not null, not a list.
 *
 * @example
 * ```ts
 * isObject({}) // => true
 * isObject([]) // => false
 * ```
 */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * True for an integer of more than 53 bits: JavaScript has read another one, next to the one that is written.
 *
 * @example
 * ```ts
 * isInexact(2 ** 53) // => true
 * isInexact(2 ** 53 - 1) // => false
 * ```
 */
export function isInexact(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a whole number within bounds, both included. */
export function isWholeIn(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** A path to a field: keys of objects and indexes of lists, from the root down. */
export type FieldPath = readonly (string | number)[];

/**
 * Returns the value at a path of keys and indexes of a JSON value, or undefined if the path leads nowhere. It follows
 * own entries only.
 *
 * @example
 * ```ts
 * valueAt({ a: [{ b: 1 }] }, ["a", 0, "b"]) // => 1
 * valueAt({ a: 1 }, ["toString"]) // => undefined
 * ```
 */
export function valueAt(root: unknown, path: FieldPath): JsonValue | undefined {
  let value = root as JsonValue | undefined;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/**
 * Deep equality of JSON values: key order is ignored, list order counts, an `undefined` entry equals an absent one.
 * Identical references are not walked, so comparing structures that share most of their nodes is cheap.
 *
 * @example
 * ```ts
 * jsonEqual({ a: 1, b: undefined }, { a: 1 }) // => true
 * jsonEqual([1, 2], [2, 1]) // => false
 * ```
 */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  // Own entries only: an object has no entry `toString` because its prototype does.
  for (const key in a) if (!jsonEqual(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false;
  for (const key in b) if (b[key] !== undefined && !(Object.hasOwn(a, key) && a[key] !== undefined)) return false;
  return true;
}

/** The object's own entry, never its prototype's. */
export function entryOf<Item>(object: Readonly<Record<string, Item>>, key: string): Item | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an entry of an object that the caller has just created. */
export function defineEntry(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

/** A copy without the keys. `delete` would slow down the copy and every function that prints it. */
export function withoutEntries(object: JsonObject, keys: readonly string[]): JsonObject {
  const removed = lookup(keys);
  const copy: Record<string, JsonValue | undefined> = {};
  for (const key in object) {
    const value = object[key];
    if (value !== undefined && !removed.has(key)) defineEntry(copy, key, value);
  }
  return copy;
}
