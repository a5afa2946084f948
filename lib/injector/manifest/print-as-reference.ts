// For `compatibility: reference`, every workload is printed as its Go type is: with fields that nobody set.

import { entryOf, isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import type { Workload } from "./workloads.ts";

export function printAsReference(document: JsonObject, { printed }: Workload): JsonObject {
  return withoutZeros(withPrinted(document, printed));
}

function withPrinted(document: JsonObject, printed: JsonObject): JsonObject {
  const filled = Object.entries(printed).map(
    ([key, empty]) => [key, printedField(document[key] ?? undefined, empty as JsonValue)] as const,
  );
  return { ...document, ...Object.fromEntries(filled) };
}

function printedField(value: JsonValue | undefined, empty: JsonValue): JsonValue | undefined {
  if (Array.isArray(empty)) {
    const [item] = empty;
    return Array.isArray(value) ? (value.map((entry) => printedField(entry, item)) as JsonValue) : value;
  }
  if (value === undefined) return empty;
  return isObject(value) && isObject(empty) ? withPrinted(value, empty) : value;
}

/** The document without the two zero values of workload specs that Go types leave out. */
function withoutZeros(document: JsonObject): JsonObject {
  const { spec } = document;
  if (!isObject(spec)) return document;
  const zeros: JsonObject = { minReadySeconds: 0, paused: false };
  const kept = Object.entries(spec).filter(([key, value]) => entryOf(zeros, key) !== value);
  return { ...document, spec: Object.fromEntries(kept) };
}
