// How objects are changed: server-side apply, updates, and merge patches.
import { isObject, type JsonObject, jsonEqual, objectOf, objectsOf } from "@outrigger/base";
import { managedAt, type ObjectStore, versionOf, writeObject } from "./objects.ts";
import { json, missing, notServed, type Reply, status } from "./reply.ts";
import { recordUpdate, serverSideApply } from "./server-side-apply.ts";

/** Returns why the subresource `resize` refuses a change of a pod, or undefined if it takes it. */
export type WhyNotResized = (before: JsonObject, after: JsonObject) => string | undefined;

export function applyObject(store: ObjectStore, path: string, query: URLSearchParams, body: JsonObject): Reply {
  const manager = query.get("fieldManager");
  if (manager === null) return status(400, "fieldManager is required for apply patch");
  const before = managedAt(store, path);
  const { uid } = objectOf(body["metadata"]);
  // As an API server does it: of an object that is made, the version does not matter, and the UID must not be given.
  if (before === undefined && uid !== undefined) return status(409, "uid mismatch: no existing object was found");
  if (before !== undefined && isOfOther(body, before.object)) return modified();
  const applied = serverSideApply(before, manager, body, query.get("force") === "true");
  if ("conflicts" in applied) {
    const { conflicts } = applied;
    return status(409, `Apply failed with ${conflicts.length} conflicts: ${conflicts.join(", ")}`);
  }
  return json(before === undefined ? 201 : 200, writeObject(store, path, applied));
}

/** Whether a body names another version than that of the object. */
function isOfOther(body: JsonObject, object: JsonObject): boolean {
  const version = versionOf(body);
  return version !== undefined && version !== versionOf(object);
}

function modified(): Reply {
  return status(409, "the object has been modified; please apply your changes to the latest version and try again");
}

/** An update: the object is what is sent, if it is of the version that is there. */
export function replaceObject(store: ObjectStore, path: string, query: URLSearchParams, body: JsonObject): Reply {
  const before = managedAt(store, path);
  if (before === undefined) return missing(path);
  if (isOfOther(body, before.object)) return modified();
  return json(200, writeObject(store, path, recordUpdate(before, query.get("fieldManager") ?? "unknown", body)));
}

/** A merge patch, or where `isStrategic`, a strategic one. Where there is no `whyNotResized`, pods have no subresource `resize`. */
export function patchObject(
  store: ObjectStore & { readonly whyNotResized: WhyNotResized | undefined },
  asked: string,
  query: URLSearchParams,
  body: JsonObject,
  isStrategic: boolean,
): Reply {
  const pod = asked.endsWith(RESIZE) ? asked.slice(0, -RESIZE.length) : "";
  const isResize = PODS.test(pod);
  const path = isResize ? pod : asked;
  const { whyNotResized } = store;
  if (isResize && whyNotResized === undefined) return notServed();
  const before = managedAt(store, path);
  if (before === undefined) return missing(path);
  if (isOfOther(body, before.object)) return modified();
  const object = (isStrategic ? mergedByName(before.object, body) : merged(before.object, body)) as JsonObject;
  const incomplete = objectsOf(object["webhooks"]).findIndex(({ clientConfig }) => clientConfig === undefined);
  if (isStrategic && incomplete >= 0) return status(422, `webhooks[${incomplete}].clientConfig: Required value`);
  const unresized = isResize ? whyNotResized?.(before.object, object) : undefined;
  if (unresized !== undefined) return status(422, `Pod "${path.split("/").at(-1)}" is invalid: ${unresized}`);
  if (!isResize && PODS.test(path) && !jsonEqual(withoutImages(before.object), withoutImages(object)))
    return status(422, `Pod "${path.split("/").at(-1)}" is invalid: spec: Forbidden: ${IMMUTABLE}`);
  const manager = query.get("fieldManager") ?? "unknown";
  return json(200, writeObject(store, path, recordUpdate(before, manager, object, isResize ? "resize" : undefined)));
}

const RESIZE = "/resize";
const PODS = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+$/;
const IMMUTABLE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

function withoutImages({ spec }: JsonObject): JsonObject {
  const lists = ["containers", "initContainers"].map((list) => [
    list,
    objectsOf((spec as JsonObject)[list]).map(({ image: _, ...container }) => container),
  ]);
  return { ...(spec as JsonObject), ...(Object.fromEntries(lists) as JsonObject) };
}

const LISTS_BY_NAME: ReadonlySet<string> = new Set(["webhooks", "containers", "initContainers"]);

/** RFC 7386. */
function merged(target: unknown, patch: unknown, list?: (there: unknown, given: unknown) => unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (list !== undefined && LISTS_BY_NAME.has(key)) result[key] = list(result[key], value);
    else result[key] = merged(result[key], value, list);
  }
  return result;
}

/** A strategic merge, as far as webhooks and pods need it: these lists are merged by name. */
function mergedByName(target: unknown, patch: unknown): unknown {
  return merged(target, patch, (before, after) => {
    const [there, given] = [objectsOf(before), objectsOf(after)];
    const nameIn = (list: readonly JsonObject[], { name }: JsonObject) => list.find((item) => item["name"] === name);
    return [
      ...there.map((item) => mergedByName(item, nameIn(given, item) ?? {})),
      ...given.filter((item) => nameIn(there, item) === undefined),
    ];
  });
}
