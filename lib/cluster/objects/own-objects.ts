// Writing Outrigger's objects to a cluster: applying, lowering and removing them. What the objects say is built
// elsewhere, and so is who may undo what: see journal.ts.
import { defined, isObject, type JsonObject, listOf, OutriggerError, objectOf, objectsOf } from "@outrigger/base";
import { findDrift, ownLabels } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { retryingConflicts } from "../kube/retrying-conflicts.ts";
import { type Baseline, offMarkOf } from "./baseline.ts";
import { findOwn, readOwn } from "./installed-webhooks.ts";
import { deploymentOf } from "./object-owner.ts";
import { type OwnKind, ownKinds, pathOf } from "./own-kinds.ts";

/** An object to apply, and how the cluster differs from it. */
export interface PlannedObject {
  readonly path: string;
  readonly object: JsonObject;
  readonly before: JsonObject | undefined;
  readonly drift: ReturnType<typeof findDrift>;
}

/**
 * Reads what the cluster has of each object.
 *
 * @throws OutriggerError `cluster-conflict` where an object of that name is not this deployment's
 */
export async function planObjects(
  kube: KubeClient,
  deployment: string,
  objects: readonly JsonObject[],
): Promise<readonly PlannedObject[]> {
  const planned: PlannedObject[] = [];
  for (const object of objects) planned.push(await planObject(kube, deployment, object));
  return planned;
}

async function planObject(kube: KubeClient, deployment: string, object: JsonObject): Promise<PlannedObject> {
  const [kind, name] = [object["kind"] as OwnKind, nameOf(object)];
  const before = await readOwn(kube, kind, name, deployment);
  const drift = isSameMetadata(object, before)
    ? findDrift(object, before)
    : [{ place: name, expected: "", actual: "" }];
  return { path: pathOf(kind, name), object, before, drift };
}

/** Labels and annotations of ours do not count as drift, and still have to be written. */
function isSameMetadata(object: JsonObject, before: JsonObject | undefined): boolean {
  return ["labels", "annotations"].every((key) => {
    const [wanted, there] = [object, before].map((one) => (isObject(one?.["metadata"]) ? one["metadata"][key] : {}));
    return Object.entries(wanted ?? {}).every(([name, value]) => isObject(there) && there[name] === value);
  });
}

/**
 * Applies the objects that differ. Fields that others have set are taken over by the apply. Fields and webhooks that others
 * have added cannot be dropped by it, and are dropped by an update. Each write is of the object as it was just read.
 *
 * @param baseline what the command found: objects that another command has made or removed since are left alone
 * @throws OutriggerError `cluster-conflict` where another command, or something that changes an object back, is at work
 */
export async function applyObjects(
  kube: KubeClient,
  deployment: string,
  objects: readonly JsonObject[],
  baseline: Baseline,
): Promise<void> {
  for (const object of objects) {
    const [left] = await retryingConflicts(async () => {
      const { path, before, drift } = await planObject(kube, deployment, object);
      // An object that is just as this command writes it may be its own: a creation is sent again where the answer was lost.
      const isOwn = before !== undefined && drift.length === 0 && offMarkOf(before) === undefined;
      if (!isOwn) baseline.assertKnown(path, before);
      const left = drift.length === 0 ? [] : await applyObject(kube, path, object, before);
      baseline.written(path);
      return left;
    });
    if (left === undefined) continue;
    throw new OutriggerError(
      "cluster-conflict",
      `Cluster ${kube.name} does not keep what was applied: ${left.place} is ${left.actual} and not ${left.expected}; find what changes it with kubectl get mutatingwebhookconfiguration -o yaml --show-managed-fields`,
    );
  }
}

async function applyObject(
  kube: KubeClient,
  path: string,
  object: JsonObject,
  before: JsonObject | undefined,
): Promise<ReturnType<typeof findDrift>> {
  if (before === undefined) return findDrift(object, await kube.apply(path, asNew(object), { force: false }));
  // A field that was added may be invalid together with what is applied: a service next to a URL, for example.
  const applied = await kube.apply(path, asRead(object, before), { force: true }).catch((error: unknown) => {
    if (error instanceof OutriggerError && error.code === "cluster-refused") return undefined;
    throw error;
  });
  if (applied !== undefined && findDrift(object, applied).length === 0) return [];
  return findDrift(
    object,
    await kube.replace(path, { ...object, metadata: mergedMetadata(applied ?? before, object) }),
  );
}

/**
 * An apply that only creates. No object has this version, because etcd's first write is its second revision: over an object
 * that was made since, the apply fails. A version does not matter to a creation by apply (Update in the API server's
 * registry/generic/registry/store.go). A POST would need the right to create objects of any name.
 */
export function asNew(object: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), resourceVersion: NO_VERSION } };
}

/** The version of an object that is to be created. */
export const NO_VERSION = "1";

/** With the version, an apply fails over an object that has changed since; with the UID, it makes none that has gone. */
function asRead(object: JsonObject, { metadata: there }: JsonObject): JsonObject {
  const { uid, resourceVersion } = there as JsonObject;
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), ...defined({ uid, resourceVersion }) } };
}

/** Labels and annotations of others stay. The version makes the update fail if the object changes in between. */
function mergedMetadata({ metadata: there }: JsonObject, { metadata: wanted }: JsonObject): JsonObject {
  const [old, own] = [there, wanted] as [JsonObject, JsonObject];
  const merge = (key: string) => ({ ...(old[key] as JsonObject | undefined), ...(own[key] as JsonObject | undefined) });
  return {
    ...own,
    resourceVersion: old["resourceVersion"],
    labels: merge("labels"),
    annotations: merge("annotations"),
  };
}

export type OwnObjects = readonly { readonly kind: OwnKind; readonly name: string; readonly object: JsonObject }[];

/** A revision's objects in the cluster, of every kind: all of a deployment's where no revision is named. */
export async function findObjects(
  kube: KubeClient,
  deployment: string | undefined,
  revision?: string,
): Promise<OwnObjects> {
  const found: OwnObjects[number][] = [];
  // A policy's bindings go first, so that it never rejects what no webhook injects any more.
  for (const kind of [...ownKinds].reverse()) {
    for (const object of await findOwn(kube, kind, deployment)) {
      if (revision === undefined || revisionOf(object) === revision) found.push({ kind, name: nameOf(object), object });
    }
  }
  return found;
}

/** Removes a revision's objects, all of a deployment's where none is named, and returns which there were. */
export async function removeObjects(
  kube: KubeClient,
  deployment: string | undefined,
  revision?: string,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const { kind, name } of await findObjects(kube, deployment, revision)) {
    if (await removeOwn(kube, deployment, kind, name)) removed.push(`${kind} ${name}`);
  }
  return removed;
}

/** Removes an object as it was just read: one that another command makes in its place stays. */
export async function removeOwn(
  kube: KubeClient,
  deployment: string | undefined,
  kind: OwnKind,
  name: string,
): Promise<boolean> {
  return retryingConflicts(async () => {
    const object = await kube.get(pathOf(kind, name));
    if (object === undefined || (deployment !== undefined && deploymentOf(object) !== deployment)) return false;
    const { resourceVersion } = object["metadata"] as JsonObject;
    return kube.remove(pathOf(kind, name), String(resourceVersion));
  });
}

export function nameOf({ metadata }: JsonObject): string {
  return isObject(metadata) ? String(metadata["name"]) : "";
}

/** Whether a webhook configuration or a binding can reject a pod. */
export function canReject({ webhooks, spec }: JsonObject): boolean {
  const denies = listOf(objectOf(spec)["validationActions"]).includes("Deny");
  return denies || objectsOf(webhooks).some(({ failurePolicy }) => failurePolicy === "Fail");
}

/** The object as it rejects no pod. */
export function lenient({ webhooks, spec, ...object }: JsonObject): JsonObject {
  const { validationActions, ...rules } = objectOf(spec);
  return {
    ...object,
    ...defined({
      webhooks: webhooks && objectsOf(webhooks).map((webhook) => ({ ...webhook, failurePolicy: "Ignore" })),
      spec: spec && { ...rules, ...defined({ validationActions: validationActions && ["Warn"] }) },
    }),
  } as JsonObject;
}

/** The revision that an object of ours is labelled with. */
export function revisionOf({ metadata }: JsonObject): string | undefined {
  const { labels } = objectOf(metadata);
  const revision = isObject(labels) ? labels[ownLabels.revision] : undefined;
  return typeof revision === "string" ? revision : undefined;
}
