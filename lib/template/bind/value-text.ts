// A bound value as text and as a condition, by the rules of Handlebars.

import { isInexact, OutriggerError } from "@outrigger/base";

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
    throw new OutriggerError(
      "template-render",
      `an integer beyond ${Number.MAX_SAFE_INTEGER} is not kept exactly: write it as text, in quotes`,
    );
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && depth < MAX_DEPTH) return value.map((item) => valueText(item, depth + 1)).join(",");
  throw new OutriggerError(
    "template-render",
    Array.isArray(value)
      ? "a list is nested too deeply to be joined as text"
      : "an object cannot be part of a text: make the tag the whole value, or use toJson",
  );
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
