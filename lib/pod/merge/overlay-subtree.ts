// An overlay's subtree that has no counterpart in the target: used as it is, without directives and nulls, and as
// Kubernetes would write it: without empty lists and maps, with required fields.
import { defineEntry, isDirective, type JsonObject, type JsonValue } from "@outrigger/base";
import type { TypeSchema } from "../schema/schema.ts";
import { overlayError, type WalkedPath } from "./directives.ts";
import type { List } from "./element-order.ts";

type Schema = TypeSchema | undefined;

/**
 * The subtree as a new field's value. Objects and items with `$patch` are left out, whatever its value.
 *
 * @param path of the subtree, for errors
 * @returns the same node if nothing had to be left out; undefined if nothing is left
 */
export function adoptOverlay(value: JsonValue, type: Schema, path: WalkedPath): JsonValue | undefined {
  return clean(value, type, path, true);
}

/** The subtree as a replacement, or as a new item of a merged list: only the directives themselves are left out. */
export function stripOverlay(value: JsonValue, type: Schema, path: WalkedPath): JsonValue | undefined {
  return clean(value, type, path, false);
}

/** The value that Kubernetes writes for a missing required field; undefined if it writes null. */
export function zeroValue(type: Schema): JsonValue | undefined {
  if (type?.kind === "object") return withRequired({}, type);
  return type && ZEROS[type.kind];
}

const ZEROS: Readonly<Partial<Record<TypeSchema["kind"], JsonValue>>> = {
  string: "",
  int32: 0,
  int64: 0,
  intOrString: 0,
  boolean: false,
  quantity: "0",
};

function clean(value: JsonValue, type: Schema, path: WalkedPath, isAdopted: boolean): JsonValue | undefined {
  if (typeof value !== "object") return value;
  if (value === null) return undefined;
  const cache = isAdopted ? adopted : stripped;
  const known = cache.get(value);
  if (known !== undefined && known.type === type) return known.result;
  const result = Array.isArray(value)
    ? cleanList(value, type?.element, path, isAdopted)
    : cleanObject(value as JsonObject, type, path, isAdopted);
  // A frozen subtree is a part of a template that does not depend on the pod: it occurs in every request.
  if (Object.isFrozen(value)) {
    if (typeof result === "object") Object.freeze(result);
    cache.set(value, { type, result });
  }
  return result;
}

interface Cleaned {
  readonly type: Schema;
  readonly result: JsonValue | undefined;
}

const adopted = new WeakMap<object, Cleaned>();
const stripped = new WeakMap<object, Cleaned>();

function cleanObject(object: JsonObject, type: Schema, path: WalkedPath, isAdopted: boolean): JsonObject | undefined {
  const required = type === undefined ? NOTHING : type.required;
  let missing = required.length;
  let copy: Record<string, JsonValue | undefined> | undefined;
  let isEmpty = true;
  for (const key in object) {
    const value = object[key];
    let kept = typeof value === "object" ? cleanEntry(value, type, path, key, isAdopted) : value;
    if (isDirective(key)) {
      if (isAdopted && key === "$patch") return undefined;
      kept = undefined;
    }
    if (kept === undefined) {
      copy ??= entriesBefore(object, key);
      continue;
    }
    isEmpty = false;
    if (missing > 0 && required.includes(key)) missing -= 1;
    if (kept === value && copy === undefined) continue;
    copy ??= entriesBefore(object, key);
    defineEntry(copy, key, kept);
  }
  if (isEmpty && type !== undefined && type.kind === "map") return undefined;
  return missing === 0 ? (copy ?? object) : withRequired(copy ?? object, type as TypeSchema);
}

const NOTHING: readonly string[] = [];

function cleanEntry(
  value: JsonObject | List | null,
  type: Schema,
  path: WalkedPath,
  key: string,
  isAdopted: boolean,
): JsonValue | undefined {
  // The reference drops nulls in adopted subtrees; elsewhere, a map's null entry becomes its zero value.
  if (value === null) return isAdopted ? undefined : zeroValue(type?.element);
  if (type === undefined) return clean(value, undefined, path, isAdopted);
  return clean(value, type.kind === "object" ? type.fields.get(key)?.type : type.element, path, isAdopted);
}

/** The object, with the zero values of the required fields that it does not have. */
export function withRequired(object: JsonObject, type: TypeSchema): JsonObject {
  let result = object;
  for (const name of type.required) {
    if (result[name] !== undefined) continue;
    const zero = zeroValue(type.fields.get(name)?.type);
    if (zero !== undefined) result = { ...result, [name]: zero };
  }
  return result;
}

function entriesBefore(object: JsonObject, end: string): Record<string, JsonValue | undefined> {
  const copy: Record<string, JsonValue | undefined> = {};
  for (const key in object) {
    if (key === end) break;
    const value = object[key];
    if (value !== undefined) defineEntry(copy, key, value);
  }
  return copy;
}

function cleanList(list: List, element: Schema, path: WalkedPath, isAdopted: boolean): List | undefined {
  let copy: JsonValue[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const item = list[at] as JsonValue;
    if (item === null) throw overlayError(path, "a list in it contains null");
    const cleaned = typeof item === "object" ? clean(item, element, path, isAdopted) : item;
    if (cleaned === item && copy === undefined) continue;
    copy ??= list.slice(0, at);
    if (cleaned !== undefined) copy.push(cleaned);
  }
  const result = copy ?? list;
  return result.length === 0 ? undefined : result;
}
