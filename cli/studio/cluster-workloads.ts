// The workloads of a cluster as pods to preview, read only: which a webhook sends, and how many of their pods run.

import { DEFAULT_REVISION, defined, type JsonObject, OutriggerError, objectOf, ownError } from "@outrigger/base";
import { findInstalled, type KubeClient, readNamespaces } from "@outrigger/cluster";
import { decodePod, systemNamespaces } from "@outrigger/injector";
import { metadataOf, type WorkloadKind, workloadKinds } from "@outrigger/pod";
import type { ClusterWorkload } from "@outrigger/studio";
import { explainSelection } from "@outrigger/webhook";
import { podOfWorkload } from "../manifests/workload-kinds.ts";
import type { StudioCluster } from "./studio-workspace.ts";

/** The workloads of a cluster, for the studio to preview. Lists namespaces, webhooks and workloads each time that it is read. */
export function studioCluster(kube: KubeClient): StudioCluster {
  return { name: kube.name, workloads: () => readWorkloads(kube) };
}

/** @throws OutriggerError `cluster-denied` where the workloads may not be listed */
async function readWorkloads(kube: KubeClient): Promise<readonly ClusterWorkload[]> {
  const [namespaces, sender] = await Promise.all([readNamespaces(kube), readSender(kube)]);
  const lists = await Promise.all(workloadKinds.map(async (kind) => ({ kind, list: await listAll(kube, kind) })));
  const refusals = lists.flatMap(({ list }) => (list instanceof OutriggerError ? [list] : []));
  if (refusals.length === lists.length && refusals[0] !== undefined) throw refusals[0];
  return lists.flatMap(({ kind, list }) =>
    list instanceof OutriggerError ? [] : list.flatMap((object) => previewOf(object, kind, namespaces, sender)),
  );
}

/** Empty for what Kubernetes runs itself, and for what a controller made: the controller's own template represents it. */
function previewOf(
  object: JsonObject,
  kind: WorkloadKind,
  namespaces: Awaited<ReturnType<typeof readNamespaces>>,
  { registered, parameters }: Awaited<ReturnType<typeof readSender>>,
): readonly ClusterWorkload[] {
  const { name, namespace, ownerReferences } = metadataOf(object);
  const made = podOfWorkload(object, kind);
  const isLeftOut = name === "" || systemNamespaces.has(namespace) || ownerReferences.length > 0;
  if (isLeftOut || made === undefined) return [];
  const pod = { metadata: made["metadata"] ?? {}, spec: objectOf(made["spec"]) };
  const owner = { name, namespace, kind: kind.kind, apiVersion: kind.api.replace(/^\/apis?\//, "") };
  const place = { name: namespace, labels: namespaces.get(namespace) ?? {} };
  const workload = {
    name: `${kind.kind} ${name}`,
    namespace,
    pods: runningPods(object, kind),
    isSent: isSent(registered, place, pod),
    pod,
    owner,
    parameters,
  };
  return [workload];
}

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
    return ownError(error, "cluster-kind-unknown", "cluster-denied");
  }
}

/** Webhooks of the cluster; without one, those that registering it would make. */
async function readSender(kube: KubeClient) {
  const installed = await findInstalled(kube).catch((error: unknown) => {
    // Those who may list workloads need not be allowed to see webhooks.
    ownError(error, "cluster-denied");
    return [];
  });
  const settings = installed.find((webhook) => webhook.settings !== undefined)?.settings;
  return {
    registered: installed.length === 0 ? DEFAULT_REVISION : installed.map(({ object }) => object),
    parameters: defined({ ISTIO_META_CLUSTER_ID: settings?.clusterId, ISTIO_META_NETWORK: settings?.network }),
  };
}

type Selected = Parameters<typeof explainSelection>;

function isSent(registered: Selected[0], namespace: Selected[1], pod: JsonObject): boolean {
  try {
    return explainSelection(registered, namespace, decodePod(pod, "encoded")).some((selection) => selection.isSent);
  } catch (error) {
    ownError(error);
    return false;
  }
}

/** The number of pods, as the workload's own status counts them. */
function runningPods({ status }: JsonObject, { kind }: WorkloadKind): number {
  const { phase, replicas, currentNumberScheduled, active } = objectOf(status);
  if (kind === "Pod") return phase === "Succeeded" || phase === "Failed" ? 0 : 1;
  const count = replicas ?? currentNumberScheduled ?? (Array.isArray(active) ? active.length : active);
  return typeof count === "number" ? count : 0;
}
