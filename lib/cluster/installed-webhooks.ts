// Owns what stands of Outrigger in a cluster: where it is found, whose it is, how it is put there and taken away. Knows the
// API server through its client only; what the objects say is built elsewhere.
import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject } from "../json.ts";
import { findDrift } from "../webhook/drift.ts";
import { type KeptSettings, parseSettings } from "../webhook/settings-annotation.ts";
import { FIELD_MANAGER, ownLabels, SETTINGS_ANNOTATION } from "../webhook/webhook-configuration.ts";
import { parseWebhookUrl } from "../webhook/webhook-url.ts";
import type { KubeClient } from "./kube-client.ts";

/** A MutatingWebhookConfiguration of ours, as it stands in the cluster. */
export interface InstalledWebhook {
  readonly name: string;
  readonly object: JsonObject;
  readonly deployment: string;
  readonly revision: string;
  /** Set where it is the configuration of a tag. */
  readonly tag?: string;
  /** What was asked for; missing where the annotation is damaged. */
  readonly settings?: KeptSettings;
  /** Of the first URL that has one. A secret. */
  readonly token?: string;
  /** When `outrigger off` was run. */
  readonly off?: string;
}

const GROUP = "/apis/admissionregistration.k8s.io/v1";

/** Paths of the kinds that are ours, in the order in which they are put there. */
const PLURALS = {
  MutatingWebhookConfiguration: "mutatingwebhookconfigurations",
  ValidatingAdmissionPolicy: "validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
} as const;

export type OwnKind = keyof typeof PLURALS;

export function pathOf(kind: OwnKind, name?: string): string {
  return `${GROUP}/${PLURALS[kind]}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

/** Every webhook configuration that is ours, of one deployment or of all. */
export async function findInstalled(kube: KubeClient, deployment?: string): Promise<readonly InstalledWebhook[]> {
  const installed: InstalledWebhook[] = [];
  const path = pathOf("MutatingWebhookConfiguration");
  for await (const object of kube.list(path, { labelSelector: selectorOf(deployment) }))
    installed.push(readInstalled(object));
  return installed;
}

/** Names of the objects of a kind that are ours. */
export async function findOwn(kube: KubeClient, kind: OwnKind, deployment?: string): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const object of kube.list(pathOf(kind), { labelSelector: selectorOf(deployment) })) found.push(object);
  return found;
}

function selectorOf(deployment: string | undefined): string {
  const own = `${ownLabels.managedBy}=${FIELD_MANAGER}`;
  return deployment === undefined ? own : `${own},${ownLabels.instance}=${deployment}`;
}

function readInstalled(object: JsonObject): InstalledWebhook {
  const { labels, annotations, name } = isObject(object["metadata"]) ? object["metadata"] : {};
  const label = (key: string) => (isObject(labels) && typeof labels[key] === "string" ? labels[key] : undefined);
  const settings = parseSettings(isObject(annotations) ? annotations[SETTINGS_ANNOTATION] : undefined);
  const off = isObject(annotations) ? annotations["outrigger/off"] : undefined;
  const tag = label(ownLabels.tag);
  const token = tokenOf(object);
  return {
    name: String(name),
    object,
    deployment: label(ownLabels.instance) ?? "",
    revision: label(ownLabels.revision) ?? "",
    ...(tag === undefined ? {} : { tag }),
    ...(settings === undefined ? {} : { settings }),
    ...(token === undefined ? {} : { token }),
    ...(typeof off === "string" ? { off } : {}),
  };
}

function tokenOf({ webhooks }: JsonObject): string | undefined {
  if (!Array.isArray(webhooks)) return undefined;
  for (const webhook of webhooks) {
    const clientConfig = isObject(webhook) ? webhook["clientConfig"] : undefined;
    const url = isObject(clientConfig) ? clientConfig["url"] : undefined;
    const token = typeof url === "string" ? parseWebhookUrl(url)?.token : undefined;
    if (token !== undefined) return token;
  }
  return undefined;
}

/**
 * The object of that name, where it is ours or there is none.
 *
 * @throws OutriggerError `cluster-conflict` where somebody else's stands there
 */
export async function readOwn(
  kube: KubeClient,
  kind: OwnKind,
  name: string,
  deployment: string,
): Promise<JsonObject | undefined> {
  const object = await kube.get(pathOf(kind, name));
  if (object === undefined) return undefined;
  const { labels } = isObject(object["metadata"]) ? object["metadata"] : {};
  const owner = isObject(labels) ? labels[ownLabels.managedBy] : undefined;
  const instance = isObject(labels) ? labels[ownLabels.instance] : undefined;
  if (owner === FIELD_MANAGER && instance === deployment) return object;
  const isOurs = owner === FIELD_MANAGER;
  throw new OutriggerError(
    "cluster-conflict",
    isOurs
      ? `Cluster ${kube.name} has ${kind} "${name}" of the deployment "${String(instance)}": unregister that one first (outrigger unregister --deployment ${String(instance)}), or register another --revision`
      : `Cluster ${kube.name} has ${kind} "${name}" that is not Outrigger's (${ownerOf(object)}): remove it (kubectl delete ${kind.toLowerCase()} ${name}), or register another --revision`,
    { path: name },
  );
}

/** Who made an object, as far as it says. */
function ownerOf({ metadata }: JsonObject): string {
  const { labels, managedFields } = isObject(metadata) ? metadata : {};
  const managedBy = isObject(labels) ? labels[ownLabels.managedBy] : undefined;
  if (typeof managedBy === "string") return `managed by ${managedBy}`;
  const [first] = Array.isArray(managedFields) ? managedFields : [];
  return isObject(first) ? `made by ${String(first["manager"])}` : "nobody is named as its owner";
}

/**
 * Puts objects there one after another, and gives back what they are then. Fields that others have set are taken over by
 * the apply; fields and webhooks that others have added are not ours to drop by it, and are dropped by an update.
 */
export async function applyOwn(
  kube: KubeClient,
  deployment: string,
  objects: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const applied: JsonObject[] = [];
  for (const object of objects) {
    const kind = object["kind"] as OwnKind;
    const name = String((object["metadata"] as JsonObject)["name"]);
    const before = await readOwn(kube, kind, name, deployment);
    applied.push(await putOwn(kube, pathOf(kind, name), object, before));
  }
  return applied;
}

async function putOwn(
  kube: KubeClient,
  path: string,
  object: JsonObject,
  before: JsonObject | undefined,
): Promise<JsonObject> {
  if (before === undefined) return kube.apply(path, object, { force: false });
  // What somebody has added may not even be valid beside what is applied: a service beside a URL, say.
  const applied = await kube.apply(path, object, { force: true }).catch((error: unknown) => {
    if (error instanceof OutriggerError && error.code === "cluster-refused") return undefined;
    throw error;
  });
  if (applied !== undefined && findDrift(object, applied).length === 0) return applied;
  const metadata = mergedMetadata(applied ?? before, object);
  return kube.replace(path, { ...object, metadata });
}

/** Labels and annotations of others stay; the version makes the update fail if somebody else was faster. */
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

/** Takes an object away that is ours; false where there was none. */
export async function removeOwn(kube: KubeClient, kind: OwnKind, name: string): Promise<boolean> {
  return kube.remove(pathOf(kind, name));
}
