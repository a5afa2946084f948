// The JSON Patch from one document to another. Skips nodes that both share, so that its cost follows the size of the
// change, and identifies list items by their merge key, so that an inserted container is one `add`.

import { entryOf, isObject, type JsonObject, jsonEqual } from "@outrigger/base";
import { type FieldSchema, POD_TYPE, type TypeSchema } from "../schema/schema.ts";
import { diffItems, type List, type Operations } from "./list-operations.ts";
import { extendPointer, type PatchOperation } from "./patch-operation.ts";

/**
 * The operations that turn `before` into `after` (RFC 6902): add, remove, replace and move. Objects are compared field by
 * field, lists of the schema's merged objects item by item; all other lists are replaced as a whole. The operations
 * contain nodes of `after` itself. `undefined` entries equal absent ones.
 *
 * @param type of the documents; the Pod by default. Unknown fields are compared as plain JSON.
 * @example
 * ```ts
 * createPatch({ metadata: { name: "a" } }, { metadata: { name: "b" } }) // => [{ op: "replace", path: "/metadata/name", value: "b" }]
 * ```
 */
export function createPatch(before: JsonObject, after: JsonObject, type = POD_TYPE): readonly PatchOperation[] {
  const patch: Operations = [];
  diffObject(before, after, type, "", patch);
  return patch;
}

type Schema = TypeSchema | undefined;

function diffObject(before: JsonObject, after: JsonObject, type: Schema, pointer: string, patch: Operations): void {
  if (before === after) return;
  for (const key in before) {
    const value = before[key];
    if (value === undefined || value === after[key]) continue;
    if (entryOf(after, key) === undefined) patch.push({ op: "remove", path: extendPointer(pointer, key) });
  }
  for (const key in after) {
    const value = after[key];
    if (value === undefined || value === before[key]) continue;
    const path = extendPointer(pointer, key);
    const previous = entryOf(before, key);
    if (previous === undefined) patch.push({ op: "add", path, value });
    else if (isObject(previous) && isObject(value)) {
      diffObject(previous, value, type?.fields.get(key)?.type ?? type?.element, path, patch);
    } else if (Array.isArray(previous) && Array.isArray(value)) {
      diffList(previous, value, type?.fields.get(key), path, patch);
    } else patch.push({ op: "replace", path, value });
  }
}

function diffList(before: List, after: List, field: FieldSchema | undefined, pointer: string, patch: Operations): void {
  const mergeKey = field?.mergeKey;
  if (mergeKey === undefined || after.length === 0) {
    if (!jsonEqual(before, after)) patch.push({ op: "replace", path: pointer, value: after });
    return;
  }
  const pairs = diffItems(before, after, mergeKey, pointer, patch);
  if (pairs === undefined) patch.push({ op: "replace", path: pointer, value: after });
  for (const pair of pairs ?? []) {
    const item = extendPointer(pointer, pair.position);
    if (isObject(pair.before) && isObject(pair.after)) {
      diffObject(pair.before, pair.after, field?.type.element, item, patch);
    } else if (!jsonEqual(pair.before, pair.after)) patch.push({ op: "replace", path: item, value: pair.after });
  }
}
