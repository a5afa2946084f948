// Owns the reading of a pod that a person wrote: what kubectl makes of it before an API server sees it. Knows only the
// Pod schema; whether the pod makes sense is not asked here.
import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { POD_DEFINITIONS } from "../kube/pod-schema.ts";
import type { Pod } from "../kube/pod-types.ts";
import { readSchema, type TypeKind, type TypeSchema } from "../kube/schema.ts";

const POD = readSchema(POD_DEFINITIONS, "Pod");

/**
 * A pod with what sigs.k8s.io/yaml does for typed fields done: numbers and booleans become text where text is meant
 * (`sidecar.istio.io/inject: true`), null fields are absent. Fields that no Pod has are kept.
 *
 * @throws OutriggerError `manifest-invalid` with the path of a value of the wrong type
 */
export function decodeManifestPod(pod: JsonObject): Pod {
  return decodeObject(pod, POD, "") as Pod;
}

function decode(value: JsonValue, type: TypeSchema, path: string): JsonValue {
  switch (type.kind) {
    case "object":
    case "map":
      if (!isObject(value)) throw wrongType(path, "a mapping");
      return decodeObject(value, type, path);
    case "list": {
      if (!Array.isArray(value)) throw wrongType(path, "a list");
      const { element } = type;
      return element === undefined ? value : value.map((item, index) => decode(item, element, `${path}[${index}]`));
    }
    default:
      return decodeScalar(value, type.kind, path);
  }
}

function decodeObject(value: JsonObject, type: TypeSchema, path: string): JsonObject {
  const entries = Object.entries(value).flatMap(([key, child]): readonly (readonly [string, JsonValue])[] => {
    if (child === null || child === undefined) return [];
    const childType = type.kind === "map" ? type.element : type.fields.get(key)?.type;
    return [[key, childType === undefined ? child : decode(child, childType, path === "" ? key : `${path}.${key}`)]];
  });
  return Object.fromEntries(entries);
}

function decodeScalar(value: JsonValue, kind: Exclude<TypeKind, "object" | "map" | "list">, path: string): JsonValue {
  switch (kind) {
    case "string":
    case "time":
    case "quantity":
      if (typeof value === "string") return value;
      if (typeof value === "number" || (typeof value === "boolean" && kind === "string")) return String(value);
      throw wrongType(path, "text");
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
    case "opaque":
      return value;
  }
}

function wrongType(path: string, wanted: string): OutriggerError {
  return new OutriggerError("manifest-invalid", `${path} must be ${wanted}`, { path });
}
