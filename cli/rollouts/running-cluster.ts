// From a command's options to the pods of a registered cluster, and what decides about new ones. Loaded only when a command runs.
import { type JsonObject, jsonEqual, limitCaches, OutriggerError } from "@outrigger/base";
import { findInstalled, type KubeClient, readNamespaces, recordOf } from "@outrigger/cluster";
import { type Injector, loadRelease } from "@outrigger/injector";
import { readRelease } from "@outrigger/publisher";
import { type JudgePorts, READER_CACHES, servedElsewhere, servedNow } from "@outrigger/rollouts";
import { readSnapshot, type Snapshot } from "@outrigger/serving";
import { connectCluster } from "../connect/connect-cluster.ts";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import type { ClusterOptions } from "../options/cluster-options.ts";
import type { KubeconfigOptions } from "../options/kubeconfig-options.ts";
import { readClusters } from "../releases/read-records.ts";
import type { Io } from "../terminal/io.ts";

export interface RunningOptions extends Omit<ClusterOptions, "cluster">, KubeconfigOptions {
  readonly cluster?: string;
}

export interface RunningCluster extends JudgePorts {
  /** Its registered name. */
  readonly name: string;
  readonly kube: KubeClient;
  readonly deployment: Deployment;
  /** Whether its channels still serve what pods are judged by. */
  readonly isStillServed: () => Promise<boolean>;
}

/** The cluster by its name in EKS, or by a context of a kubeconfig: the token of its webhooks says which registration it is. */
export async function openRunning(options: RunningOptions, io: Io): Promise<RunningCluster> {
  const deployment = await openDeployment(options, io);
  const kube = await connect(deployment, options, io);
  return judgeCluster(deployment, kube, options.as ?? options.cluster, io);
}

/**
 * The pods of a cluster that was reached, and what decides about new ones.
 *
 * @param wanted the name that its registration must have; left out, it may have any
 */
export async function judgeCluster(
  deployment: Deployment,
  kube: KubeClient,
  wanted: string | undefined,
  io: Io,
): Promise<RunningCluster> {
  limitCaches(READER_CACHES);
  const [webhooks, namespaces, records] = await Promise.all([
    findInstalled(kube),
    readNamespaces(kube),
    readClusters(deployment, io),
  ]);
  const { stage } = deployment.target;
  const installed = webhooks.filter((webhook) => webhook.deployment === stage);
  const found = recordOf(installed, records);
  if (found === undefined || (wanted !== undefined && found.name !== wanted)) {
    throw new OutriggerError("cluster-unknown", unregistered(kube.name, found?.name, stage), {
      path: wanted ?? kube.name,
    });
  }
  const { name, record } = found;
  const { snapshot, head } = await readServedSnapshot(deployment);
  const servedFor = servedNow({ name, record, installed, namespaces, snapshot });
  const elsewhere = servedElsewhere(webhooks, stage, namespaces);
  return {
    name,
    kube,
    deployment,
    servedFor,
    servedElsewhere: elsewhere,
    releaseOf: earlierReleases(deployment, snapshot),
    isStillServed: async () => {
      const now = await readSnapshot(deployment.store, deployment.target.layout, head);
      if (now.kind !== "snapshot") return true;
      return jsonEqual(servedBy(now.snapshot), servedBy(snapshot));
    },
  };
}

function servedBy({ channels, shares = {} }: Snapshot): JsonObject {
  return { channels, shares } as JsonObject;
}

async function connect(deployment: Deployment, options: RunningOptions, io: Io): Promise<KubeClient> {
  const { cluster, context, kubeconfig } = options;
  const isByName = cluster !== undefined && context === undefined && kubeconfig === undefined;
  if (!isByName) return (await connectContext(options, io)).kube;
  return (await connectCluster(deployment, { ...options, cluster })).kube;
}

function unregistered(cluster: string, found: string | undefined, stage: string): string {
  return found === undefined
    ? `Cannot judge the pods of ${cluster}: no webhook of the deployment "${stage}" is registered in it; register it (outrigger register), or name another --deployment`
    : `Cannot go on: this cluster is registered as ${found}; name that one with --cluster, or another --context`;
}

async function readServedSnapshot({ store, target }: Deployment) {
  const reading = await readSnapshot(store, target.layout, undefined);
  if (reading.kind === "snapshot") return reading;
  throw new OutriggerError(
    "store-corrupt",
    `Cannot judge pods: the deployment "${target.stage}" serves nothing; publish first (outrigger publish)`,
  );
}

/** Releases that are served no more, as long as they are kept. */
function earlierReleases({ store, target }: Deployment, { releases }: Snapshot): JudgePorts["releaseOf"] {
  const known = new Map<string, Promise<Injector | undefined>>();
  return (digest) => {
    const reading =
      known.get(digest) ??
      (async () => {
        const own = Object.hasOwn(releases, digest) ? releases[digest] : undefined;
        return loadRelease(own ?? (await readRelease(store, target.layout, digest)).release);
      })().catch((error: unknown) => {
        if (error instanceof OutriggerError) return undefined;
        throw error;
      });
    known.set(digest, reading);
    return reading;
  };
}
