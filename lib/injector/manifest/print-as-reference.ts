// What Go's types do to a manifest: numbers and booleans become text where a field is text, and for `compatibility: reference`,
// every workload is printed with fields that nobody set.

import { defineEntry, entryOf, isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import type { Workload } from "./workloads.ts";

/** The document as its own Go type is printed. */
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

/**
 * The pod with text wherever its Go type has text: as kubectl's and Istio's reader of YAML makes it. With the fields that
 * are text now: `spec.containers[0].env[2].value`.
 *
 * @example
 * ```ts
 * quoteText({ metadata: { labels: { a: true } } }) // => { pod: { metadata: { labels: { a: "true" } } }, fields: ["metadata.labels.a"] }
 * ```
 */
export function quoteText(pod: JsonObject): { readonly pod: JsonObject; readonly fields: readonly string[] } {
  const fields: string[] = [];
  return { pod: quoted(pod, POD_TYPE, "", fields) as JsonObject, fields };
}

function quoted(value: JsonValue, type: TypeSchema | undefined, path: string, fields: string[]): JsonValue {
  if (type === undefined) return value;
  if (Array.isArray(value)) return value.map((item, index) => quoted(item, type.element, `${path}[${index}]`, fields));
  if (isObject(value)) {
    const result: Record<string, JsonValue> = {};
    for (const [key, child] of Object.entries(value)) {
      if (child === undefined) continue;
      const childType = type.kind === "map" ? type.element : type.fields.get(key)?.type;
      const place = path === "" ? key : `${path}.${key}`;
      defineEntry(result, key, quoted(child, childType, place, fields));
    }
    return result;
  }
  const isText = type.kind === "string" || type.kind === "time";
  if (!isText || (typeof value !== "number" && typeof value !== "boolean")) return value;
  fields.push(path);
  return String(value);
}
