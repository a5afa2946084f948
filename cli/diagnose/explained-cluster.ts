// A cluster whose pods are explained: its webhooks, what their calls carry, and the release that serves them.
import { DEFAULT_REVISION, defined, ownError } from "@outrigger/base";
import { findInstalled, recordOf } from "@outrigger/cluster";
import type { InjectRequest } from "@outrigger/injector";
import { explainSelection } from "@outrigger/webhook";
import { openDeployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import type { KubeconfigOptions } from "../options/cluster-options.ts";
import type { ReleaseOptions } from "../options/release-options.ts";
import { readClusters } from "../releases/read-records.ts";
import { readServed } from "../releases/read-served.ts";
import type { Io } from "../terminal/io.ts";
import { readNamespaceLabels } from "./explain-cluster.ts";

export type ExplainedCluster = Awaited<ReturnType<typeof connectToExplain>>;

/** The cluster, with the webhooks of every deployment that is registered in it. */
export async function connectToExplain(options: KubeconfigOptions, io: Io) {
  const kube = await connectContext(options, io);
  const installed = await findInstalled(kube);
  return { kube, installed, revisions: installed.map(({ tag, revision }) => tag ?? revision) };
}

/** Returns the parameters of the webhooks' URL, as they come with every call of the cluster. */
export function parametersOf(cluster: Pick<ExplainedCluster, "installed"> | undefined): InjectRequest["parameters"] {
  const settings = cluster?.installed.find((webhook) => webhook.settings !== undefined)?.settings;
  return defined({ ISTIO_META_CLUSTER_ID: settings?.clusterId, ISTIO_META_NETWORK: settings?.network });
}

/** The release options as they were given, or those of the registration that the cluster's webhooks belong to. */
export async function servedOptions<Options extends ReleaseOptions>(
  options: Options,
  cluster: ExplainedCluster | undefined,
  request: InjectRequest | undefined,
  io: Io,
): Promise<Options> {
  const isNamed = [options.dir, options.from, options.cluster].some((option) => option !== undefined);
  if (cluster === undefined || isNamed) return options;
  const revision = options.revision ?? (request && (await sendingRevision(cluster, request)));
  try {
    const deployment = await openDeployment(options, io);
    const found = recordOf(cluster.installed, await readClusters(deployment, io));
    if (found !== undefined) return { ...options, cluster: found.name, ...defined({ revision }) };
    // A cluster that is registered without another channel gets this one.
    const from = (await readServed(deployment))("stable") === undefined ? undefined : "stable";
    const what = from === undefined ? "the shipped release" : `what channel ${from} serves`;
    io.stderr.write(`Warning: the deployment has no record of this cluster; its pods are explained with ${what}\n`);
    return { ...options, ...defined({ from }) };
  } catch (error) {
    io.stderr.write(`Warning: explained with the shipped release: ${ownError(error).message}\n`);
  }
  return options;
}

/** The revision that serves the pod: that of the webhook that sends it, or one that the cluster has. */
async function sendingRevision(
  { kube, installed }: ExplainedCluster,
  { pod, namespace: given }: InjectRequest,
): Promise<string | undefined> {
  const name = pod.metadata?.namespace || given || "default";
  const namespace = { name, labels: await readNamespaceLabels(kube, name) };
  const sender = installed.find(({ object }) =>
    explainSelection([object], namespace, pod).some(({ isSent }) => isSent),
  );
  return (sender ?? installed.find(({ revision }) => revision === DEFAULT_REVISION) ?? installed[0])?.revision;
}
