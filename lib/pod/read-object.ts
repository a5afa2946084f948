// Reads objects of a cluster of any shape, also those that nobody has checked: metadata, containers, and where a workload has its
// pods. Pure.
import { isObject, type JsonObject, metadataKeys, objectOf, objectsOf, textOf } from "@outrigger/base";

/** Metadata with every field there: what is absent, or of another type, is empty. */
export interface Metadata {
  readonly name: string;
  readonly generateName: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The generation, or 0 if the API server counts none. */
  readonly generation: number;
  /** The time of creation (RFC 3339). It is empty for an object that no API server has stored. */
  readonly creationTimestamp: string;
  /** The time of deletion (RFC 3339). It is empty while the object is not being deleted. */
  readonly deletionTimestamp: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly Owner[];
  readonly managedFields: readonly JsonObject[];
}

/** An object that another one belongs to. */
interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
}

/**
 * The metadata of an object, whatever it is. Nothing is copied but what has another type somewhere.
 *
 * @example
 * ```ts
 * metadataOf({ metadata: { name: "web", labels: { app: "web", tier: 1 } } }).labels // => { app: "web" }
 * metadataOf(null).name // => ""
 * ```
 */
export function metadataOf(object: unknown): Metadata {
  const metadata = objectOf(objectOf(object)["metadata"]);
  const text = (field: string) => textOf(metadata[field]) ?? "";
  const { generation, finalizers } = metadata;
  return {
    name: text("name"),
    generateName: text("generateName"),
    namespace: text("namespace"),
    uid: text("uid"),
    resourceVersion: text("resourceVersion"),
    generation: typeof generation === "number" ? generation : 0,
    creationTimestamp: text("creationTimestamp"),
    deletionTimestamp: text("deletionTimestamp"),
    labels: textsOf(metadata["labels"]),
    annotations: textsOf(metadata["annotations"]),
    finalizers: Array.isArray(finalizers) ? finalizers.filter((name) => typeof name === "string") : [],
    ownerReferences: objectsOf(metadata["ownerReferences"]).map(ownerOf),
    managedFields: objectsOf(metadata["managedFields"]),
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return NO_TEXTS;
  const entries = Object.entries(value);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return texts.length === entries.length ? (value as Readonly<Record<string, string>>) : Object.fromEntries(texts);
}

const NO_TEXTS: Readonly<Record<string, string>> = Object.freeze({});

function ownerOf(reference: JsonObject): Owner {
  const text = (field: string) => textOf(reference[field]) ?? "";
  return {
    apiVersion: text("apiVersion"),
    kind: text("kind"),
    name: text("name"),
    uid: text("uid"),
    controller: reference["controller"] === true,
  };
}

/**
 * Returns the containers that a pod is started with: init containers, then containers. A name occurs once in both
 * lists.
 *
 * @param spec a pod's; what is no object in it is left out
 */
export function containersOf(spec: unknown): readonly JsonObject[] {
  const { initContainers, containers } = objectOf(spec);
  return [...objectsOf(initContainers), ...objectsOf(containers)];
}

/** Whether a pod has not ended, is not being deleted, and does not mirror one that its node runs by itself. */
export function isRunning(pod: { readonly metadata?: unknown; readonly status?: unknown }): boolean {
  const { phase } = objectOf(pod.status);
  const { deletionTimestamp, annotations } = metadataOf(pod);
  const isMirror = annotations[metadataKeys.mirrorPod] !== undefined;
  return phase !== "Succeeded" && phase !== "Failed" && deletionTimestamp === "" && !isMirror;
}

/** A kind of workload: its names, where the API server has it, and where its pod is. */
export interface WorkloadKind {
  readonly kind: string;
  /** The API group, which is empty for the core group. */
  readonly group: string;
  /** The path of the API version: `/apis/apps/v1` */
  readonly api: string;
  readonly plural: string;
  /** Returns the path of an object: `/apis/apps/v1/namespaces/shop/deployments/web` */
  readonly pathOf: (namespace: string, name: string) => string;
  /** The path to the pod's metadata and spec, which is empty for a pod itself. */
  readonly template: readonly string[];
  /** kubectl's names, the shortest first. */
  readonly names: readonly string[];
}

/** Every kind that kubectl knows, and Argo's rollouts. */
export const workloadKinds: readonly WorkloadKind[] = [
  kind("po pod pods", "Pod", "", "v1", []),
  kind("deploy deployment deployments", "Deployment", "apps", "v1"),
  kind("sts statefulset statefulsets", "StatefulSet", "apps", "v1"),
  kind("ds daemonset daemonsets", "DaemonSet", "apps", "v1"),
  kind("rs replicaset replicasets", "ReplicaSet", "apps", "v1"),
  kind("rc replicationcontroller replicationcontrollers", "ReplicationController", "", "v1"),
  kind("job jobs", "Job", "batch", "v1"),
  kind("cj cronjob cronjobs", "CronJob", "batch", "v1", ["spec", "jobTemplate", "spec", "template"]),
  kind("ro rollout rollouts", "Rollout", "argoproj.io", "v1alpha1"),
];

function kind(names: string, kind: string, group: string, version: string, template = ["spec", "template"]) {
  const all = names.split(" ");
  const api = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const plural = all.at(-1) ?? "";
  const pathOf = (namespace: string, name: string) =>
    `${api}/namespaces/${encodeURIComponent(namespace)}/${plural}/${encodeURIComponent(name)}`;
  return { kind, group, api, plural, pathOf, template, names: all };
}
