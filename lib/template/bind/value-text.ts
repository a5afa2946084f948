// A value as text, by the rules of Handlebars.

import { isInexact } from "@outrigger/base";
import { fault } from "../finding.ts";

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
