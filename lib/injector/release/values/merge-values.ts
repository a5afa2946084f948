// Values are laid over each other as Helm lays a user's values over a chart's.

import { isObject, type JsonObject, type JsonValue, OutriggerError, objectOf } from "@outrigger/base";

/**
 * Lays the layers over each other, the later one winning: mappings are merged key by key, everything else (lists
 * included) is replaced, and null removes what the layers before it set. The result holds no null outside of lists, and
 * shares what it can with the layers.
 *
 * @throws OutriggerError `values-invalid` where a layer is not a mapping; the path is the layer's index
 */
export function mergeValues(layers: readonly JsonValue[]): JsonObject {
  return layers.reduce<JsonObject>((merged, layer, index) => {
    if (layer === null) return merged;
    if (!isObject(layer)) {
      const message = `Cannot merge values: layer ${index + 1} must be a mapping of settings`;
      throw new OutriggerError("values-invalid", message, { path: String(index) });
    }
    return mergeMappings(merged, layer);
  }, {});
}

function mergeMappings(below: JsonObject, above: JsonObject): JsonObject {
  const merged = new Map(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    if (value === undefined) continue;
    if (value === null) merged.delete(key);
    else if (isObject(value)) {
      const under = merged.get(key);
      merged.set(key, mergeMappings(objectOf(under), value));
    } else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}
