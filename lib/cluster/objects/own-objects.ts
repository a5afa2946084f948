// Outrigger's objects in a cluster: reading them, what they differ in from those that should be there, and writing one of them as it
// should be. Which one is written when, and who may undo it, is decided elsewhere: see register/reconciler.ts.
import { defined, isOwnError, type JsonObject, listOf, OutriggerError, objectOf, objectsOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { FIELD_MANAGER, findDrift, objectKeys, ownNames } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";

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

/**
 * Returns what has to be written for an object to be as it should be. It includes labels and annotations of ours, which
 * are no drift.
 */
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
  const apply = () =>
    kube.apply(path, read, { force: true }).catch((error: unknown) => {
      if (isOwnError(error, "cluster-refused")) return undefined;
      throw error;
    });
  const applied = hasUpdatedActions(before) ? undefined : await apply();
  if (applied !== undefined && findDrift(object, applied).length === 0) return applied;
  const [there, own] = [metadataOf(applied ?? before), metadataOf(object)];
  // Labels and annotations of others stay.
  const labels = { ...there.labels, ...own.labels };
  const annotations = { ...there.annotations, ...own.annotations };
  return kube.replace(path, withMetadata(object, { resourceVersion: there.resourceVersion, labels, annotations }));
}

/**
 * Whether an update has written the actions of a binding. They are a set: an apply adds its own to those of an update, and an API server
 * refuses a binding that both warns and denies.
 */
function hasUpdatedActions(before: JsonObject): boolean {
  return metadataOf(before).managedFields.some(({ operation, fieldsV1 }) => {
    const actions = objectOf(objectOf(fieldsV1)["f:spec"])["f:validationActions"];
    return operation === "Update" && actions !== undefined;
  });
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

export const GROUP_PATH = "/apis/admissionregistration.k8s.io/v1";

/** Path segments of our kinds, in the order in which they are created. */
const PLURALS = {
  MutatingWebhookConfiguration: "mutatingwebhookconfigurations",
  ValidatingAdmissionPolicy: "validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
} as const;

export type OwnKind = keyof typeof PLURALS;

export const ownKinds = Object.keys(PLURALS) as readonly OwnKind[];

export function pathOf(kind: OwnKind, name?: string): string {
  return `${GROUP_PATH}/${PLURALS[kind]}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

export function pathOfObject(object: JsonObject): string {
  return pathOf(object["kind"] as OwnKind, metadataOf(object).name);
}

/** Every object of a kind; none where the cluster does not serve it. An item of a list does not say its kind: it is added. */
export async function listKind(
  kube: KubeClient,
  kind: OwnKind,
  query?: Readonly<Record<string, string>>,
): Promise<readonly JsonObject[]> {
  const listed: JsonObject[] = [];
  try {
    for await (const object of kube.list(pathOf(kind), query)) {
      listed.push({ apiVersion: GROUP_PATH.slice("/apis/".length), kind, ...object });
    }
  } catch (error) {
    if (!(await isAbsentKind(kube, kind, error))) throw error;
  }
  return listed;
}

/**
 * Whether the server lists the resources of the group, and the kind is not among them: a 404 alone does not say so, because a proxy
 * and another server answer with one too. Every server that Outrigger supports serves webhook configurations.
 *
 * @param error what a call for objects of the kind threw
 */
export async function isAbsentKind(kube: KubeClient, kind: OwnKind, error: unknown): Promise<boolean> {
  if (!isOwnError(error, "cluster-kind-unknown") || kind === "MutatingWebhookConfiguration") return false;
  const served = await kube.get(GROUP_PATH).catch(() => undefined);
  if (served?.["kind"] !== "APIResourceList") return false;
  return !objectsOf(served["resources"]).some(({ name }) => name === PLURALS[kind]);
}

// Whose an object in a cluster is: which deployment's, and which tool manages it. Helm writes its own name over the label
// app.kubernetes.io/managed-by, and Argo CD its application's over app.kubernetes.io/instance: neither label can be relied on.
/** Selects the objects of every deployment. */
export const OWN_SELECTOR = objectKeys.revision;

/** The deployment that an object of ours belongs to; undefined for an object of others. */
export function deploymentOf(object: JsonObject): string | undefined {
  const { labels } = metadataOf(object);
  if (labels[objectKeys.revision] === undefined) return undefined;
  return labels[objectKeys.deployment] ?? labels[objectKeys.instance];
}

export function revisionOf(object: JsonObject): string | undefined {
  return metadataOf(object).labels[objectKeys.revision];
}

/** Whether it is the mark of a cluster that was switched off: a webhook configuration without webhooks. */
export function isOffMark(object: JsonObject): boolean {
  return metadataOf(object).name === ownNames.offMark;
}

/** The time at which `outrigger off` was run on an object, as it wrote it there. */
export function offMarkOf(object: JsonObject | undefined): string | undefined {
  return metadataOf(object).annotations[objectKeys.off];
}

/** The lease of the command that was the last to sign the object. */
export function leaseOf(object: JsonObject | undefined): string | undefined {
  return metadataOf(object).annotations[objectKeys.lease];
}

/** The tool that manages an object of ours in place of Outrigger's commands; undefined where none does. */
export function managerOf(object: JsonObject): string | undefined {
  const { labels, annotations } = metadataOf(object);
  const release = annotations[objectKeys.helmRelease];
  const manager = labels[objectKeys.managedBy];
  if (release !== undefined) return `Helm (release ${release})`;
  const application = annotations[objectKeys.argoTrackingId]?.split(":")[0] ?? labels[objectKeys.argoInstance];
  if (application !== undefined) return `Argo CD (application ${application})`;
  if (manager !== FIELD_MANAGER) return manager ?? "another tool";
  const instance = labels[objectKeys.instance];
  if (instance !== deploymentOf(object)) return `another tool (${objectKeys.instance}: ${instance})`;
  const owner = applierOf(object);
  return owner === undefined ? undefined : `${owner} (by server-side apply)`;
}

/** Those who apply by hand: what they did once is not done again by itself. */
const BY_HAND: ReadonlySet<string> = new Set([FIELD_MANAGER, "kubectl"]);

/** The tool that owns what the object does by server-side apply, as Flux does: it applies it again. */
function applierOf(object: JsonObject): string | undefined {
  return metadataOf(object)
    .managedFields.filter(({ operation, subresource, fieldsV1 }) => {
      const fields = objectOf(fieldsV1);
      const isOwned = fields["f:webhooks"] !== undefined || fields["f:spec"] !== undefined;
      return operation === "Apply" && subresource === undefined && isOwned;
    })
    .map(({ manager }) => String(manager))
    .find((name) => !BY_HAND.has(name));
}

/**
 * Refuses to change an object that another tool would change back.
 *
 * @throws OutriggerError `cluster-conflict`
 */
export function assertOwnManaged(cluster: string, object: JsonObject): void {
  const manager = managerOf(object);
  if (manager === undefined) return;
  const { name } = metadataOf(object);
  const message = `Cannot change ${String(object["kind"])} "${name}" in cluster ${cluster}: ${manager} manages it and would change it back; change the values there (docs/register-otherwise.md#with-helm-or-argo-cd)`;
  throw new OutriggerError("cluster-conflict", message, { path: name });
}

/**
 * Refuses to write over an object that has the name of one of ours and is another's.
 *
 * @throws OutriggerError `cluster-conflict`; also where another tool manages it
 */
export function assertOwn(cluster: string, object: JsonObject, deployment: string): void {
  const owner = deploymentOf(object);
  if (owner === deployment) {
    assertOwnManaged(cluster, object);
    return;
  }
  const { name, labels, managedFields } = metadataOf(object);
  const kind = String(object["kind"]);
  const [first] = managedFields;
  const managedBy = labels[objectKeys.managedBy];
  const by = managedBy !== undefined ? `managed by ${managedBy}` : first && `made by ${String(first["manager"])}`;
  throw new OutriggerError(
    "cluster-conflict",
    owner !== undefined
      ? `Cluster ${cluster} has ${kind} "${name}" of the deployment "${owner}": unregister that one first (outrigger unregister --deployment ${owner}), or register another --revision`
      : `Cluster ${cluster} has ${kind} "${name}" that is not Outrigger's (${by ?? "it names no owner"}): remove it (kubectl delete ${kind.toLowerCase()} ${name}), or register another --revision`,
    { path: name },
  );
}

export async function findOwn(kube: KubeClient, kind: OwnKind, deployment?: string): Promise<readonly JsonObject[]> {
  const listed = await listKind(kube, kind, { labelSelector: OWN_SELECTOR });
  const isOf = (object: JsonObject) => deployment === undefined || deploymentOf(object) === deployment;
  return listed.filter((object) => isOf(object) && !isOffMark(object));
}
