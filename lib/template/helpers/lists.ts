// Helpers on lists and maps. None of them edits its argument.

import { entryOf, isObject, jsonEqual } from "@outrigger/base";
import { ownPropertyReader } from "../bind/bound-value.ts";
import { fault } from "../finding.ts";
import {
  asInteger,
  asList,
  asMap,
  goText,
  type HelperTable,
  isEmpty,
  sortedJson,
  sortedKeys,
  withOfFirst,
} from "./argument.ts";

export const listHelpers: HelperTable = {
  /** A list of the arguments: `(list "a" "b")`. */
  list: (args) => [...args],
  /** A list with one more item at its end: `(append names "x")`. */
  append: ([list, item]) => [...asList(list), item],
  /** A list with one more item at its beginning: `(prepend names "x")`. */
  prepend: ([list, item]) => [item, ...asList(list)],
  /** Lists one after another: `(concat a b)`. */
  concat: (args) => args.flatMap(asList),
  /** The first item: `(first spec.containers)`. */
  first: ([list]) => asList(list)[0],
  /** The last item: `(last spec.containers)`. */
  last: ([list]) => asList(list).at(-1),
  /** How many items, entries or characters: `(len spec.containers)`. */
  len: ([value]) => (typeof value === "string" ? value.length : Object.keys(value ?? {}).length),
  /** The item or entry at a key, and so on inwards: `(index metadata.annotations "a.b/c")`. */
  index: ([value, ...keys]) => keys.reduce(itemAt, value),
  /** Whether a list has an item: `(has "NET_ADMIN" capabilities.add)`. */
  has: ([item, list]) => asList(list).some((other) => jsonEqual(item, other)),
  /** A list without repetitions: `(uniq names)`. */
  uniq: ([list]) => unique(asList(list)),
  /** A list without some items: `(without names "istio-proxy")`. */
  without: ([list, ...items]) => asList(list).filter((item) => !items.some((other) => jsonEqual(item, other))),
  /** A list without empty items: `(compact names)`. */
  compact: ([list]) => asList(list).filter((item) => !isEmpty(item)),
  /** One field of every item that has it: `(pluck "name" spec.containers)`. */
  pluck: ([key, list]) =>
    asList(list)
      .map((item) => itemAt(item, key))
      .filter((value) => value !== undefined),
  /** A list without its first item: `(rest names)`. */
  rest: ([list]) => asList(list).slice(1),
  /** A list without its last item: `(initial names)`. */
  initial: ([list]) => asList(list).slice(0, -1),
  /** The items from a place, and up to another: `(slice names 1)`, `(slice names 0 2)`. */
  slice: ([list, start, end]) =>
    asList(list).slice(Math.max(0, asInteger(start ?? 0)), end === undefined ? undefined : Math.max(0, asInteger(end))),
  /** A list from its end: `(reverse names)`. */
  reverse: ([list]) => [...asList(list)].reverse(),
  /** The texts of a list in the order of their characters: `(sortAlpha names)`. */
  sortAlpha: ([list]) =>
    asList(list)
      .map((item) => goText(item))
      .sort(),
  /** Whether an argument is not empty: `(any a b)`. */
  any: (args) => args.some((value) => !isEmpty(value)),
  /** Whether no argument is empty: `(all a b)`. */
  all: (args) => !args.some(isEmpty),
  /** A map of keys and values in turn: `(dict "name" name "mountPath" "/etc")`. */
  dict: (args) => pairs(args, (value) => value),
  /** A map of keys and texts in turn, a last key alone gets "": `(strdict "a" "b")`. */
  strdict: (args) => pairs(args, (value) => goText(value)),
  /** The keys of a map, sorted: `(keys metadata.labels)`. */
  keys: ([map]) => sortedKeys(asMap(map)),
  /** The value of a key: `(get metadata.labels "app")`. */
  get: ([map, key]) => entryOf(asMap(map), goText(key)),
  /** Whether a map has a key: `(hasKey metadata.labels "app")`. */
  hasKey: ([map, key]) => Object.hasOwn(asMap(map), goText(key)),
  /** Whether a map has a key: `(isset metadata.annotations "sidecar.istio.io/proxyCPU")`. */
  isset: withOfFirst(([key]) => {
    const entryOf = ownPropertyReader(goText(key));
    return (map) => isObject(map) && entryOf(map) !== undefined;
  }),
  /** Maps merged inwards, earlier ones win: `(merge (dict "name" @key) this)`. */
  merge: (args) => args.map(asMap).reduce<object>((merged, map) => mergeUnder(merged, map, 0), {}),
  /** Maps merged inwards, later ones win: `(mergeOverwrite values.defaults values.own)`. */
  mergeOverwrite: (args) => args.map(asMap).reduce<object>((merged, map) => mergeUnder(map, merged, 0), {}),
  /** The value itself, which no helper edits: `(deepCopy values.own)`. */
  deepCopy: ([value]) => value,
  /** The value at a path of keys, or the default before the map: `(dig "a" "b" "none" values)`. */
  dig: (args) => digOut(asMap(args.at(-1)), args.slice(0, -2), args.at(-2)),
  /** Maps merged at their first level, later ones win: `(mergeMaps defaults metadata.labels)`. */
  mergeMaps: (args) => Object.fromEntries(args.flatMap((map) => Object.entries(asMap(map)))),
  /** A map without some keys: `(omit metadata.labels "app")`. */
  omit: ([map, ...keys]) => chosen(map, keys, false),
  /** A map of some keys only: `(pick metadata.labels "app" "version")`. */
  pick: ([map, ...keys]) => chosen(map, keys, true),
  /** A map with its keys in Go's order, to iterate over, or a list as it is: `{{#each (sorted proxyConfig.proxyMetadata)}}`. */
  sorted: ([map]) => {
    if (Array.isArray(map)) return map;
    const from = asMap(map);
    return Object.fromEntries(sortedKeys(from).map((key) => [key, from[key]]));
  },
  /** Without nulls, and without what is empty when they are gone: `{{omitNil values.global.proxy.resources}}`. */
  omitNil: ([value]) => withoutNulls(value, 0),
};

function itemAt(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) return typeof key === "number" || typeof key === "string" ? value[Number(key)] : undefined;
  return typeof value === "object" && value !== null ? entryOf(value as never, goText(key)) : undefined;
}

/** By a set, of an object by its text. */
function unique(list: readonly unknown[]): readonly unknown[] {
  const seen = new Set<unknown>();
  return list.filter((item) => {
    const { size } = seen;
    return seen.add(typeof item === "object" && item !== null ? `${IS_JSON}${sortedJson(item)}` : item).size > size;
  });
}

/** No text of YAML or JSON begins so: an object is not equal to a text of its JSON. */
const IS_JSON = "\0";

/** The entries whose keys are among those, or are not. */
function chosen(map: unknown, keys: readonly unknown[], areAmong: boolean): object {
  const named = new Set(keys.map((key) => goText(key)));
  return Object.fromEntries(Object.entries(asMap(map)).filter(([key]) => named.has(key) === areAmong));
}

function pairs(args: readonly unknown[], convert: (value: unknown) => unknown): Readonly<Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (let index = 0; index < args.length; index += 2) {
    entries.push([goText(args[index]), index + 1 < args.length ? convert(args[index + 1]) : ""]);
  }
  return Object.fromEntries(entries);
}

function digOut(map: unknown, keys: readonly unknown[], otherwise: unknown): unknown {
  let value: unknown = map;
  for (const key of keys) {
    const inner = asMap(value);
    if (!Object.hasOwn(inner, goText(key))) return otherwise;
    value = entryOf(inner, goText(key));
  }
  return value;
}

const MAX_DEPTH = 100;

function mergeUnder(over: object, under: object, depth: number): object {
  if (depth > MAX_DEPTH) throw fault("the maps are nested too deeply");
  const merged = new Map<string, unknown>(Object.entries(over));
  for (const [key, value] of Object.entries(under)) {
    const own = merged.get(key);
    if (own === undefined || own === null) merged.set(key, value);
    else if (isObject(own) && isObject(value)) merged.set(key, mergeUnder(own, value, depth + 1));
  }
  return Object.fromEntries(merged);
}

/** Only a map or list that held a null is touched: an empty one that was empty before stays. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw fault("the value is nested too deeply");
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const entries = Object.entries(value).map(([key, entry]) => [key, withoutNulls(entry, depth + 1)] as const);
  if (entries.every(([key, entry]) => entry === (value as Record<string, unknown>)[key])) return value;
  const kept = entries.filter(([, entry]) => entry !== undefined);
  if (kept.length === 0) return undefined;
  return Array.isArray(value) ? kept.map(([, entry]) => entry) : Object.fromEntries(kept);
}
