// JSON Schema for values files, for editors: derived from the values that are shipped and from the table of rules.

import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { VALUE_RULES } from "./values-rules.ts";

/** A JSON Schema (draft 2020-12) in which every key of the values is known. Unknown keys stay allowed: lint reports them. */
export function valuesSchema(values: JsonObject): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Outrigger values",
    ...(schemaOf(values, []) as JsonObject),
  };
}

function schemaOf(value: JsonValue, path: readonly string[]): JsonObject {
  const rule = VALUE_RULES.find((one) => one.path === path.join("."));
  if (rule !== undefined) return { ...(rule.schema as JsonObject), default: value };
  if (Array.isArray(value)) return { type: ["array", "null"] };
  if (isObject(value)) {
    const properties = Object.entries(value).map(([key, entry]) => [key, schemaOf(entry as JsonValue, [...path, key])]);
    return { type: ["object", "null"], ...(properties.length > 0 && { properties: Object.fromEntries(properties) }) };
  }
  return { type: [typeof value, "null"], default: value };
}
