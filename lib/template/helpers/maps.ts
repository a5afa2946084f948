// Helpers on maps. None of them edits its argument; `__proto__` is a key like any other.

import { isObject } from "@outrigger/base";
import { ownPropertyReader } from "../bind/own-property.ts";
import { asMap, fault, goText, mapOf, ownValue, sortedKeys, withOfFirst } from "./argument.ts";
import type { HelperTable } from "./helper-table.ts";

export const mapHelpers: HelperTable = {
  /** A map of keys and values in turn: `(dict "name" name "mountPath" "/etc")`. */
  dict: (args) => pairs(args, (value) => value),
  /** A map of keys and texts in turn, a last key alone gets "": `(strdict "a" "b")`. */
  strdict: (args) => pairs(args, (value) => goText(value)),
  /** The keys of a map, sorted: `(keys metadata.labels)`. */
  keys: ([map]) => sortedKeys(asMap(map)),
  /** The value of a key: `(get metadata.labels "app")`. */
  get: ([map, key]) => ownValue(asMap(map), goText(key)),
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
  mergeMaps: (args) => mapOf(args.flatMap((map) => Object.entries(asMap(map)))),
  /** A map without some keys: `(omit metadata.labels "app")`. */
  omit: ([map, ...keys]) => {
    const omitted = new Set(keys.map((key) => goText(key)));
    return mapOf(Object.entries(asMap(map)).filter(([key]) => !omitted.has(key)));
  },
  /** A map of some keys only: `(pick metadata.labels "app" "version")`. */
  pick: ([map, ...keys]) => {
    const picked = new Set(keys.map((key) => goText(key)));
    return mapOf(Object.entries(asMap(map)).filter(([key]) => picked.has(key)));
  },
  /** A map with its keys in Go's order, to iterate over, or a list as it is: `{{#each (sorted proxyConfig.proxyMetadata)}}`. */
  sorted: ([map]) => {
    if (Array.isArray(map)) return map;
    const from = asMap(map);
    return mapOf(sortedKeys(from).map((key) => [key, from[key]]));
  },
  /** Without nulls, and without what is empty when they are gone: `{{omitNil values.global.proxy.resources}}`. */
  omitNil: ([value]) => withoutNulls(value, 0),
};

function pairs(args: readonly unknown[], convert: (value: unknown) => unknown): Readonly<Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (let index = 0; index < args.length; index += 2) {
    entries.push([goText(args[index]), index + 1 < args.length ? convert(args[index + 1]) : ""]);
  }
  return mapOf(entries);
}

function digOut(map: unknown, keys: readonly unknown[], otherwise: unknown): unknown {
  let value: unknown = map;
  for (const key of keys) {
    const inner = asMap(value);
    if (!Object.hasOwn(inner, goText(key))) return otherwise;
    value = ownValue(inner, goText(key));
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
  return Array.isArray(value) ? kept.map(([, entry]) => entry) : mapOf(kept);
}
