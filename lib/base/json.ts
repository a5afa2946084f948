// The type of JSON values, and the questions about them that every folder asks; and which keys of an overlay are no fields.

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
 * What is at a path of keys and indexes of a JSON value; undefined where the path leads nowhere. Own entries only.
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
  return Array.isArray(value) ? value.filter(isObject) : NO_ITEMS;
}

const NO_ENTRIES: JsonObject = Object.freeze({});
const NO_ITEMS: readonly never[] = Object.freeze([]);

/** The fields of `T`: those that may be undefined are optional, and never undefined when present. */
type Defined<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/**
 * The object without its undefined fields.
 *
 * @example
 * ```ts
 * defined({ name: "web", network: undefined }) // => { name: "web" }
 * ```
 */
export function defined<T extends object>(fields: T): Defined<T> {
  // Mostly, nothing is undefined.
  if (!Object.values(fields).includes(undefined)) return fields as Defined<T>;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

// Finding items of lists that are nearly always short: a short list is scanned, a long one becomes a Map, so that a list that
// an attacker makes long takes linear time.
/** Up to this many items, scanning a list is faster than making a Map of it, and always fast enough. */
const MAX_SCANNED = 16;

interface Lookup<Key, T> {
  has(key: Key): boolean;
  /** The first item of the key. */
  get(key: Key): T | undefined;
}

/**
 * Looks up items of a list by a key that they have, or by themselves.
 *
 * @example
 * ```ts
 * lookup(["a", "b"]).has("b") // => true
 * lookup([{ id: 1 }, { id: 2 }], ({ id }) => id).get(2) // => { id: 2 }
 * ```
 */
export function lookup<T>(list: readonly T[]): Lookup<T, T>;
export function lookup<T, Key>(list: readonly T[], keyOf: (item: T) => Key): Lookup<Key, T>;
export function lookup<T, Key>(list: readonly T[], keyOf?: (item: T) => Key | T): Lookup<Key | T, T> {
  if (list.length > MAX_SCANNED) {
    // Of equal keys, the last one that is set stays.
    return new Map(list.map((item) => [keyOf === undefined ? item : keyOf(item), item] as const).reverse());
  }
  if (keyOf === undefined) {
    return { has: (key) => list.includes(key as T), get: (key) => list.find((item) => item === key) };
  }
  const get = (key: Key | T) => {
    for (let at = 0; at < list.length; at++) if (keyOf(list[at] as T) === key) return list[at];
    return undefined;
  };
  return { get, has: (key) => get(key) !== undefined };
}

/** Before the name of a list: its entry has items to remove from that list. */
export const DELETE_DIRECTIVE = "$deleteFromPrimitiveList/";
/** Before the name of a list: its entry has the order of that list. */
export const ORDER_DIRECTIVE = "$setElementOrder/";
const DOLLAR = 36;

/** Whether a key of an overlay is a directive of strategic merge, not a field. */
export function isDirective(key: string): boolean {
  if (key.charCodeAt(0) !== DOLLAR) return false;
  return (
    key === "$patch" || key === "$retainKeys" || key.startsWith(ORDER_DIRECTIVE) || key.startsWith(DELETE_DIRECTIVE)
  );
}
