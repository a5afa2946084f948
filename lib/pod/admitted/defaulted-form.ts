// The defaults that depend on nothing but the pod: those of the table of fields, and the few that are computed from other fields.
import { defineEntry, isObject, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import { canonicalQuantity, isQuantity } from "../quantity/quantity.ts";
import { defaultPullPolicy, defaultsIn } from "../schema/defaults.ts";
import { POD_TYPE, type TypeSchema } from "../schema/schema.ts";
import { defaultedPodResources } from "./pod-resources.ts";

/**
 * The pod with every default of its fields, in containers, probes, ports and volumes too.
 *
 * @param pod without null
 */
export function defaultedForm(pod: JsonObject): JsonObject {
  const filled = fill(pod, POD_TYPE, "", pod) as JsonObject;
  const { spec } = filled;
  return isObject(spec) && isObject(spec["resources"])
    ? { ...filled, spec: { ...spec, resources: defaultedPodResources(spec) } }
    : filled;
}

/** @param holder the field that holds the value, or the list that holds it */
function fill(value: JsonValue, type: TypeSchema | undefined, holder: string, pod: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => fill(item, type?.element, holder, pod));
  if (!isObject(value)) return type?.kind === "quantity" ? writtenQuantity(value) : value;
  const filled: Record<string, JsonValue | undefined> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || isLeftOut(inner, key, holder)) continue;
    const innerType = type?.kind === "map" ? type.element : type?.fields.get(key)?.type;
    defineEntry(filled, key, fill(inner, innerType, key, pod));
  }
  if (type?.kind !== "object") return filled;
  for (const [field, given] of Object.entries({ ...defaultsIn(holder), ...COMPUTED[holder]?.(filled, pod) })) {
    if (given !== undefined && type.fields.has(field) && isUnset(filled[field], given)) filled[field] = given;
  }
  return LIMITED.includes(holder) ? { ...filled, resources: withRequests(objectOf(filled["resources"])) } : filled;
}

/** Zero values that are not written, besides those that `omitEmpty` knows. In two kinds of volume `readOnly` is optional, and stays. */
function isLeftOut(value: JsonValue, field: string, holder: string): boolean {
  return (field === "medium" && value === "") || (field === "readOnly" && value === false && !KEPT.includes(holder));
}

const KEPT: readonly string[] = ["azureDisk", "csi"];

const LIMITED: readonly string[] = ["containers", "initContainers"];

/** What a container is limited to is what it requests, where it requests nothing else of that resource. */
function withRequests(resources: JsonObject): JsonObject {
  const { limits, requests } = resources;
  return isObject(limits) ? { ...resources, requests: { ...limits, ...objectOf(requests) } } : resources;
}

/** Empty text is treated as absent where the default is another text. */
function isUnset(value: JsonValue | undefined, given: JsonValue): boolean {
  return value === undefined || (value === "" && given !== "");
}

/** A quantity as the API server writes it. */
function writtenQuantity(value: JsonValue): JsonValue {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isQuantity(text) ? canonicalQuantity(text) : value;
}

type Fields = Readonly<Record<string, JsonValue | undefined>>;

/** Field or list that holds the object → the fields that are filled in from others. */
const COMPUTED: Readonly<Record<string, (object: JsonObject, pod: JsonObject) => Fields>> = {
  containers: pullPolicy,
  initContainers: pullPolicy,
  ephemeralContainers: pullPolicy,
  image: ({ reference }) => ({ pullPolicy: defaultPullPolicy(reference) }),
  ports: ({ containerPort }, { spec }) => ({
    hostPort: objectOf(spec)["hostNetwork"] === true ? containerPort : undefined,
  }),
  volumes: (volume) => ({ emptyDir: Object.keys(volume).some((key) => key !== "name") ? undefined : {} }),
};

function pullPolicy({ image }: JsonObject): Fields {
  return { imagePullPolicy: defaultPullPolicy(image) };
}
