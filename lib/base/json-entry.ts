// Reading, setting and removing an entry of a JSON object with arbitrary keys, `__proto__` included.

import type { JsonObject, JsonValue } from "./json.ts";
import { lookup } from "./lookup.ts";

/** The object's own entry, never its prototype's. */
export function entryOf(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an entry of an object that the caller has just created. */
export function defineEntry(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
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
