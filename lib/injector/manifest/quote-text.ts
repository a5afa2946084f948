// Numbers and booleans of a pod that has to have text there.

import { defineEntry, isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";

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
