// What an API server keeps: objects by path, who owns which field, versions, and lists in pages.
import { randomUUID } from "node:crypto";
import { isObject, type JsonObject, jsonEqual, valueAt } from "@outrigger/base";
import { json, missing, type Reply, status } from "./reply.ts";
import { type Managed, managedFieldsOf, type Ownership } from "./server-side-apply.ts";

export interface ObjectStore {
  /** Path → object. */
  readonly objects: Map<string, JsonObject>;
  /** Path → who owns which field. */
  readonly owners: Map<string, Ownership>;
  /** Milliseconds since 1970: when fields were written. */
  now: () => number;
  /** Most items of a page, whatever is asked for. */
  pageSize: number;
}

export function managedAt({ objects, owners }: ObjectStore, path: string): Managed | undefined {
  const object = objects.get(path);
  return object === undefined ? undefined : { object, owners: owners.get(path) ?? new Map() };
}

/** A write that changes nothing leaves the version as it is, as an API server does. */
export function writeObject(store: ObjectStore, path: string, { object, owners }: Managed): JsonObject {
  const next = defaulted(object);
  const before = store.objects.get(path);
  store.owners.set(path, owners);
  if (before !== undefined && jsonEqual(withoutStamp(before), withoutStamp(next))) return before;
  const metadata = { ...(next["metadata"] as JsonObject), managedFields: managedFieldsOf(owners, isoTime(store)) };
  const { uid, creationTimestamp, generation } = (before?.["metadata"] ?? {}) as JsonObject;
  const isSame = before !== undefined && jsonEqual(before["spec"] ?? null, next["spec"] ?? null);
  const made = creationTimestamp ?? (before === undefined ? isoTime(store) : undefined);
  const kept = { ...(uid && { uid }), ...(made && { creationTimestamp: made }) };
  const count = Number(generation ?? 0) + (isSame ? 0 : 1);
  const written = stamped({ ...next, metadata: { ...metadata, ...kept, generation: count } as JsonObject });
  store.objects.set(path, written);
  return written;
}

/** ISO 8601 to the second, as an API server writes times. */
export function isoTime({ now }: Pick<ObjectStore, "now">): string {
  return `${new Date(now()).toISOString().slice(0, 19)}Z`;
}

/** Returns an object with what an API server puts into every object. */
export function stamped(object: JsonObject): JsonObject {
  const metadata = object["metadata"] as JsonObject;
  const creationTimestamp = metadata["creationTimestamp"] ?? "2026-11-01T00:00:00Z";
  const stamp = { creationTimestamp, generation: metadata["generation"] ?? 1, resourceVersion: randomUUID() };
  return { ...object, metadata: { uid: randomUUID(), ...metadata, ...stamp } };
}

const STAMPS = new Set(["resourceVersion", "managedFields", "uid", "generation", "creationTimestamp"]);

function withoutStamp({ metadata, ...object }: JsonObject): JsonObject {
  const kept = Object.entries(metadata as JsonObject).filter(([key]) => !STAMPS.has(key));
  return { ...object, metadata: Object.fromEntries(kept) };
}

const MATCH_DEFAULTS = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} };

/** Returns an object with what an API server fills in by itself. */
function defaulted(object: JsonObject): JsonObject {
  const { kind, spec } = object;
  if (!isObject(spec) || !String(kind).startsWith("ValidatingAdmissionPolicy")) return object;
  const field = kind === "ValidatingAdmissionPolicy" ? "matchConstraints" : "matchResources";
  const match = { ...MATCH_DEFAULTS, ...(spec[field] as JsonObject) };
  const rules = match as { readonly resourceRules?: readonly JsonObject[] };
  const scoped = rules.resourceRules?.map((rule) => ({ scope: "*", ...rule }));
  return { ...object, spec: { ...spec, [field]: { ...match, ...(scoped && { resourceRules: scoped }) } } };
}

export function versionOf(object: JsonObject | undefined): unknown {
  return (object?.["metadata"] as JsonObject | undefined)?.["resourceVersion"];
}

export function listObjects({ objects, pageSize }: ObjectStore, path: string, query: URLSearchParams): Reply {
  const isItem = itemsOf(path);
  const found = [...objects]
    .filter(([place]) => isItem(place))
    .map(([, item]) => item)
    .filter((item) => hasLabels(item, query.get("labelSelector") ?? ""))
    .filter((item) => hasFields(item, query.get("fieldSelector") ?? ""));
  const start = Number(query.get("continue") ?? "0");
  const end = start + Math.min(Number(query.get("limit") ?? "500"), pageSize);
  const next = end < found.length ? { continue: String(end) } : {};
  return json(200, { kind: "List", apiVersion: "v1", metadata: next, items: found.slice(start, end) });
}

/** Objects of all namespaces are listed at a path of their own. */
function itemsOf(collection: string): (place: string) => boolean {
  const [, group = "", plural = ""] = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/([a-z]+)$/.exec(collection) ?? [];
  return (place) => {
    const isBelow = place.startsWith(`${collection}/`) && !place.includes("/", collection.length + 1);
    if (plural === "" || isBelow) return isBelow;
    const parts = place.startsWith(`${group}/namespaces/`) ? place.slice(group.length).split("/") : [];
    return parts.length === 5 && parts[3] === plural;
  };
}

export function isCollection(path: string): boolean {
  return /\/[a-z]+s$|\/validatingadmissionpolicies$/.test(path);
}

function hasLabels(item: JsonObject, selector: string): boolean {
  const { labels } = item["metadata"] as JsonObject;
  return selector.split(",").every((term) => {
    const [key, value] = term.split("=");
    if (term === "") return true;
    if (term.startsWith("!")) return !isObject(labels) || labels[term.slice(1)] === undefined;
    const label = isObject(labels) ? labels[key as string] : undefined;
    return value === undefined ? label !== undefined : label === value;
  });
}

/** Fields of the top level. */
function hasFields(item: JsonObject, selector: string): boolean {
  return selector.split(",").every((term) => {
    const [key = "", value] = term.split("=");
    return term === "" || valueAt(item, key.split(".")) === value;
  });
}

export function deleteObject(store: ObjectStore, path: string, body: JsonObject): Reply {
  const object = store.objects.get(path);
  if (object === undefined) return missing(path);
  const { preconditions } = body as { readonly preconditions?: { readonly resourceVersion?: string } };
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== versionOf(object))
    return status(409, "the ResourceVersion in the precondition does not match the object's");
  store.objects.delete(path);
  store.owners.delete(path);
  return json(200, { kind: "Status", status: "Success" });
}
