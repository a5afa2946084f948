// The pods inside a manifest, for doors that only know pods: each workload's pod goes through a function and back into
// its place. Written apart from the product's own walk over manifests, so that the one checks the other.
import { isObject, type JsonObject } from "../../lib/json.ts";

/** A workload's pod as its controller would create it, and the namespace of the request. */
export interface WorkloadPod {
  readonly pod: JsonObject;
  readonly namespace: string;
}

type PodStep = (workload: WorkloadPod) => Promise<JsonObject>;

const OWNED = [
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "ReplicationController",
  "DeploymentConfig",
];

/** Sends every pod in the documents through `step`; everything else stays as it is. */
export function mapPods(documents: readonly JsonObject[], step: PodStep): Promise<JsonObject[]> {
  return Promise.all(documents.map((document) => mapDocument(document, step)));
}

async function mapDocument(document: JsonObject, step: PodStep): Promise<JsonObject> {
  const { kind } = document;
  if (kind === "List") {
    const items = Array.isArray(document["items"]) ? document["items"].filter(isObject) : [];
    return { ...document, items: await mapPods(items, step) };
  }
  if (kind === "Pod") return step({ pod: document, namespace: namespaceOf(document) ?? "default" });
  if (kind === "CronJob") return mapCronJob(document, step);
  return typeof kind === "string" && OWNED.includes(kind) ? mapWorkload(document, step) : document;
}

async function mapWorkload(workload: JsonObject, step: PodStep): Promise<JsonObject> {
  const spec = child(workload, "spec");
  const template = child(spec, "template");
  const { metadata, spec: podSpec } = await mapTemplate(workload, template, step);
  return { ...workload, spec: { ...spec, template: { ...template, metadata, spec: podSpec } } };
}

/** Istio reads a CronJob's pod metadata from the job template, not from the pod template in it. */
async function mapCronJob(workload: JsonObject, step: PodStep): Promise<JsonObject> {
  const spec = child(workload, "spec");
  const jobTemplate = child(spec, "jobTemplate");
  const jobSpec = child(jobTemplate, "spec");
  const template = child(jobSpec, "template");
  const mapped = await mapTemplate(workload, { ...template, metadata: child(jobTemplate, "metadata") }, step);
  const jobTemplateAfter = {
    ...jobTemplate,
    metadata: mapped.metadata,
    spec: { ...jobSpec, template: { ...template, spec: mapped.spec } },
  };
  return { ...workload, spec: { ...spec, jobTemplate: jobTemplateAfter } };
}

async function mapTemplate(workload: JsonObject, template: JsonObject, step: PodStep) {
  const metadata = child(template, "metadata");
  const { apiVersion, kind } = workload;
  const name = child(workload, "metadata")["name"] as string;
  const owner = { apiVersion, kind, name, uid: "3f6f6d6e-0000-4000-8000-000000000001", controller: true };
  const created = { ...metadata, generateName: `${name}-`, ownerReferences: [owner] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: created, spec: template["spec"] };
  const namespace = namespaceOf(template) ?? namespaceOf(workload) ?? "default";
  const injected = await step({ pod, namespace });
  const { generateName: _name, ownerReferences: _owners, ...rest } = child(injected, "metadata");
  return { metadata: rest, spec: injected["spec"] };
}

function namespaceOf(object: JsonObject): string | undefined {
  const namespace = child(object, "metadata")["namespace"];
  return typeof namespace === "string" && namespace !== "" ? namespace : undefined;
}

function child(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : {};
}
