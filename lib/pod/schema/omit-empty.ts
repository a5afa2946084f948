// Leaves out of a written pod what its Go type does not encode: an API server never sees it, so an injection must not
// either. `args: []` does not take an injected container's arguments away.

import type { JsonObject, JsonValue } from "@outrigger/base";
import { defineEntry, isObject } from "@outrigger/base";
import type { Pod } from "../generated/pod-types.ts";
import { POD_TYPE, type TypeSchema } from "./schema.ts";
import { isLeftOut } from "./stored-form.ts";

/**
 * The pod without empty lists and maps, and without zero values of the fields that leave them out.
 *
 * @example
 * ```ts
 * omitEmpty({ metadata: { labels: {} }, spec: { containers: [{ name: "a", args: [] }] } }) // => { metadata: {}, spec: { containers: [{ name: "a" }] } }
 * ```
 */
export function omitEmpty(pod: Pod): Pod {
  return omit(pod as JsonObject, POD_TYPE) as Pod;
}

function omit(value: JsonValue, type: TypeSchema | undefined): JsonValue {
  if (type === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => omit(item, type.element));
  if (!isObject(value)) return value;
  const kept: Record<string, JsonValue> = {};
  for (const [name, child] of Object.entries(value)) {
    if (child === undefined) continue;
    const childType = type.kind === "map" ? type.element : type.fields.get(name)?.type;
    const encoded = omit(child, childType);
    const isOptional = type.kind === "object" && childType !== undefined && !type.required.includes(name);
    if (!isOptional || !isEmpty(encoded, name, childType)) defineEntry(kept, name, encoded);
  }
  return kept;
}

function isEmpty(value: JsonValue, name: string, type: TypeSchema): boolean {
  if (type.kind === "map" && isObject(value)) return Object.keys(value).length === 0;
  return isLeftOut(value, name);
}
