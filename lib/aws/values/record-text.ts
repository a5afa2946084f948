// The form of the small records in Parameter Store: JSON that a person can read in the console, and that never has
// two braces in a row, which Parameter Store refuses.

import type { JsonValue } from "@outrigger/base";
import { OutriggerError } from "@outrigger/base";
import type { Parameter, Tier } from "../parameter-store/parameter-store.ts";
import { MAX_VALUE } from "./parts.ts";

/** A value that is JSON as far as `JSON.stringify` is concerned. */
export type RecordValue = JsonValue | object;

/**
 * The record as text. Braces in strings are escaped; those of the structure are on separate lines.
 *
 * @example
 * ```ts
 * recordText({ why: "{{x}}" }).includes("{{") // => false
 * JSON.parse(recordText({ why: "{{x}}" })).why // => "{{x}}"
 * ```
 */
export function recordText(value: RecordValue): string {
  const text = JSON.stringify(value, null, 1);
  return text.replace(STRING, (string) => string.replaceAll("{", "\\u007b").replaceAll("}", "\\u007d"));
}

const STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * Whether a record's text fits into one parameter.
 *
 * @example
 * ```ts
 * fitsParameter("x".repeat(4096), "Standard") // => true
 * fitsParameter("é".repeat(4096), "Standard") // => false
 * ```
 */
export function fitsParameter(text: string, tier: Tier): boolean {
  return new TextEncoder().encode(text).length <= MAX_VALUE[tier];
}

/**
 * Reads a record.
 *
 * @throws OutriggerError `store-corrupt` with the parameter's name, for a type other than String and for what is no JSON
 */
export function readRecord({ name, type, value }: Parameter): JsonValue {
  if (type !== "String") throw corrupt(name, `it is a ${type}, and must be a String`);
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    throw corrupt(name, "it is not JSON");
  }
}

function corrupt(name: string, why: string): OutriggerError {
  const message = `Cannot read ${name}: ${why}; delete it and run the command that made it again`;
  return new OutriggerError("store-corrupt", message, { path: name });
}
