// The pods inside a manifest, for entry points that only know pods. Written apart from the product's own walk over manifests,
// so that the one checks the other.
import { isObject, type JsonObject, objectOf } from "@outrigger/base";

/** A workload's pod as its controller would create it, and the namespace of the request. */
export interface WorkloadPod {
  readonly pod: JsonObject;
  readonly namespace: string;
}

const OWNERS = [
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "ReplicationController",
  "DeploymentConfig",
];

/** The pods of all workloads in the documents, in order. Documents of other kinds have none. */
export function podsOf(documents: readonly JsonObject[]): readonly WorkloadPod[] {
  return documents.flatMap((document) => {
    const { kind, items } = document;
    if (kind === "List") return Array.isArray(items) ? podsOf(items.filter(isObject)) : [];
    if (kind === "Pod") return [{ pod: document, namespace: namespaceOf(document) ?? "default" }];
    if (kind === "CronJob") return [podOfCronJob(document)];
    if (typeof kind !== "string" || !OWNERS.includes(kind)) return [];
    return [podOfTemplate(document, child(child(document, "spec"), "template"))];
  });
}

/** Istio reads a CronJob's pod metadata from the job template, not from the pod template in it. */
function podOfCronJob(cronJob: JsonObject): WorkloadPod {
  const jobTemplate = child(child(cronJob, "spec"), "jobTemplate");
  const { spec } = child(child(jobTemplate, "spec"), "template");
  return podOfTemplate(cronJob, { metadata: jobTemplate["metadata"], spec });
}

function podOfTemplate(workload: JsonObject, template: JsonObject): WorkloadPod {
  const { apiVersion, kind } = workload;
  const name = child(workload, "metadata")["name"] as string;
  const owner = { apiVersion, kind, name, uid: "3f6f6d6e-0000-4000-8000-000000000001", controller: true };
  const metadata = { ...child(template, "metadata"), generateName: `${name}-`, ownerReferences: [owner] };
  const namespace = namespaceOf(template) ?? namespaceOf(workload) ?? "default";
  return { pod: { apiVersion: "v1", kind: "Pod", metadata, spec: template["spec"] }, namespace };
}

function namespaceOf(object: JsonObject): string | undefined {
  const namespace = child(object, "metadata")["namespace"];
  return typeof namespace === "string" && namespace !== "" ? namespace : undefined;
}

function child(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return objectOf(value);
}
