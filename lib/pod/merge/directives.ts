// The directives of strategic merge among an object's fields: `$retainKeys`, `$setElementOrder/<list>` and
// `$deleteFromPrimitiveList/<list>`. Applies them to one object; strategic-merge.ts walks the tree.
import {
  DELETE_DIRECTIVE,
  defineEntry,
  entryOf,
  isDirective,
  isObject,
  type JsonObject,
  type JsonValue,
  listOf,
  ORDER_DIRECTIVE,
  OutriggerError,
  withoutEntries,
} from "@outrigger/base";
import { formatFieldPath } from "../field-path.ts";
import type { FieldSchema, TypeSchema } from "../schema/schema.ts";
import { indexKeys, type KeyOf, type List, orderItems } from "./element-order.ts";

/**
 * The target with only the keys that `$retainKeys` names.
 *
 * @throws OutriggerError `overlay-invalid` when the overlay sets a key that it does not retain
 */
export function retainKeys(target: JsonObject, overlay: JsonObject, retained: JsonValue, path: WalkedPath): JsonObject {
  if (!Array.isArray(retained)) throw overlayError(path, "$retainKeys must be a list of keys");
  for (const key in overlay) {
    if (!isDirective(key) && overlay[key] !== null && !retained.includes(key)) {
      throw overlayError({ parent: path, step: key }, "the key is set, but $retainKeys does not name it");
    }
  }
  const dropped = Object.keys(target).filter((key) => !retained.includes(key));
  return dropped.length === 0 ? target : withoutEntries(target, dropped);
}

/**
 * Deletes from lists of scalars and orders lists, after the fields were merged.
 *
 * @param before the object before merging, which has the original positions of items
 */
export function applyListDirectives(
  before: JsonObject,
  merged: JsonObject,
  overlay: JsonObject,
  type: TypeSchema,
  path: WalkedPath,
): JsonObject {
  let result = merged;
  for (const key in overlay) {
    const value = overlay[key];
    if (value === undefined || !isDirective(key) || key === "$retainKeys") continue;
    const directivePath = { parent: path, step: key };
    if (key.startsWith(DELETE_DIRECTIVE)) {
      const name = key.slice(DELETE_DIRECTIVE.length);
      result = withList(result, name, deleteScalars(entryOf(result, name), value, directivePath));
    } else {
      const name = key.slice(ORDER_DIRECTIVE.length);
      const field = type.fields.get(name);
      if (field?.type.kind !== "list") throw overlayError(directivePath, "the Pod has no such list");
      const list = entryOf(result, name);
      const [old, over] = [listOf(entryOf(before, name)), listOf(entryOf(overlay, name))];
      result = withList(result, name, orderList(list, old, over, value, field, directivePath));
    }
  }
  return result;
}

export function overlayError(path: WalkedPath, reason: string): OutriggerError {
  const steps: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.parent) steps.unshift(at.step);
  const place = formatFieldPath(steps);
  const message = `Cannot merge the overlay's ${place || "root"}: ${reason}`;
  return new OutriggerError("overlay-invalid", message, { path: place });
}

function withList(object: JsonObject, name: string, next: List | undefined): JsonObject {
  if (next === undefined || next === entryOf(object, name)) return object;
  if (next.length === 0) return withoutEntries(object, [name]);
  const copy = { ...object };
  defineEntry(copy, name, next);
  return copy;
}

function deleteScalars(list: JsonValue | undefined, scalars: JsonValue, path: WalkedPath) {
  if (scalars === null) return [];
  if (!Array.isArray(scalars)) throw overlayError(path, "the directive needs a list of the scalars to delete");
  if (!Array.isArray(list)) return undefined;
  if (list.some((item) => typeof item === "object")) throw overlayError(path, "only scalars can be deleted like this");
  return list.filter((item) => !scalars.includes(item));
}

function orderList(
  list: JsonValue | undefined,
  before: List,
  overlay: List,
  given: JsonValue,
  field: FieldSchema,
  path: WalkedPath,
): List | undefined {
  if (!Array.isArray(given)) throw overlayError(path, "the directive needs a list");
  const keyOf = keyReader(field.mergeKey, path);
  const order = given.map(keyOf);
  checkOrder(overlay, order, keyOf, path);
  if (!Array.isArray(list)) return undefined;
  return orderItems(list, keyOf, indexKeys(order), indexKeys(keysAfter(before.map(keyOf), overlay, keyOf)));
}

function keyReader(mergeKey: string | undefined, path: WalkedPath): KeyOf {
  return (item) => {
    if (mergeKey === undefined) {
      if (typeof item === "object") throw overlayError(path, "the list has no merge key and can hold scalars only");
      return item;
    }
    const key = isObject(item) ? item[mergeKey] : undefined;
    if (key === undefined) throw overlayError(path, `every item needs its merge key ${mergeKey}`);
    return key;
  };
}

/** Checks that the order names the items that the overlay sets, in the same order. */
function checkOrder(overlay: List, order: readonly unknown[], keyOf: KeyOf, path: WalkedPath): void {
  if (order.length === 0) return;
  let at = 0;
  for (const item of overlay) {
    if (isObject(item) && item["$patch"] !== undefined) continue;
    const key = keyOf(item);
    while (at < order.length && order[at] !== key) at += 1;
    if (at === order.length) throw overlayError(path, "the order does not name the overlay's items in their order");
    at += 1;
  }
}

/**
 * The target's keys as the reference sees them when it orders a list: it deletes and appends in place, within the original
 * length, so that a new item can take the position of a deleted one.
 */
function keysAfter(before: readonly unknown[], overlay: List, keyOf: KeyOf): readonly unknown[] {
  const keys = [...before];
  let length = keys.length;
  for (const item of overlay) {
    if (!isObject(item) || item["$patch"] !== "delete") continue;
    const key = keyOf(item);
    for (let at = keys.indexOf(key); at !== -1 && at < length; at = keys.indexOf(key)) {
      keys.copyWithin(at, at + 1, length);
      length -= 1;
    }
  }
  for (const item of overlay) {
    if (length >= keys.length) break;
    if (isObject(item) && item["$patch"] !== undefined) continue;
    const key = keyOf(item);
    if (keys.slice(0, length).includes(key)) continue;
    keys[length] = key;
    length += 1;
  }
  return keys;
}

/** The way from the root to here; undefined at the root. */
export type WalkedPath = { readonly parent: WalkedPath; readonly step: string | number } | undefined;
