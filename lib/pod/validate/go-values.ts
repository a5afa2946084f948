// Values as Go reads them: a field that is absent, null or of another type has the zero value of its type.

import { isObject } from "@outrigger/base";

/** A field as it is in a pod that nobody has checked. */
export type Given<T> = T | null | undefined;

const EMPTY = {};

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function asNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

export function asObject<T>(value: Given<T>): T {
  return isObject(value) ? value : (EMPTY as T);
}

export function isPresent<T>(value: Given<T>): value is T {
  return value !== undefined && value !== null;
}
