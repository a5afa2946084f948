// Reads a pod, or a part of one, as its Go type would: finds values of the wrong type, and converts scalars as kubectl
// does. Does not check whether the pod is valid. Also says which workload a pod is of.

import {
  defined,
  defineEntry,
  type FieldPath,
  isDirective,
  isInexact,
  isObject,
  type JsonObject,
  type JsonValue,
  OutriggerError,
  ownError,
} from "@outrigger/base";
import { isQuantity, isScalar, POD_TYPE, type Pod, type TypeSchema } from "@outrigger/pod";

/**
 * The way in which text and fields are read.
 *
 * | reading    | from                                 | scalar where text is needed | field names         | unknown fields |
 * |------------|--------------------------------------|-----------------------------|---------------------|----------------|
 * | `written`  | YAML of a person, as kubectl reads it | is converted                | exact               | kept           |
 * | `encoded`  | an API server, or its JSON           | wrong type                  | exact               | kept, but no directives |
 * | `embedded` | JSON in an annotation                | wrong type                  | case is ignored     | dropped        |
 */
export type Reading = "written" | "encoded" | "embedded";

/**
 * A pod as its Go type reads it: null fields are absent, and text is text. Unknown fields are kept.
 *
 * @throws OutriggerError `pod-invalid` with the path of a value of the wrong type
 * @example
 * ```ts
 * decodePod({ metadata: { labels: { inject: true } } }, "written") // => { metadata: { labels: { inject: "true" } } }
 * ```
 */
export function decodePod(pod: JsonObject, reading: "written" | "encoded"): Pod {
  try {
    return decodeObject(pod, POD_TYPE, WHOLE, reading) as Pod;
  } catch (cause) {
    const { code, message, path = "", logged } = ownError(cause);
    const named = message.replace(path, () => withContainer(path, pod));
    throw new OutriggerError(code, named, { path, cause, ...defined({ logged }) });
  }
}

/**
 * Adds the container's name to a path: `spec.initContainers[0].image of container "setup"`. An index alone is not what
 * people know a container by.
 */
export function withContainer(path: string, { spec }: JsonObject | Pod): string {
  const [, list = "", at = ""] = /^spec\.(initContainers|containers)\[(\d+)\]/.exec(path) ?? [];
  const items: unknown = isObject(spec) ? (spec as JsonObject)[list] : undefined;
  const item: unknown = Array.isArray(items) ? items[Number(at)] : undefined;
  const name = isObject(item) ? item["name"] : undefined;
  return typeof name === "string" ? `${path} of container ${JSON.stringify(name.slice(0, MAX_NAME))}` : path;
}

const MAX_NAME = 63;

/**
 * A part of a pod as its Go type reads it.
 *
 * @param path of the value, for the error
 * @throws OutriggerError `pod-invalid` with the path of a value of the wrong type
 */
export function decodeValue(value: JsonValue, type: TypeSchema, path: string, reading: Reading): JsonValue {
  return decode(value, type, { step: path, logged: path }, reading);
}

/** The place of a value. Its path is put together for an error only. */
interface Place {
  readonly parent?: Place;
  readonly step: string | number;
  /** The step as it is logged; undefined for a key that the author chose. */
  readonly logged?: string | number | undefined;
}

const WHOLE: Place = { step: "", logged: "" };

function decode(value: JsonValue, type: TypeSchema, place: Place, reading: Reading): JsonValue {
  switch (type.kind) {
    case "object":
    case "map":
      if (!isObject(value)) throw wrongType(place, "a mapping");
      return decodeObject(value, type, place, reading);
    case "list": {
      if (!Array.isArray(value)) throw wrongType(place, "a list");
      const { element } = type;
      if (element === undefined) return value;
      return value.map((item, step) => decode(item, element, { parent: place, step, logged: step }, reading));
    }
    default:
      return decodeScalar(value, type.kind, place, reading);
  }
}

function decodeObject(value: JsonObject, type: TypeSchema, place: Place, reading: Reading): JsonObject {
  const decoded: Record<string, JsonValue | undefined> = {};
  // Go writes the keys of a map in order, so the last spelling of a field is that of the last key.
  const keys = reading === "embedded" ? Object.keys(value).sort() : Object.keys(value);
  for (const key of keys) {
    const child = value[key];
    // An API server sends no null in a map.
    if (child === null && type.kind === "map" && reading === "encoded") {
      throw wrongType({ parent: place, step: key }, "text");
    }
    if (child === null || child === undefined || (reading !== "written" && isDirective(key))) continue;
    const name = reading === "embedded" && type.kind === "object" ? fieldName(key, type) : key;
    if (name === undefined) continue;
    const childType = type.kind === "map" ? type.element : type.fields.get(name)?.type;
    const logged = type.kind === "map" ? undefined : name;
    const read =
      childType === undefined ? child : decode(child, childType, { parent: place, step: key, logged }, reading);
    defineEntry(decoded, name, read);
  }
  return decoded;
}

/** The type of a field of a pod, or of the items of a list; undefined where a Pod has no such field. */
export function typeAt(steps: FieldPath): TypeSchema | undefined {
  let type: TypeSchema | undefined = POD_TYPE;
  for (const step of steps) {
    type = typeof step === "string" ? (type?.fields.get(step)?.type ?? type?.element) : type?.element;
  }
  return type;
}

/** Go's encoding/json prefers an exact match, otherwise it ignores case. */
function fieldName(key: string, { fields }: TypeSchema): string | undefined {
  if (fields.has(key)) return key;
  const folded = key.toLowerCase();
  for (const name of fields.keys()) if (name.toLowerCase() === folded) return name;
  return undefined;
}

function pathOf(place: Place, form: "step" | "logged"): string {
  const step = place[form];
  if (!place.parent) return step as string;
  const path = pathOf(place.parent, form);
  if (typeof step !== "string") return `${path}[${step ?? "*"}]`;
  return path === "" ? step : `${path}.${step}`;
}

function decodeScalar(value: JsonValue, kind: TypeSchema["kind"], place: Place, reading: Reading): JsonValue {
  switch (kind) {
    case "string":
    case "time":
      if (typeof value === "string") return value;
      if (reading === "written" && (isExact(value) || typeof value === "boolean")) return String(value);
      throw wrongType(place, reading === "written" && typeof value === "number" ? "text, in quotes" : "text");
    case "quantity":
      // kubectl sends what a person wrote: it is the API server that reads it.
      if (typeof value === "string" && (reading === "written" || isQuantity(value.trim()))) return value;
      if (isExact(value)) return String(value);
      throw wrongType(place, "a quantity such as 100m, 1.5 or 2Gi");
    case "int32":
      if (isScalar(value, "int32")) return value;
      throw wrongType(place, Number.isInteger(value) ? WITHIN_32_BITS : "a whole number");
    case "int64":
      if (isScalar(value, "int64")) return value;
      throw wrongType(place, Number.isInteger(value) ? "a number within 64 bits" : "a whole number");
    case "boolean":
      if (typeof value === "boolean") return value;
      throw wrongType(place, "true or false");
    case "intOrString":
      if (typeof value === "string" || isScalar(value, "int32")) return value;
      throw wrongType(place, Number.isInteger(value) ? WITHIN_32_BITS : "a whole number or text");
    default:
      return value;
  }
}

/** Whether it is a number, and the one that was written. */
function isExact(value: JsonValue): boolean {
  return Number.isFinite(value) && !isInexact(value);
}

const WITHIN_32_BITS = "a number within 32 bits";

function wrongType(place: Place, wanted: string): OutriggerError {
  const [path, loggedPath] = [pathOf(place, "step"), pathOf(place, "logged")];
  const logged = { message: `${loggedPath} must be ${wanted}`, path: loggedPath };
  return new OutriggerError("pod-invalid", `${path} must be ${wanted}`, { path, logged });
}
