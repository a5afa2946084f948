// Values as Go reads them: a field that is absent, null or of another type has the zero value of its type.

import { isObject } from "@outrigger/base";

/** The text, or the empty one. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The number, or 0. */
export function asNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** The object, or an empty one. */
export function asObject<T>(value: T | null | undefined): T {
  return isObject(value) ? value : (EMPTY as T);
}

const EMPTY = {};

export function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
