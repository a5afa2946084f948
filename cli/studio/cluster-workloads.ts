// The workloads of a cluster as pods to preview, read only: which a webhook sends, and how many of their pods run.

import { DEFAULT_REVISION, defined, type ErrorCode, type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { findInstalled, type KubeClient, readNamespaces } from "@outrigger/cluster";
import { decodePod } from "@outrigger/injector";
import { metadataOf, type WorkloadKind, workloadKinds } from "@outrigger/pod";
import type { ClusterWorkload } from "@outrigger/studio";
import { explainSelection } from "@outrigger/webhook";
import { podOfWorkload } from "../manifests/workload-kinds.ts";
import type { StudioCluster } from "./studio-workspace.ts";

/** Kubernetes' own; injection skips them. */
const SYSTEM: readonly unknown[] = ["kube-system", "kube-public", "kube-node-lease"];

/** The workloads of a cluster, for the studio to preview. Lists namespaces, webhooks and workloads each time that it is read. */
export function studioCluster(kube: KubeClient): StudioCluster {
  return { name: kube.name, workloads: () => readWorkloads(kube) };
}

/** @throws OutriggerError `cluster-denied` where the workloads may not be listed */
async function readWorkloads(kube: KubeClient): Promise<readonly ClusterWorkload[]> {
  const [namespaces, sender] = await Promise.all([readNamespaces(kube), readSender(kube)]);
  const lists = await Promise.all(workloadKinds.map((kind) => listAll(kube, kind)));
  const refusals = lists.filter((list) => list instanceof OutriggerError);
  if (refusals.length === lists.length && refusals[0] !== undefined) throw refusals[0];
  return workloadKinds.flatMap((kind, at) => {
    const list = lists[at];
    if (list === undefined || list instanceof OutriggerError) return [];
    return list.flatMap((object) => workloadOf(object, kind, namespaces, sender));
  });
}

/** Empty for what Kubernetes runs itself, and for what a controller made: the controller's own template represents it. */
function workloadOf(
  object: JsonObject,
  kind: WorkloadKind,
  namespaces: Awaited<ReturnType<typeof readNamespaces>>,
  { registered, parameters }: Sender,
): readonly ClusterWorkload[] {
  const { name, namespace, ownerReferences } = metadataOf(object);
  const pod = podOfWorkload(object, kind);
  if (name === "" || pod === undefined || SYSTEM.includes(namespace)) return [];
  if (ownerReferences.length > 0) return [];
  const workload = {
    name: `${kind.kind} ${name}`,
    namespace,
    pods: runningPods(object, kind),
    isSent: isSent(registered, { name: namespace, labels: namespaces.get(namespace) ?? {} }, pod),
    pod: { metadata: pod["metadata"] ?? {}, spec: pod["spec"] ?? {} },
    owner: { name, namespace, kind: kind.kind, apiVersion: kind.api.replace(/^\/apis?\//, "") },
    parameters,
  };
  return [workload];
}

/** Codes of a kind that the cluster does not have, or that may not be listed. */
const MISSING: readonly ErrorCode[] = ["cluster-kind-unknown", "cluster-denied"];

/** Every object of a kind; an error for a kind that the cluster does not have, or that may not be listed. */
async function listAll(
  kube: KubeClient,
  { api, plural }: WorkloadKind,
): Promise<readonly JsonObject[] | OutriggerError> {
  const objects: JsonObject[] = [];
  try {
    for await (const object of kube.list(`${api}/${plural}`)) objects.push(object);
    return objects;
  } catch (error) {
    if (error instanceof OutriggerError && MISSING.includes(error.code)) return error;
    throw error;
  }
}

interface Sender {
  /** Its webhook configurations, or the revision that would be registered. */
  readonly registered: Parameters<typeof explainSelection>[0];
  readonly parameters: ClusterWorkload["parameters"];
}

/** Webhooks of the cluster; without one, those that registering it would make. */
async function readSender(kube: KubeClient): Promise<Sender> {
  const usual = { registered: DEFAULT_REVISION, parameters: {} };
  try {
    const installed = await findInstalled(kube);
    if (installed.length === 0) return usual;
    const settings = installed.find((webhook) => webhook.settings !== undefined)?.settings;
    return {
      registered: installed.map(({ object }) => object),
      parameters: defined({ ISTIO_META_CLUSTER_ID: settings?.clusterId, ISTIO_META_NETWORK: settings?.network }),
    };
  } catch (error) {
    // Those who may list workloads need not be allowed to see webhooks.
    if (error instanceof OutriggerError && error.code === "cluster-denied") return usual;
    throw error;
  }
}

function isSent(
  registered: Sender["registered"],
  namespace: Parameters<typeof explainSelection>[1],
  { metadata, spec }: JsonObject,
): boolean {
  try {
    const pod = decodePod({ metadata: metadata ?? {}, spec: spec ?? {} }, "encoded");
    return explainSelection(registered, namespace, pod).some((selection) => selection.isSent);
  } catch (error) {
    if (error instanceof OutriggerError) return false;
    throw error;
  }
}

/** As the workload's own status counts them. */
function runningPods({ status }: JsonObject, { kind }: WorkloadKind): number {
  const { phase, replicas, currentNumberScheduled, active } = objectOf(status);
  if (kind === "Pod") return phase === "Succeeded" || phase === "Failed" ? 0 : 1;
  const count = replicas ?? currentNumberScheduled ?? (Array.isArray(active) ? active.length : active);
  return typeof count === "number" ? count : 0;
}
