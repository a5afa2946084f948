// What is known about a value when templates are loaded: the value, or how to read it from the registers of a rendering.

import { defineEntry, isDirective, isInexact, type JsonObject, type JsonValue, withoutEntries } from "@outrigger/base";
import { fault } from "../finding.ts";
import { spend } from "./render-state.ts";

export type Read = (registers: readonly unknown[]) => unknown;

export type BoundValue =
  | { readonly kind: "constant"; readonly value: unknown }
  | { readonly kind: "dynamic"; readonly read: Read }
  /** The template data: some of its roots are constant. */
  | { readonly kind: "data"; readonly constants: Readonly<Record<string, unknown>> }
  /** The context of a partial, overridden by its arguments. */
  | { readonly kind: "extended"; readonly base: BoundValue; readonly entries: ReadonlyMap<string, BoundValue> };

export const NOTHING: BoundValue = { kind: "constant", value: undefined };

export function constant(value: unknown): BoundValue {
  return { kind: "constant", value };
}

export function register(index: number): BoundValue {
  return { kind: "dynamic", read: (registers) => registers[index] };
}

export function boundProperty(value: BoundValue, name: string): BoundValue {
  switch (value.kind) {
    case "constant":
      return constant(ownProperty(value.value, name));
    case "data": {
      if (Object.hasOwn(value.constants, name)) return constant(value.constants[name]);
      const property = ownPropertyReader(name);
      return { kind: "dynamic", read: (registers) => property(registers[0]) };
    }
    case "extended":
      return value.entries.get(name) ?? boundProperty(value.base, name);
    case "dynamic": {
      const { read } = value;
      const property = ownPropertyReader(name);
      return { kind: "dynamic", read: (registers) => property(read(registers)) };
    }
  }
}

export function boundPath(value: BoundValue, names: readonly string[]): BoundValue {
  return names.reduce(boundProperty, value);
}

export function readerOf(value: BoundValue): Read {
  switch (value.kind) {
    case "constant": {
      const known = value.value;
      return () => known;
    }
    case "dynamic":
      return value.read;
    case "data":
      return (registers) => registers[0];
    case "extended":
      return extendedReader(readerOf(value.base), value.entries);
  }
}

function extendedReader(base: Read, entries: ReadonlyMap<string, BoundValue>): Read {
  const readers = [...entries].map(([name, entry]) => [name, readerOf(entry)] as const);
  return (registers) => {
    const under = base(registers);
    const all = typeof under === "object" && under !== null ? Object.entries(under) : [];
    return Object.fromEntries([...all, ...readers.map(([name, read]) => [name, read(registers)] as const)]);
  };
}

// A bound value as text and as a condition, by the rules of Handlebars.
const MAX_DEPTH = 100;

/**
 * The text of a value inside a longer scalar, as Handlebars prints it without HTML escaping: empty for null, lists
 * joined by commas.
 *
 * @example
 * ```ts
 * valueText(15001) // => "15001"
 * valueText(["a", "b"]) // => "a,b"
 * valueText(null) // => ""
 * ```
 *
 * @throws OutriggerError `template-render` for an object, which has no text, and for an integer of more than 53 bits
 */
export function valueText(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (isInexact(value))
    throw fault(`an integer beyond ${Number.MAX_SAFE_INTEGER} is not kept exactly: write it as text, in quotes`);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && depth < MAX_DEPTH) return value.map((item) => valueText(item, depth + 1)).join(",");
  if (Array.isArray(value)) throw fault("a list is nested too deeply to be joined as text");
  throw fault("an object cannot be part of a text: make the tag the whole value, or use toJson");
}

/**
 * Truth in Handlebars: null, false, 0, NaN, the empty string and the empty list are false; the empty object is true.
 *
 * @example
 * ```ts
 * isTruthy([]) // => false
 * isTruthy({}) // => true
 * ```
 */
export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Truth with `includeZero=true` and in `#with`: like `isTruthy`, but 0 is true. */
export function isPresent(value: unknown): boolean {
  return value === 0 || isTruthy(value);
}

const { hasOwn } = Object;

/** Every property name of a built-in prototype: only these need the check for an own property. */
const INHERITED_NAMES: ReadonlySet<string> = new Set(
  [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype].flatMap((prototype) =>
    Object.getOwnPropertyNames(prototype),
  ),
);

/**
 * The own property of an object, list or string; undefined if it has none or is none of these.
 *
 * @example
 * ```ts
 * ownProperty({ app: "web" }, "app") // => "web"
 * ownProperty({}, "constructor") // => undefined
 * ownProperty(["a"], "length") // => 1
 * ```
 */
export function ownProperty(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object")
    return typeof value === "string" && hasOwn(value as object & string, name) ? (value as never)[name] : undefined;
  return hasOwn(value, name) ? (value as never)[name] : undefined;
}

/** `ownProperty` for a fixed name: most names are on no prototype and need no check. */
export function ownPropertyReader(name: string): (value: unknown) => unknown {
  if (INHERITED_NAMES.has(name)) return (value) => ownProperty(value, name);
  return (value) => (value === null || value === undefined ? undefined : (value as never)[name]);
}

// A bound value on its way into an overlay. Only the template's own text directs the merge: nulls, which delete, and
// strategic merge directives are removed from values.

const MAX_LEVELS = 256;

/**
 * The value without nulls and directives, undefined if nothing is left to insert. Shares structure with the value.
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
