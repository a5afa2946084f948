// Carries a change over to the value that it was not made on: a document as it is written, while the change was made on
// what its Go type reads of it (numbers as text, no nulls, no empty lists).

import { defineEntry, entryOf, isObject, type JsonObject, type JsonValue, jsonEqual } from "@outrigger/base";
import { alignLists } from "./align-lists.ts";

/**
 * The written value with the change from `before` to `after`. What did not change is as it was written.
 *
 * @example
 * ```ts
 * rebase({ a: 1, b: null }, { a: "1" }, { a: "1", c: "2" }) // => { a: 1, b: null, c: "2" }
 * ```
 */
export function rebase(written: JsonValue, before: JsonValue | undefined, after: JsonValue): JsonValue {
  if (jsonEqual(before, after)) return written;
  if (isObject(written) && isObject(before) && isObject(after)) return rebaseObject(written, before, after);
  if (Array.isArray(written) && Array.isArray(before) && Array.isArray(after)) {
    return alignLists(before, after).map((item) =>
      item.before === undefined
        ? item.after
        : rebase(written[item.before] as JsonValue, before[item.before], item.after),
    );
  }
  return after;
}

function rebaseObject(written: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const rebased: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(written)) {
    if (value === undefined) continue;
    const [was, is] = [entryOf(before, key), entryOf(after, key)];
    // Its type reads nothing of it, and nothing of it was changed.
    if (was === undefined && is === undefined) defineEntry(rebased, key, value);
    else if (is !== undefined) defineEntry(rebased, key, rebase(value, was, is));
  }
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined || Object.hasOwn(written, key)) continue;
    // Its type reads something that is not written.
    if (!jsonEqual(entryOf(before, key), value)) defineEntry(rebased, key, value);
  }
  return rebased;
}
