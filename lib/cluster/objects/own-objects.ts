// Outrigger's objects in a cluster: reading them, what they differ in from those that should be there, and writing one of them as it
// should be. Which one is written when, and who may undo it, is decided elsewhere: see register/reconciler.ts.
import { defined, isOwnError, type JsonObject, listOf, objectOf, objectsOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { findDrift } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { findOwn } from "./installed-webhooks.ts";
import { type OwnKind, ownKinds } from "./own-kinds.ts";

export type OwnObjects = readonly { readonly kind: OwnKind; readonly name: string; readonly object: JsonObject }[];

/** Our objects in the cluster, of every kind and every deployment. Bindings come first: see {@link inOrderOfRemoval}. */
export async function findObjects(kube: KubeClient): Promise<OwnObjects> {
  const found: JsonObject[] = [];
  for (const kind of ownKinds.toReversed()) found.push(...(await findOwn(kube, kind)));
  return inOrderOfRemoval(found);
}

/** A policy's bindings go first, so that it never rejects what no webhook injects any more. */
export function inOrderOfRemoval(objects: readonly JsonObject[]): OwnObjects {
  const all = objects.map((object) => ({ kind: object["kind"] as OwnKind, name: nameOf(object), object }));
  return all.toSorted((one, other) => ownKinds.indexOf(other.kind) - ownKinds.indexOf(one.kind));
}

/** What has to be written for an object to be as it should be: labels and annotations of ours too, which are no drift. */
export function changesOf(object: JsonObject, before: JsonObject | undefined): ReturnType<typeof findDrift> {
  const [wanted, there] = [metadataOf(object), metadataOf(before)];
  const isSame = (["labels", "annotations"] as const).every((key) =>
    Object.entries(wanted[key]).every(([name, value]) => there[key][name] === value),
  );
  return isSame ? findDrift(object, before) : [{ place: wanted.name, expected: "", actual: "" }];
}

/**
 * Writes an object as it should be, where the cluster still has it as it was read. Fields that others have set are taken over by the
 * apply. Fields and webhooks that others have added cannot be dropped by it, and are dropped by an update.
 *
 * @returns the object as the cluster has it then
 */
export async function applyObject(
  kube: KubeClient,
  path: string,
  object: JsonObject,
  before: JsonObject | undefined,
): Promise<JsonObject> {
  if (before === undefined) return kube.apply(path, asNew(object), { force: false });
  // With the version, an apply fails over an object that has changed since; with the UID, it makes none that has gone.
  const { uid, resourceVersion } = before["metadata"] as JsonObject;
  const read = withMetadata(object, defined({ uid, resourceVersion }));
  // A field that was added may be invalid together with what is applied: a service next to a URL, for example.
  const applied = await kube.apply(path, read, { force: true }).catch((error: unknown) => {
    if (isOwnError(error, "cluster-refused")) return undefined;
    throw error;
  });
  if (applied !== undefined && findDrift(object, applied).length === 0) return applied;
  const [there, own] = [metadataOf(applied ?? before), metadataOf(object)];
  // Labels and annotations of others stay.
  const labels = { ...there.labels, ...own.labels };
  const annotations = { ...there.annotations, ...own.annotations };
  return kube.replace(path, withMetadata(object, { resourceVersion: there.resourceVersion, labels, annotations }));
}

/**
 * An object to apply that only creates. None has this version, because etcd's first write is its second revision: over an object that
 * was made since, the apply fails. A version does not matter to a creation by apply (Update in the API server's
 * registry/generic/registry/store.go). A POST would need the right to create objects of any name.
 */
export function asNew(object: JsonObject): JsonObject {
  return withMetadata(object, { resourceVersion: "1" });
}

function withMetadata(object: JsonObject, changes: JsonObject): JsonObject {
  return { ...object, metadata: { ...objectOf(object["metadata"]), ...changes } };
}

export function nameOf(object: JsonObject): string {
  return metadataOf(object).name;
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
