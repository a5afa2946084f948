// Where two objects differ, by field: list items are matched by the merge keys of the schema, so that a container that was added
// is no change of the next one. What both share by reference is not walked.

import { entryOf, isObject, type JsonObject, type JsonValue, jsonEqual, listOf, parseJson } from "@outrigger/base";
import { type FieldSchema, POD_TYPE, type TypeSchema } from "../schema/schema.ts";
import { alignItems, mergeKeyOf } from "./align-items.ts";

/** One place in which two objects differ. */
export interface Difference {
  /**
   * The kind of difference. `reordered` means that the items are the same in another order; `before` and `after` have
   * their keys.
   */
  readonly kind: "added" | "removed" | "changed" | "reordered";
  /** The steps from the root down to the place. */
  readonly path: readonly DifferenceStep[];
  /** The value before. It is left out for what was added. */
  readonly before?: JsonValue;
  /** The value after. It is left out for what was removed. */
  readonly after?: JsonValue;
}

/** The name of a field, the key of a map, or an item of a list by its key. */
export type DifferenceStep = string | ItemStep;

interface ItemStep {
  /** The field that items are known by, `name`; empty where the caller named the items. */
  readonly mergeKey: string;
  /** The key of the item, such as `istio-proxy`. That of the second item with this key ends in `#2`. */
  readonly item: string;
}

interface DiffOptions {
  /** The type of the objects: the Pod by default, undefined for an object whose schema is not known. */
  readonly type?: TypeSchema | undefined;
  /**
   * Returns the keys of the items of a list that the schema does not merge, or undefined for a list that is one value,
   * as all are by default.
   */
  readonly keysOf?: (items: readonly JsonObject[], field: string) => readonly string[] | undefined;
  /** Whether an object that only one side has counts as an empty one on the other: its fields differ, one by one. */
  readonly isDeep?: boolean;
  /** Whether texts that are the same JSON are equal, in whatever order and with whatever blanks they are written. */
  readonly readsJson?: boolean;
}

/**
 * The differences between two objects, in the order of `after`, with what was removed from an object or list after the rest of it.
 * `undefined` entries equal absent ones, and a list with keys that is absent equals an empty one.
 *
 * @example
 * ```ts
 * diffObjects({ spec: { volumes: [{ name: "a" }] } }, { spec: {} }) // => [{ kind: "removed", path: ["spec", "volumes", { mergeKey: "name", item: "a" }], before: { name: "a" } }]
 * ```
 */
export function diffObjects(before: JsonObject, after: JsonObject, options: DiffOptions = {}): readonly Difference[] {
  const found: Difference[] = [];
  const type = "type" in options ? options.type : POD_TYPE;
  diffFields({ path: [], type, found, options }, before, after);
  return found;
}

/**
 * A path as people look for it: by the names of containers, variables and volumes. Keys that are not plain names are in brackets.
 *
 * @example
 * ```ts
 * formatDifferencePath(["containers", { mergeKey: "name", item: "web" }, "image"]) // => "containers[web].image"
 * ```
 */
export function formatDifferencePath(path: readonly DifferenceStep[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step !== "string") text += `[${step.item}]`;
    else if (/[^\w-]/.test(step)) text += `[${step}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

interface Place {
  readonly path: readonly DifferenceStep[];
  /** The type of the values at this place. */
  readonly type: TypeSchema | undefined;
  /** The field that holds the values. */
  readonly field?: FieldSchema | undefined;
  readonly found: Difference[];
  readonly options: DiffOptions;
}

function diffFields(place: Place, before: JsonObject, after: JsonObject): void {
  for (const key in after) if (after[key] !== undefined) diffField(place, key, entryOf(before, key), after[key]);
  for (const key in before) if (entryOf(after, key) === undefined) diffField(place, key, before[key], undefined);
}

function diffField(place: Place, key: string, before: JsonValue | undefined, after: JsonValue | undefined): void {
  if (jsonEqual(before, after)) return;
  const field = place.type?.fields.get(key);
  diffValues({ ...place, path: [...place.path, key], type: field?.type, field }, before, after);
}

function diffValues(place: Place, before: JsonValue | undefined, after: JsonValue | undefined): void {
  const isWalked = (value: JsonValue | undefined, other: JsonValue | undefined) =>
    isObject(value) || (value === undefined && place.options.isDeep === true && hasFields(other));
  if (isWalked(before, after) && isWalked(after, before)) {
    diffFields(place, (before ?? {}) as JsonObject, (after ?? {}) as JsonObject);
  } else if (!diffItems(place, before, after) && !(place.options.readsJson === true && isSameJson(before, after))) {
    report(place, before, after);
  }
}

function hasFields(value: JsonValue | undefined): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function report({ path, found }: Place, before: JsonValue | undefined, after: JsonValue | undefined): void {
  if (before === undefined) found.push({ kind: "added", path, after: after as JsonValue });
  else if (after === undefined) found.push({ kind: "removed", path, before });
  else found.push({ kind: "changed", path, before, after });
}

function isSameJson(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (typeof before !== "string" || typeof after !== "string" || !/^\s*[[{]/.test(before)) return false;
  const value = parseJson(before);
  return value !== undefined && jsonEqual(value, parseJson(after));
}

/** @returns false, and does nothing, for what is no list whose items have keys */
function diffItems(place: Place, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (![before, after].every((value) => value === undefined || Array.isArray(value))) return false;
  const [old, now] = [listOf(before), listOf(after)];
  const [keys, keysAfter] = [keysIn(place, old), keysIn(place, now)];
  if (keys === undefined || keysAfter === undefined) return false;
  const sources = alignItems(keys, keysAfter, (key) => key);
  const [names, namesAfter] = [numbered(keys), numbered(keysAfter)];
  const mergeKey = place.field?.mergeKey ?? "";
  const placeOf = (item = ""): Place => {
    const path = [...place.path, { mergeKey, item }];
    return { ...place, path, type: place.type?.element, field: undefined };
  };
  for (const [at, item] of now.entries()) {
    const source = sources.get(at);
    if (source === undefined) report(placeOf(namesAfter[at]), undefined, item);
    else if (!jsonEqual(old[source], item)) diffValues(placeOf(namesAfter[at]), old[source], item);
  }
  const kept = new Set(sources.values());
  for (const [at, item] of old.entries()) if (!kept.has(at)) report(placeOf(names[at]), item, undefined);
  const [order, orderAfter] = [names.filter((_, at) => kept.has(at)), namesAfter.filter((_, at) => sources.has(at))];
  if (!jsonEqual(order, orderAfter)) {
    place.found.push({ kind: "reordered", path: place.path, before: order, after: orderAfter });
  }
  return true;
}

/** Returns the keys of a list's items, or undefined for a list that is compared as one value. */
function keysIn({ path, field, options }: Place, items: readonly JsonValue[]): readonly string[] | undefined {
  if (!items.every(isObject)) return undefined;
  const mergeKey = field?.mergeKey;
  if (mergeKey === undefined) return options.keysOf?.(items, String(path.at(-1)));
  // A port may be there once for each protocol.
  const ending = ({ protocol }: JsonObject) => (mergeKey === "containerPort" ? `/${protocol ?? "TCP"}` : "");
  return items.every((item) => mergeKeyOf(item, mergeKey) !== undefined)
    ? items.map((item) => `${item[mergeKey]}${ending(item)}`)
    : undefined;
}

/** Adds `#2` and so on to a key that occurs before. */
function numbered(keys: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return keys.map((key) => {
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return times === 1 ? key : `${key}#${times}`;
  });
}
