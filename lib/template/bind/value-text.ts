// A bound value as text and as a condition: what Handlebars prints and what it takes for empty.

import { OutriggerError } from "../../errors.ts";

const MAX_DEPTH = 100;

/**
 * The text of a value inside a longer scalar, as Handlebars prints it without HTML escaping: nothing for null, lists
 * joined by commas.
 *
 * @throws OutriggerError `template-render` for an object, which has no text
 */
export function valueText(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && depth < MAX_DEPTH) return value.map((item) => valueText(item, depth + 1)).join(",");
  throw new OutriggerError(
    "template-render",
    Array.isArray(value)
      ? "a list is nested too deeply to be joined as text"
      : "an object cannot be part of a text: let the tag be the whole value, or use toJson",
  );
}

/** Handlebars' truth: null, false, 0, NaN, the empty text and the empty list are false; the empty object is true. */
export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** The truth of `includeZero=true` and of `#with`: like `isTruthy`, but 0 is true. */
export function isPresent(value: unknown): boolean {
  return value === 0 || isTruthy(value);
}
