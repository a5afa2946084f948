// Helpers on maps. None of them edits its argument.

import { entryOf, isObject } from "@outrigger/base";
import { ownPropertyReader } from "../bind/own-property.ts";
import { fault } from "../finding.ts";
import { asMap, goText, sortedKeys } from "./argument.ts";
import { ENTRY, MAP, MAPS, VALUE } from "./common-arguments.ts";
import { defineHelpers, withOfFirst } from "./helper.ts";

export const mapHelpers = defineHelpers({
  dict: {
    run: (args) => pairs(args, (value) => value),
    doc: {
      text: "A map of keys and values in turn.",
      args: [["keyOrValue…?", "any", "a key, its value, the next key, its value"]],
      result: "map",
      examples: [['(dict "name" "logs" "mountPath" "/etc")', { name: "logs", mountPath: "/etc" }]],
    },
  },
  strdict: {
    run: (args) => pairs(args, (value) => goText(value)),
    doc: {
      text: 'A map of keys and texts in turn. A last key without a text gets "".',
      args: [["keyOrText…?", "any", "a key, its text, the next key, its text"]],
      result: "map",
      examples: [['(strdict "a" 1 "b")', { a: "1", b: "" }]],
    },
  },
  keys: {
    run: ([map]) => sortedKeys(asMap(map)),
    doc: {
      text: "The keys of a map, sorted.",
      args: [MAP],
      result: "texts",
      examples: [["(keys metadata.labels)", ["app", "version"]]],
    },
  },
  get: {
    run: ([map, key]) => entryOf(asMap(map), goText(key)),
    doc: {
      text: "The value of a key.",
      args: ENTRY,
      result: "any",
      examples: [['(get metadata.labels "app")', "web"]],
    },
  },
  hasKey: {
    run: ([map, key]) => Object.hasOwn(asMap(map), goText(key)),
    doc: {
      text: "Whether a map has the key.",
      args: ENTRY,
      result: "boolean",
      examples: [['(hasKey metadata.labels "app")', true]],
    },
  },
  isset: {
    ...withOfFirst(([key]) => {
      const entryOf = ownPropertyReader(goText(key));
      return (map) => isObject(map) && entryOf(map) !== undefined;
    }),
    doc: {
      text: "Whether a map has the key.",
      args: ENTRY,
      result: "boolean",
      examples: [['(isset metadata.annotations "sidecar.istio.io/proxyCPU")', false]],
    },
  },
  merge: {
    run: (args) => args.map(asMap).reduce<object>((merged, map) => mergeUnder(merged, map, 0), {}),
    doc: {
      text: "The maps merged into one, at all levels; earlier ones win.",
      args: MAPS,
      result: "map",
      examples: [['(merge (dict "a" 1) (dict "a" 2 "b" 2))', { a: 1, b: 2 }]],
    },
  },
  mergeOverwrite: {
    run: (args) => args.map(asMap).reduce<object>((merged, map) => mergeUnder(map, merged, 0), {}),
    doc: {
      text: "The maps merged into one, at all levels; later ones win.",
      args: MAPS,
      result: "map",
      examples: [['(mergeOverwrite (dict "a" 1) (dict "a" 2 "b" 2))', { a: 2, b: 2 }]],
    },
  },
  mergeMaps: {
    run: (args) => Object.fromEntries(args.flatMap((map) => Object.entries(asMap(map)))),
    doc: {
      text: "The maps merged into one, at their first level; later ones win.",
      args: MAPS,
      result: "map",
      examples: [['(mergeMaps (dict "a" 1) (dict "a" 2 "b" 2))', { a: 2, b: 2 }]],
    },
  },
  deepCopy: {
    run: ([value]) => value,
    doc: {
      text: "The value itself: no helper changes its arguments, so no copy is needed.",
      args: [VALUE],
      result: "any",
      examples: [['(deepCopy (list "a"))', ["a"]]],
    },
  },
  dig: {
    run: (args) => digOut(asMap(args.at(-1)), args.slice(0, -2), args.at(-2)),
    doc: {
      text: "The value at a path of keys, or the default, which comes before the map.",
      args: [["key…", "text", "the path of keys"], ["default", "any", "the result if the path does not exist"], MAP],
      result: "any",
      examples: [
        ['(dig "labels" "app" "none" metadata)', "web"],
        ['(dig "labels" "team" "none" metadata)', "none"],
      ],
    },
  },
  omit: {
    run: ([map, ...keys]) => chosen(map, keys, false),
    doc: {
      text: "The map without the given keys.",
      args: [MAP, ["key…", "text", "the keys to leave out"]],
      result: "map",
      examples: [['(omit metadata.labels "app")', { version: "v1" }]],
    },
  },
  pick: {
    run: ([map, ...keys]) => chosen(map, keys, true),
    doc: {
      text: "The map with only the given keys.",
      args: [MAP, ["key…", "text", "the keys to keep"]],
      result: "map",
      examples: [['(pick metadata.labels "app")', { app: "web" }]],
    },
  },
  sorted: {
    run: ([map]) => {
      if (Array.isArray(map)) return map;
      const from = asMap(map);
      return Object.fromEntries(sortedKeys(from).map((key) => [key, from[key]]));
    },
    doc: {
      text: "The map with its keys in Go's order, to iterate over; a list stays as it is.",
      args: [["map", "map", "a map; a list stays as it is"]],
      result: "any",
      examples: [['(sorted (dict "b" 1 "a" 2))', { a: 2, b: 1 }]],
    },
  },
  omitNil: {
    run: ([value]) => withoutNulls(value, 0),
    doc: {
      text: "The value without nulls, and without the maps and lists that hold nothing else.",
      args: [["value", "map", "a map or a list"]],
      result: "any",
      examples: [['(omitNil (fromJson \'{"a":null,"b":1}\'))', { b: 1 }]],
    },
  },
});

/** Returns the entries whose keys are among the given ones, or are not. */
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

/** Changes only maps and lists that held a null: one that was empty before stays. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw fault("the value is nested too deeply");
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const entries = Object.entries(value).map(([key, entry]) => [key, withoutNulls(entry, depth + 1)] as const);
  if (entries.every(([key, entry]) => entry === (value as Record<string, unknown>)[key])) return value;
  const kept = entries.filter(([, entry]) => entry !== undefined);
  if (kept.length === 0) return undefined;
  return Array.isArray(value) ? kept.map(([, entry]) => entry) : Object.fromEntries(kept);
}
