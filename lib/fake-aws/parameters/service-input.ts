// Reading the fields of a request: the service refuses a wrong type before any of its rules.
import { isObject, type JsonObject } from "@outrigger/base";
import { constraintError, ServiceError, validationError } from "./parameter-rules.ts";

export function textOf(input: JsonObject, key: string): string {
  const value = optionalText(input, key);
  if (value === undefined) throw missing(key);
  return value;
}

export const optionalText = reader("String", (value) => typeof value === "string");
export const optionalWhole = reader("Integer", (value): value is number => Number.isInteger(value));
const optionalFlag = reader("Boolean", (value) => typeof value === "boolean");

/** Reads a field that may be missing, and refuses another type. */
function reader<Value>(type: string, is: (value: unknown) => value is Value) {
  return (input: JsonObject, key: string): Value | undefined => {
    const value = input[key] ?? undefined;
    if (value === undefined || is(value)) return value;
    throw wrongType(key, type);
  };
}

export function flagOf(input: JsonObject, key: string): boolean {
  return optionalFlag(input, key) ?? false;
}

export function textsOf(input: JsonObject, key: string): readonly string[] {
  const value = input[key];
  if (value === undefined || value === null) throw missing(key);
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw wrongType(key, "List");
}

export function objectsOf(input: JsonObject, key: string): readonly JsonObject[] {
  const value = input[key] ?? [];
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw wrongType(key, "List");
}

export function oneOf<Word extends string>(input: JsonObject, key: string, words: readonly Word[]): Word | undefined {
  const value = optionalText(input, key);
  if (value === undefined) return undefined;
  const word = words.find((known) => known === value);
  if (word === undefined) throw constraintError(fieldOf(key), value, `satisfy enum value set: [${words.join(", ")}]`);
  return word;
}

/** The largest number of results that a call asks for: from 1 to what a page may have. */
export function maxResults(input: JsonObject, most: number): number {
  const value = optionalWhole(input, "MaxResults") ?? most;
  if (value < 1) throw constraintError("maxResults", String(value), "have value greater than or equal to 1");
  if (value > most) throw constraintError("maxResults", String(value), `have value less than or equal to ${most}`);
  return value;
}

function missing(key: string): ServiceError {
  return validationError(
    `1 validation error detected: Value null at '${fieldOf(key)}' failed to satisfy constraint: Member must not be null`,
  );
}

function wrongType(key: string, type: string): ServiceError {
  return new ServiceError("SerializationException", `Field ${key} cannot be converted to ${type}`);
}

function fieldOf(key: string): string {
  return key.charAt(0).toLowerCase() + key.slice(1);
}
