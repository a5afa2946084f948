// The form of the small records in Parameter Store: JSON that a person can read in the console, and that never has
// two braces in a row, which Parameter Store refuses.
import { type JsonValue, OutriggerError } from "@outrigger/base";
import type { Parameter } from "../parameter-store/parameter-store.ts";

/**
 * The record as text. Braces in strings are escaped; those of the structure are on separate lines.
 *
 * @param value JSON as far as `JSON.stringify` is concerned
 * @example
 * ```ts
 * recordText({ why: "{{x}}" }).includes("{{") // => false
 * JSON.parse(recordText({ why: "{{x}}" })).why // => "{{x}}"
 * ```
 */
export function recordText(value: JsonValue | object): string {
  const text = JSON.stringify(value, null, 1);
  return text.replace(STRING, (string) => string.replaceAll("{", "\\u007b").replaceAll("}", "\\u007d"));
}

const STRING = /"(?:[^"\\]|\\.)*"/g;

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
