// A pod that an API server has stored is not written as it was sent: defaults are filled in, quantities are canonical and
// zero values are left out. What counts as the same is decided here, so that sending the same pod again changes nothing.
import { defineEntry, isObject, type JsonObject, type JsonValue, jsonEqual, objectsOf } from "@outrigger/base";
import type { Pod } from "../generated/pod-types.ts";
import { canonicalQuantity, isQuantity } from "../quantity/quantity.ts";
import { defaultOf, defaultPullPolicy, isContainerList } from "./defaults.ts";
import { POD_TYPE, type TypeSchema } from "./schema.ts";

/**
 * The wanted pod, written as the API server wrote the stored one wherever the two mean the same: those subtrees are the
 * stored pod's own nodes. What differs stays as wanted. Neither pod is changed.
 *
 * Source: `SetDefaults_*` of Kubernetes' core/v1, and the `omitempty` of its types.
 *
 * @example
 * ```ts
 * keepStoredForm({ spec: { volumes: [{ name: "a" }] } }, { spec: { volumes: [{ name: "a", emptyDir: {} }] } }) // => { spec: { volumes: [{ name: "a", emptyDir: {} }] } }
 * ```
 */
export function keepStoredForm<Pod extends object>(wanted: Pod, stored: object): Pod {
  return align(wanted as JsonObject, stored as JsonObject, POD_TYPE, "") as Pod;
}

/** Whether an API server has stored the pod: it fills in these fields of every pod. */
export function isStoredForm({ spec }: { readonly spec?: JsonObject | undefined }): boolean {
  return ALWAYS_WRITTEN.every((field) => spec?.[field] !== undefined);
}

const ALWAYS_WRITTEN: readonly string[] = ["restartPolicy", "dnsPolicy", "schedulerName", "securityContext"];

/** @param key the field that holds the value, or the list that holds the item: it says which defaults apply */
function align(wanted: JsonValue, stored: JsonValue, type: TypeSchema | undefined, key: string): JsonValue {
  if (wanted === stored) return stored;
  if (Array.isArray(wanted)) return Array.isArray(stored) ? alignList(wanted, stored, type, key) : wanted;
  if (isObject(wanted)) return isObject(stored) ? alignObject(wanted, stored, type, key) : wanted;
  return type?.kind === "quantity" && isSameQuantity(wanted, stored) ? stored : wanted;
}

type List = readonly JsonValue[];

function alignList(wanted: List, stored: List, type: TypeSchema | undefined, key: string): JsonValue {
  const aligned = wanted.map((item, index) => {
    const counterpart = storedItem(item, index, stored);
    return counterpart === undefined ? item : align(item, counterpart, type?.element, key);
  });
  const isStored = aligned.length === stored.length && aligned.every((item, index) => item === stored[index]);
  return isStored ? stored : aligned;
}

/** Items that have a name are found by it, so that an inserted item does not shift all others. */
function storedItem(item: JsonValue, index: number, stored: List): JsonValue | undefined {
  const name = nameOf(item);
  if (name === undefined || nameOf(stored[index]) === name) return stored[index];
  return stored.find((other) => nameOf(other) === name);
}

function nameOf(item: JsonValue | undefined): JsonValue | undefined {
  return isObject(item) ? item["name"] : undefined;
}

function alignObject(given: JsonObject, stored: JsonObject, type: TypeSchema | undefined, key: string): JsonValue {
  const wanted = isContainerList(key) ? withToken(given, stored) : given;
  const aligned: Record<string, JsonValue> = {};
  for (const field in wanted) {
    const value = wanted[field];
    if (value === undefined) continue;
    const other = stored[field];
    if (other === value) aligned[field] = value;
    // A zero and an empty text count as not written: the API server wrote its default in that place.
    else if (other !== undefined && (value === "" || isLeftOut(value, field)) && isDefault(other, field, key, wanted))
      aligned[field] = other;
    else if (other !== undefined) {
      aligned[field] = align(value, other, type?.kind === "map" ? type.element : type?.fields.get(field)?.type, field);
    } else if (!isLeftOut(value, field)) aligned[field] = value;
  }
  if (type?.kind === "object") {
    for (const field in stored) {
      const value = stored[field];
      if (value === undefined || Object.hasOwn(aligned, field)) continue;
      if (isDefault(value, field, key, wanted)) aligned[field] = value;
    }
  }
  if (key === "resources") withRequestsOfLimits(aligned, stored);
  return hasEntriesOf(aligned, stored) ? stored : aligned;
}

/** The folder in which each container gets the token of the pod's service account. */
export const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The API server mounts the token in each container that mounts nothing else there. */
function withToken(container: JsonObject, stored: JsonObject): JsonObject {
  const [own, mounted] = [container, stored].map(({ volumeMounts }) => objectsOf(volumeMounts));
  const isToken = ({ mountPath }: JsonObject) => mountPath === TOKEN_PATH;
  const token = mounted?.find(isToken);
  return token === undefined || own?.some(isToken)
    ? container
    : { ...container, volumeMounts: [...(own ?? []), token] };
}

/** Whether the two have the same nodes. */
function hasEntriesOf(aligned: JsonObject, stored: JsonObject): boolean {
  let missing = 0;
  for (const field in stored) if (stored[field] !== undefined) missing += 1;
  for (const field in aligned) {
    if (aligned[field] !== stored[field]) return false;
    missing -= 1;
  }
  return missing === 0;
}

/** A zero value that the API server's encoding leaves out. Optional numbers and booleans are kept: zero is a choice. */
function isLeftOut(value: JsonValue, field: string): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (value === "" || value === 0 || value === false) return ZERO_IS_ABSENT.has(field);
  return isObject(value) && ZERO_IS_ABSENT.has(field) && Object.keys(value).length === 0;
}

const ZERO_IS_ABSENT: ReadonlySet<string> = new Set([
  ...["labels", "annotations", "nodeSelector", "limits", "requests"],
  ...["value", "subPath", "subPathExpr", "workingDir", "hostname", "subdomain", "nodeName", "hostIP", "prefix"],
  ...["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold", "hostPort"],
  ...["hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty"],
]);

/** Whether the API server wrote the value because nothing was given. */
function isDefault(value: JsonValue, field: string, key: string, wanted: JsonObject): boolean {
  if (isObject(value)) {
    if (Object.keys(value).length > 0) return false;
    if (key === "volumes" && field === "emptyDir") return Object.keys(wanted).every((other) => other === "name");
  }
  if (field === "imagePullPolicy") return isContainerList(key) && value === defaultPullPolicy(wanted["image"]);
  const known = defaultOf(key, field);
  return known !== undefined && jsonEqual(known, value);
}

/** A limit without a request is written as the request too. */
function withRequestsOfLimits(aligned: Record<string, JsonValue>, stored: JsonObject): void {
  const { limits } = aligned;
  const requests = stored["requests"];
  if (!isObject(limits) || !isObject(requests)) return;
  const wanted = isObject(aligned["requests"]) ? aligned["requests"] : {};
  const filled = Object.entries(requests).filter(
    ([name, value]) => wanted[name] === undefined && value !== undefined && isSameQuantity(limits[name], value),
  );
  if (filled.length === 0) return;
  const merged = { ...wanted, ...Object.fromEntries(filled) };
  aligned["requests"] = hasEntriesOf(merged, requests) ? requests : merged;
}

function isSameQuantity(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  const [first, second] = [String(a), String(b)];
  return isQuantity(first) && isQuantity(second) && canonicalQuantity(first) === canonicalQuantity(second);
}

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
