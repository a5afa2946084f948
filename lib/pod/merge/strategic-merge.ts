// Strategic merge of an overlay into a pod, as Kubernetes' StrategicMergeMapPatch does it for the Pod type. The result
// shares unchanged nodes with the target and new nodes with the overlay.
import type { JsonObject, JsonValue } from "@outrigger/base";
import { defineEntry, entryOf, isDirective, isObject, jsonEqual, withoutEntries } from "@outrigger/base";
import { type FieldSchema, POD_TYPE, type TypeSchema } from "../schema/schema.ts";
import { applyListDirectives, overlayError, retainKeys, type WalkedPath } from "./directives.ts";
import { indexKeys, type KeyOf, type List, orderItems } from "./element-order.ts";
import { adoptOverlay, stripOverlay, withRequired, zeroValue } from "./overlay-subtree.ts";

/**
 * Merges an overlay (a partial pod) into a target.
 *
 * Objects are merged field by field, null removes a field; lists are merged by the merge key that the schema gives
 * them (`containers` by `name`, `volumeMounts` by `mountPath`), or replaced if they have none. Directives: `$patch:
 * delete | replace` in an object or list item, `$retainKeys`, `$setElementOrder/<list>`,
 * `$deleteFromPrimitiveList/<list>`; `$patch: merge` is rejected, as in the reference. The result contains no directives,
 * and neither nulls nor empty lists of the overlay. Nothing is mutated; if the overlay changes nothing, the result is the
 * target itself.
 *
 * @param type of the target; the Pod by default
 * @throws OutriggerError `overlay-invalid` with the field's path
 * @example
 * ```ts
 * strategicMerge({ spec: { containers: [{ name: "a", image: "x" }] } }, { spec: { containers: [{ name: "a", tty: true }] } }) // => { spec: { containers: [{ name: "a", image: "x", tty: true }] } }
 * ```
 */
export function strategicMerge<T extends JsonObject>(target: T, overlay: JsonObject, type: TypeSchema = POD_TYPE): T {
  return mergeObject(target, overlay, type, undefined) as T;
}

type Merged = JsonObject | undefined;

/** Merges two maps, or returns undefined for a map that is replaced by nothing. */
function mergeObject(target: JsonObject, overlay: JsonObject, type: TypeSchema, path: WalkedPath): Merged {
  const directive = overlay["$patch"];
  if (directive !== undefined) return replaceObject(directive, overlay, type, path);
  const retained = overlay["$retainKeys"];
  const base = retained === undefined ? target : retainKeys(target, overlay, retained, path);
  let merged: Record<string, JsonValue | undefined> | undefined;
  const removed: string[] = [];
  let hasDirectives = false;
  for (const key in overlay) {
    const value = overlay[key];
    if (value === undefined) continue;
    if (isDirective(key)) {
      hasDirectives = true;
      continue;
    }
    const current = entryOf(base, key);
    const result = mergeEntry(current, value, type, key, path);
    if (result === current) continue;
    if (result === undefined) removed.push(key);
    else {
      merged ??= { ...base };
      defineEntry(merged, key, result);
    }
  }
  let result: JsonObject = merged ?? base;
  if (removed.length > 0) result = withoutEntries(result, removed);
  return hasDirectives ? applyListDirectives(target, result, overlay, type, path) : result;
}

function replaceObject(directive: JsonValue, overlay: JsonObject, type: TypeSchema, path: WalkedPath) {
  if (directive === "delete") return withRequired({}, type);
  if (directive === "replace") return stripOverlay(overlay, type, path) as Merged;
  throw overlayError(path, "$patch must be delete or replace");
}

/** The new value of the field; undefined if it is removed. */
function mergeEntry(
  current: JsonValue | undefined,
  value: JsonValue,
  type: TypeSchema,
  key: string,
  parent: WalkedPath,
): JsonValue | undefined {
  if (typeof value !== "object") {
    if (typeof current === "object" && current !== null) throw mismatch({ parent, step: key }, current);
    return value;
  }
  const field = type.fields.get(key);
  // A required field is not removed: it gets its zero value.
  if (value === null) return type.required.includes(key) ? zeroValue(field?.type) : undefined;
  const path = { parent, step: key };
  if (current === undefined || current === null) return adoptOverlay(value, field?.type ?? type.element, path);
  if (Array.isArray(value)) {
    if (!Array.isArray(current)) throw mismatch(path, current);
    return mergeList(current, value, field, path) ?? (type.required.includes(key) ? [] : undefined);
  }
  if (!isObject(current)) throw mismatch(path, current);
  // A map of a Pod has no mappings in it.
  const childType = field?.type;
  // An author's container merged over itself, with a field of a newer API.
  if (childType === undefined && jsonEqual(value, current)) return current;
  if (childType === undefined) throw overlayError(path, "the Pod has no such field");
  const merged = mergeObject(current, value as JsonObject, childType, path);
  return childType.kind === "map" && merged !== current && isEmpty(merged) ? undefined : merged;
}

function mergeList(current: List, overlay: List, field: FieldSchema | undefined, path: WalkedPath): List | undefined {
  if (field === undefined || !field.isMerged) return stripOverlay(overlay, field?.type, path) as List | undefined;
  const merged =
    field.mergeKey === undefined
      ? mergeScalars(current, overlay, path)
      : mergeItems(current as readonly JsonObject[], overlay, field.mergeKey, field.type.element as TypeSchema, path);
  return merged.length === 0 ? undefined : sameItems(current, merged) ? current : merged;
}

function mergeScalars(current: List, overlay: List, path: WalkedPath) {
  if (overlay.some((item) => typeof item === "object")) throw overlayError(path, "the list contains scalars only");
  const merged = [...new Set([...current, ...overlay])];
  return orderItems(merged, (item) => item, indexKeys(overlay), indexKeys(current));
}

function mergeItems(
  current: readonly JsonObject[],
  overlay: List,
  mergeKey: string,
  type: TypeSchema,
  path: WalkedPath,
): List {
  const { items, deleted, isReplaced } = sortOutItems(overlay, mergeKey, path);
  if (isReplaced) return items.map((item, at) => stripOverlay(item, type, { parent: path, step: at }) as JsonValue);
  const keyOf: KeyOf = (item) => (item as JsonObject)[mergeKey];
  const survivors = deleted === undefined ? current : current.filter((item) => !deleted.has(item[mergeKey]));
  const target = indexKeys(survivors.map(keyOf));
  const named = new Map<unknown, number>();
  const merged: JsonObject[] = survivors.slice();
  let hasMatch = target.size < survivors.length;
  for (const item of items) {
    const key = item[mergeKey];
    const at = target.get(key) ?? named.get(key);
    const itemPath = { parent: path, step: at ?? merged.length };
    if (at === undefined) {
      named.set(key, merged.length);
      merged.push(stripOverlay(item, type, itemPath) as JsonObject);
    } else {
      hasMatch = true;
      merged[at] = mergeObject(merged[at] as JsonObject, item, type, itemPath) as JsonObject;
    }
  }
  // All items are new: they come first, in the overlay's order.
  if (!hasMatch) return [...merged.slice(survivors.length), ...survivors];
  return orderItems(merged, keyOf, indexKeys(items.map(keyOf)), target);
}

/** Separates an overlay's items from its directives. */
function sortOutItems(overlay: List, mergeKey: string, path: WalkedPath) {
  const items: JsonObject[] = [];
  let deleted: Set<unknown> | undefined;
  let isReplaced = false;
  for (let at = 0; at < overlay.length; at++) {
    const item = overlay[at];
    const itemPath = { parent: path, step: at };
    if (!isObject(item)) throw overlayError(itemPath, "the list contains objects only");
    const directive = item["$patch"];
    if (directive === "replace") {
      isReplaced = true;
      continue;
    }
    if (directive !== undefined && directive !== "delete") {
      throw overlayError(itemPath, "$patch must be delete or replace");
    }
    const key = item[mergeKey];
    if (key === undefined || key === null) throw overlayError(itemPath, `an item needs its merge key ${mergeKey}`);
    if (directive === undefined) items.push(item);
    else deleted = (deleted ?? new Set()).add(key);
  }
  return { items, deleted, isReplaced };
}

function isEmpty(object: Merged): boolean {
  for (const _ in object) return false;
  return true;
}

function sameItems(a: List, b: List): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

function mismatch(path: WalkedPath, current: JsonValue) {
  const kind = Array.isArray(current) ? "a list" : isObject(current) ? "an object" : "a scalar";
  return overlayError(path, `the pod has ${kind} there`);
}
