// How helpers read their arguments: what Go would have as text, a list, a map or a number. No helper is here.

import { defineEntry, isObject, type JsonObject } from "@outrigger/base";
import { valueText } from "../bind/value-text.ts";
import { fault } from "../finding.ts";

/** Returns the text of a value as Go's `fmt.Sprint` writes it; an empty text for null. */
export function goText(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (depth > 100) throw fault("the value is nested too deeply");
  if (Array.isArray(value)) return `[${value.map((item) => goText(item, depth + 1)).join(" ")}]`;
  if (isObject(value))
    return `map[${sortedKeys(value)
      .map((key) => `${key}:${goText(value[key], depth + 1)}`)
      .join(" ")}]`;
  return valueText(value);
}

/** Returns a list; a missing value gives the empty list. */
export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value === null || value === undefined) return [];
  throw fault("a list is expected");
}

/** Returns a map; a missing value gives the empty map. */
export function asMap(value: unknown): JsonObject {
  if (isObject(value)) return value;
  if (value === null || value === undefined) return EMPTY;
  throw fault("a map is expected");
}

const EMPTY: JsonObject = Object.freeze({});

/** Returns the integer of a number or of its decimal text. */
export function asInteger(value: unknown): number {
  const number = typeof value === "string" && /^\s*[-+]?[0-9]+\s*$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number + 0;
  throw fault("an integer is expected");
}

/** Whether a value is empty for Go and Sprig: false, 0 and the map without entries are too. */
export function isEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return !value;
  if (Array.isArray(value)) return value.length === 0;
  for (const _key in value) return false;
  return true;
}

/** Keys in the order of their UTF-8 bytes, as Go iterates a map in templates. */
export function sortedKeys(map: object): readonly string[] {
  return Object.keys(map).sort(compareBytes);
}

/** JSON text with sorted keys. A number that has no exact text is an error. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value));
}

/** A copy: stringifying one is faster than a replacer that sorts. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value === "number") valueText(value);
  if (!isObject(value)) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) defineEntry(sorted, key, withSortedKeys(value[key]));
  return sorted;
}

/** UTF-16 order, except that surrogates come after the characters that UTF-8 puts before them. */
function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(code: number): number {
  return code >= 0xd800 && code <= 0xdfff ? code + 0x10000 : code;
}

/** Whether a value is missing or "". */
export function isMissing(value: unknown): boolean {
  return value === null || value === undefined || value === "";
}

/** The most characters of a text that a helper makes of others. */
export const LONGEST_MADE = 16_000_000;

/** @throws RangeError where a text would have more characters than any may have: a smaller pod would not exceed the limit */
export function assertMade(length: number): void {
  if (length > LONGEST_MADE) throw new RangeError(`it makes a text of more than ${LONGEST_MADE} characters`);
}
