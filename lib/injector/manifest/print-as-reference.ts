// What the reference does to a manifest in addition to injecting it: it prints every workload as its Go type is printed,
// with fields that nobody set. Only for `compatibility: reference`.

import { isObject, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import type { PodPlace, Workload } from "./workloads.ts";

/** Where the reference finds a pod: of a CronJob, it takes the job's metadata for the pod's. */
export function referencePlace(workload: Workload | undefined): readonly PodPlace[] {
  return workload === undefined ? [] : [workload];
}

/** The document as its own Go type is printed. */
export function printAsReference(document: JsonObject, { metadata, printed }: Workload): JsonObject {
  return withoutZeros(withPrinted(withMetadata(document, metadata), printed));
}

/** The pod's metadata are printed, empty ones too. */
function withMetadata(document: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  if (key === undefined) return document;
  const child = document[key];
  return { ...document, [key]: withMetadata(objectOf(child), rest) };
}

/** The document with the fields that its Go type always prints. */
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
  if (!isObject(spec) || (spec["minReadySeconds"] !== 0 && spec["paused"] !== false)) return document;
  const kept = Object.entries(spec).filter(
    ([key, value]) => !(key === "minReadySeconds" && value === 0) && !(key === "paused" && value === false),
  );
  return { ...document, spec: Object.fromEntries(kept) };
}
