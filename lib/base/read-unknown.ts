// Readers of values whose shape is not known: a value of another type counts as absent.

import { isObject, type JsonObject, type JsonValue } from "./json.ts";

/**
 * The text, or undefined for anything else.
 *
 * @example
 * ```ts
 * textOf("web") // => "web"
 * textOf(1) ?? "" // => ""
 * ```
 */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * The object, or an empty one for anything else.
 *
 * @example
 * ```ts
 * objectOf({ name: "web" }) // => { name: "web" }
 * objectOf(null) // => {}
 * ```
 */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : NO_ENTRIES;
}

/**
 * The items of a list, none for anything else. A list of a known type keeps it.
 *
 * @example
 * ```ts
 * listOf([1, "a"]) // => [1, "a"]
 * listOf({ items: [] }) // => []
 * ```
 */
export function listOf<T>(value: readonly T[] | null | undefined): readonly T[];
export function listOf(value: unknown): readonly JsonValue[];
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ITEMS;
}

/**
 * The objects of a list: other items are left out, and anything but a list has none.
 *
 * @example
 * ```ts
 * objectsOf([{ name: "web" }, null, "a"]) // => [{ name: "web" }]
 * ```
 */
export function objectsOf(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return NO_ITEMS;
  return value.every(isObject) ? value : value.filter(isObject);
}

const NO_ENTRIES: JsonObject = Object.freeze({});
const NO_ITEMS: readonly never[] = Object.freeze([]);
