// Reading, setting and leaving out one entry of a JSON object whose keys may be anything, `__proto__` included.

import type { JsonObject, JsonValue } from "../json.ts";

/** The object's own entry: never what its prototype has. */
export function entryOf(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an entry of an object that the caller has just made. */
export function defineEntry(object: Record<string, JsonValue | undefined>, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** A copy without some keys; `delete` would make the copy, and whatever prints it, slow. */
export function withoutEntries(object: JsonObject, keys: readonly string[]): JsonObject {
  const copy: Record<string, JsonValue | undefined> = {};
  for (const key in object) {
    const value = object[key];
    if (value !== undefined && !keys.includes(key)) defineEntry(copy, key, value);
  }
  return copy;
}
