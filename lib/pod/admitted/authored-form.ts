// A pod as its author may have written it: the way back from what an API server sends a webhook. What was given and what was filled in
// cannot be told apart, so this is the short one of the pods that come to the same.
import {
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  listOf,
  objectOf,
  objectsOf,
  textOf,
} from "@outrigger/base";
import type { Pod } from "../generated/pod-types.ts";
import { defaultOf, defaultPullPolicy, isContainerList } from "../schema/defaults.ts";
import { FAULTS, NAME_SUFFIX, TOKEN_VOLUME } from "./admission-steps.ts";
import { admittedForm } from "./admitted-form.ts";

/**
 * The pod without what `admittedForm()` adds to it again: defaults, the token of its service account, its priority and tolerations.
 *
 * @example
 * ```ts
 * authoredForm({ metadata: { namespace: "shop" }, spec: { dnsPolicy: "Default", restartPolicy: "Always", containers: [{ name: "web", image: "web:1" }] } }) // => { metadata: { namespace: "shop" }, spec: { dnsPolicy: "Default", containers: [{ name: "web", image: "web:1" }] } }
 * ```
 */
export function authoredForm(pod: Pod): Pod {
  const namespace = pod.metadata?.namespace ?? "";
  const given = withTokenName(pod as JsonObject);
  const admitted = admittedForm(given as Pod, { namespace }) as JsonObject;
  let shortest = given;
  for (const step of STEPS) {
    const next = { ...shortest, spec: step(objectOf(shortest["spec"])) };
    if (jsonEqual(admittedForm(next as Pod, { namespace }) as JsonObject, admitted)) shortest = next;
  }
  return shortest as Pod;
}

/** Each is taken where the pod comes to the same without it. */
const STEPS: readonly ((spec: JsonObject) => JsonObject)[] = [
  withoutToken,
  (spec) => without(spec, ["serviceAccount"]),
  (spec) => (spec["serviceAccountName"] === "default" ? without(spec, ["serviceAccountName"]) : spec),
  (spec) => without(spec, ["priority", "preemptionPolicy"]),
  withoutTolerations,
  (spec) => withoutDefaults(spec, "spec") as JsonObject,
];

const GENERATED = new RegExp(`^${TOKEN_VOLUME}[a-z0-9]{5}$`);
const TOKEN_NAME = TOKEN_VOLUME + NAME_SUFFIX;

/** The token's volume with the name that it has in every pod that is tried, in place of the generated one. */
function withTokenName(pod: JsonObject): JsonObject {
  const spec = objectOf(pod["spec"]);
  const generated = objectsOf(spec["volumes"]).flatMap(({ name }) =>
    GENERATED.test(textOf(name) ?? "") ? [name] : [],
  );
  const [only] = generated;
  if (only === undefined || generated.length > 1) return pod;
  const rename = (item: JsonObject) => (item["name"] === only ? { ...item, name: TOKEN_NAME } : item);
  return { ...pod, spec: editVolumes(spec, (items) => items.map(rename)) };
}

function withoutToken(spec: JsonObject): JsonObject {
  return editVolumes(spec, (items) => items.filter(({ name }) => name !== TOKEN_NAME));
}

/** Changes the list of volumes, and each container's list of their mounts. */
function editVolumes(spec: JsonObject, edit: (items: readonly JsonObject[]) => readonly JsonObject[]): JsonObject {
  const edited = (object: JsonObject, field: string) =>
    object[field] === undefined ? object : withoutEmpty(object, field, edit(objectsOf(object[field])));
  const lists = Object.entries(spec).filter(([field]) => isContainerList(field));
  const mounting = lists.map(([field, items]) => [field, objectsOf(items).map((item) => edited(item, "volumeMounts"))]);
  return edited({ ...spec, ...Object.fromEntries(mounting) }, "volumes");
}

function withoutEmpty(object: JsonObject, field: string, list: readonly JsonValue[]): JsonObject {
  return list.length === 0 ? without(object, [field]) : { ...object, [field]: list };
}

function withoutTolerations(spec: JsonObject): JsonObject {
  const own = listOf(spec["tolerations"]).filter((item) => !FAULTS.includes(textOf(objectOf(item)["key"]) ?? ""));
  return withoutEmpty(spec, "tolerations", own);
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

/** @param holder the field that holds the value, or the list that holds it */
function withoutDefaults(value: JsonValue, holder: string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutDefaults(item, holder));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([field, given]): readonly [string, JsonValue][] => {
    if (given === undefined) return [];
    const known = defaultOf(holder, field);
    if (known !== undefined && jsonEqual(known, given)) return [];
    if (field === "imagePullPolicy" && isContainerList(holder) && given === defaultPullPolicy(value["image"]))
      return [];
    return [[field, withoutDefaults(given, field)]];
  });
  return Object.fromEntries(kept);
}
