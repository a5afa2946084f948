// A bound value on its way into an overlay. Only the template's own text directs the merge: nulls, which delete, and
// strategic merge directives are removed from values.

import { defineEntry, isDirective, type JsonObject, type JsonValue, withoutEntries } from "@outrigger/base";
import { fault } from "../finding.ts";
import { spend } from "./render-budget.ts";

const MAX_LEVELS = 256;

/**
 * Returns the value without nulls and directives, undefined if nothing is left to insert. Shares structure with the value.
 *
 * @example
 * ```ts
 * boundJson({ cpu: "1", memory: null }) // => { cpu: "1" }
 * boundJson(null) // => undefined
 * ```
 *
 * @throws OutriggerError `template-render` for a value that JSON does not have, and for nesting beyond 256 levels
 */
export function boundJson(value: unknown, depth = 0): JsonValue | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw fault("the value is not a finite number");
      return value;
    case "undefined":
      return undefined;
    case "object":
      if (value === null) return undefined;
      if (depth > MAX_LEVELS) throw fault(`the value is nested more than ${MAX_LEVELS} levels deep`);
      return Array.isArray(value) ? boundList(value, depth) : boundMap(value as Record<string, unknown>, depth);
    default:
      throw fault(`the value is a ${typeof value}`);
  }
}

function boundList(list: readonly unknown[], depth: number): JsonValue {
  spend(list.length);
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = boundJson(list[index], depth + 1);
    if (item !== list[index] || item === undefined) copy ??= list.slice(0, index) as JsonValue[];
    if (copy && item !== undefined) copy.push(item);
  }
  return copy ?? (list as readonly JsonValue[]);
}

function boundMap(map: Readonly<Record<string, unknown>>, depth: number): JsonValue {
  const keys = Object.keys(map);
  spend(keys.length);
  let copy: Record<string, unknown> | undefined;
  for (const key of keys) {
    const bound = isDirective(key) ? undefined : boundJson(map[key], depth + 1);
    if (bound !== map[key] || bound === undefined)
      copy ??= withoutEntries(map as JsonObject, keys.slice(keys.indexOf(key)));
    if (copy && bound !== undefined) defineEntry(copy, key, bound);
  }
  return (copy ?? map) as JsonValue;
}
