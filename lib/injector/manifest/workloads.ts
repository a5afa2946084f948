// The kinds of manifest that hold a pod: where the pod is in them, and which empty fields Kubernetes' own types print.
// A table and its look-up; knows nothing about injection.

import { entryOf, type FieldPath, isObject, type JsonObject, type JsonValue } from "@outrigger/base";

/** A kind of workload: the place of its pod, and how its own Go type is printed. */
export interface Workload extends PodPlace {
  /** API groups that have this kind; the core group is "". */
  readonly groups: readonly string[];
  /** Fields that are printed even when they are not set; for a list, the fields printed in each of its items. */
  readonly printed: JsonObject;
}

const EMPTY = {};
const TEMPLATE_METADATA = ["spec", "template", "metadata"];
const TEMPLATE_SPEC = ["spec", "template", "spec"];
const TEMPLATE = { metadata: EMPTY };

/** Kinds by name, as `istioctl kube-inject` knows them. */
const WORKLOADS: Readonly<Record<string, Workload>> = {
  Pod: { groups: [""], metadata: ["metadata"], spec: ["spec"], printed: { metadata: EMPTY, status: EMPTY } },
  Deployment: templated(["apps", "extensions"], { strategy: EMPTY }, EMPTY),
  ReplicaSet: templated(["apps", "extensions"], EMPTY, { replicas: 0 }),
  StatefulSet: templated(
    ["apps"],
    { updateStrategy: EMPTY, volumeClaimTemplates: [{ metadata: EMPTY, spec: { resources: EMPTY }, status: EMPTY }] },
    { availableReplicas: 0, replicas: 0 },
  ),
  DaemonSet: templated(
    ["apps", "extensions"],
    { updateStrategy: EMPTY },
    zeros("currentNumberScheduled desiredNumberScheduled numberMisscheduled numberReady"),
  ),
  ReplicationController: templated([""], EMPTY, { replicas: 0 }),
  Job: templated(["batch"], EMPTY, EMPTY),
  CronJob: {
    groups: ["batch"],
    // The job's metadata, not the pod's: the reference injects into it, and its output shows that.
    metadata: ["spec", "jobTemplate", "metadata"],
    spec: ["spec", "jobTemplate", "spec", "template", "spec"],
    printed: {
      metadata: EMPTY,
      spec: { jobTemplate: { metadata: EMPTY, spec: { template: TEMPLATE } } },
      status: EMPTY,
    },
  },
  DeploymentConfig: templated(
    ["", "apps.openshift.io"],
    { replicas: 0, strategy: { resources: EMPTY }, test: false },
    zeros("availableReplicas latestVersion observedGeneration replicas unavailableReplicas updatedReplicas"),
  ),
};

function zeros(names: string): JsonObject {
  return Object.fromEntries(names.split(" ").map((name) => [name, 0]));
}

function templated(groups: readonly string[], spec: JsonObject, status: JsonObject): Workload {
  const printed = { metadata: EMPTY, spec: { ...spec, template: TEMPLATE }, status };
  return { groups, metadata: TEMPLATE_METADATA, spec: TEMPLATE_SPEC, printed };
}

/**
 * The workload kind of a document, or undefined if the document is no workload. A kind of the same name in another API
 * group (a Volcano Job, for example) is not a workload.
 */
export function findWorkload(document: JsonObject): Workload | undefined {
  const { kind } = document;
  const workload = typeof kind === "string" ? entryOf(WORKLOADS, kind) : undefined;
  return workload?.groups.includes(groupOf(document)) ? workload : undefined;
}

/**
 * Returns the places of the pods in a document: of a known kind, or of any other resource that has a pod template. A
 * template is found by its shape: an object with `spec.containers`, in a field called `template` or ending in
 * `Template`.
 *
 * @param kinds kinds for which a field of any name will do
 */
export function findPods(document: JsonObject, kinds: readonly string[] = []): readonly PodPlace[] {
  const workload = findWorkload(document);
  // The metadata of the pods themselves: that is where a webhook finds what it decides by.
  if (workload) return [{ metadata: [...workload.spec.slice(0, -1), "metadata"], spec: workload.spec }];
  const { kind } = document;
  // A schema has fields that are called like those of a pod.
  if (typeof kind !== "string" || kind === "CustomResourceDefinition") return [];
  return findTemplates(document, kinds.includes(kind), []);
}

export interface PodPlace {
  readonly metadata: FieldPath;
  readonly spec: FieldPath;
}

const MAX_TEMPLATE_DEPTH = 12;

function findTemplates(value: JsonValue | undefined, isAnyField: boolean, path: FieldPath): readonly PodPlace[] {
  if (path.length > MAX_TEMPLATE_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => findTemplates(item, isAnyField, [...path, index]));
  if (!isObject(value)) return [];
  const isNamed = isAnyField || /(?:^t|T)emplate$/.test(String(path.at(-1)));
  if (isNamed && path.length > 0 && hasContainers(value["spec"])) {
    return [{ metadata: [...path, "metadata"], spec: [...path, "spec"] }];
  }
  return Object.entries(value).flatMap(([key, child]) => findTemplates(child, isAnyField, [...path, key]));
}

function hasContainers(spec: JsonValue | undefined): boolean {
  if (!isObject(spec) || !Array.isArray(spec["containers"])) return false;
  const { containers } = spec;
  return containers.length > 0 && containers.every((one) => isObject(one) && ("image" in one || "name" in one));
}

export function isList(document: JsonObject): boolean {
  return document["kind"] === "List" && groupOf(document) === "";
}

function groupOf({ apiVersion }: JsonObject): string {
  if (typeof apiVersion !== "string") return "";
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}
