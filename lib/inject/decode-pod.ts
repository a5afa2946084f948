// Reads a pod as its Go type would: finds values of the wrong type, and converts scalars as kubectl does. Does not check
// whether the pod is valid.
import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Pod } from "../kube/pod-types.ts";
import { POD_TYPE, type TypeKind, type TypeSchema } from "../kube/schema.ts";

/**
 * How text is read. `written`: from YAML that a person wrote, where sigs.k8s.io/yaml converts a number or boolean to text
 * if the field needs text (`sidecar.istio.io/inject: true`). `encoded`: from an API server, where only text is text.
 */
export type TextReading = "written" | "encoded";

/**
 * A pod as its Go type reads it: null fields are absent, and text is text. Unknown fields are kept.
 *
 * @throws OutriggerError `pod-invalid` with the path of a value of the wrong type
 * @example
 * ```ts
 * decodePod({ metadata: { labels: { inject: true } } }, "written") // => { metadata: { labels: { inject: "true" } } }
 * ```
 */
export function decodePod(pod: JsonObject, reading: TextReading): Pod {
  return decodeObject(pod, POD_TYPE, "", reading) as Pod;
}

function decode(value: JsonValue, type: TypeSchema, path: string, reading: TextReading): JsonValue {
  switch (type.kind) {
    case "object":
    case "map":
      if (!isObject(value)) throw wrongType(path, "a mapping");
      return decodeObject(value, type, path, reading);
    case "list": {
      if (!Array.isArray(value)) throw wrongType(path, "a list");
      const { element } = type;
      return element === undefined
        ? value
        : value.map((item, index) => decode(item, element, `${path}[${index}]`, reading));
    }
    default:
      return decodeScalar(value, type.kind, path, reading);
  }
}

function decodeObject(value: JsonObject, type: TypeSchema, path: string, reading: TextReading): JsonObject {
  const entries = Object.entries(value).flatMap(([key, child]): readonly (readonly [string, JsonValue])[] => {
    if (child === null || child === undefined) return [];
    const childType = type.kind === "map" ? type.element : type.fields.get(key)?.type;
    const childPath = path === "" ? key : `${path}.${key}`;
    return [[key, childType === undefined ? child : decode(child, childType, childPath, reading)]];
  });
  return Object.fromEntries(entries);
}

function decodeScalar(value: JsonValue, kind: TypeKind, path: string, reading: TextReading): JsonValue {
  switch (kind) {
    case "string":
    case "time":
      if (typeof value === "string") return value;
      if (reading === "written" && (typeof value === "number" || typeof value === "boolean")) return String(value);
      throw wrongType(path, "text");
    case "quantity":
      if (typeof value === "string") return value;
      if (typeof value === "number") return String(value);
      throw wrongType(path, "a quantity");
    case "int32":
    case "int64":
      if (Number.isInteger(value)) return value;
      throw wrongType(path, "a whole number");
    case "number":
      if (typeof value === "number") return value;
      throw wrongType(path, "a number");
    case "boolean":
      if (typeof value === "boolean") return value;
      throw wrongType(path, "true or false");
    case "intOrString":
      if (typeof value === "string" || Number.isInteger(value)) return value;
      throw wrongType(path, "a whole number or text");
    default:
      return value;
  }
}

function wrongType(path: string, wanted: string): OutriggerError {
  return new OutriggerError("pod-invalid", `${path} must be ${wanted}`, { path });
}
