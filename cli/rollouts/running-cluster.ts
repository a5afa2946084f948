// From a command's options to the pods of a registered cluster, and what decides about new ones. Loaded only when a command runs.
import {
  defined,
  entryOf,
  type JsonObject,
  jsonEqual,
  OutriggerError,
  once,
  ownError,
  sharedMemory,
} from "@outrigger/base";
import { findInstalled, type KubeClient, readNamespaces, recordOf } from "@outrigger/cluster";
import { decide, type Injector, loadRelease, type Release } from "@outrigger/injector";
import { type ChannelRecord, readRelease } from "@outrigger/publisher";
import type { JudgePorts } from "@outrigger/rollouts";
import { measurePods, podSignals, READER_CACHES, readJournal, servedElsewhere, servedNow } from "@outrigger/rollouts";
import { readSnapshot, type Snapshot } from "@outrigger/serving";
import { connectCluster } from "../connect/connect-cluster.ts";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import { namesContext, type RunningOptions } from "../options/cluster-options.ts";
import { readClusters } from "../releases/read-records.ts";
import type { Io } from "../terminal/io.ts";

export interface RunningCluster extends JudgePorts {
  /** The cluster's registered name. */
  readonly name: string;
  readonly kube: KubeClient;
  readonly deployment: Deployment;
  /** A release that is served. */
  readonly servedRelease: (digest: string) => Release | undefined;
  /** Whether its channels still serve what pods are judged by. */
  readonly isStillServed: () => Promise<boolean>;
  /** The reason why its pods cannot be compared with new ones: it is not registered, or nothing is served. */
  readonly unjudged?: OutriggerError;
  /** The same cluster as it would be judged if a channel served this release to all. */
  readonly ifServed: (channel: string, release: string) => Promise<RunningCluster>;
}

/** What a deployment serves: read once, for as many clusters as are asked. */
export interface Serving {
  readonly deployment: Deployment;
  readonly read: () => Promise<{
    readonly records: Awaited<ReturnType<typeof readClusters>>;
    readonly reading: Awaited<ReturnType<typeof readSnapshot>>;
  }>;
}

export function servingOf(deployment: Deployment, io: Io): Serving {
  const read = once(async () => {
    const { store, target } = deployment;
    const [records, reading] = await Promise.all([
      readClusters(deployment, io),
      readSnapshot(store, target.layout, undefined),
    ]);
    return { records, reading };
  });
  return { deployment, read };
}

/** The cluster by its name in EKS, or by a context of a kubeconfig: the token of its webhooks says which registration it is. */
export async function openRunning(options: RunningOptions, io: Io, serving?: Serving): Promise<RunningCluster> {
  const cluster = await openUnjudged(options, io, serving);
  if (cluster.unjudged !== undefined) throw cluster.unjudged;
  return cluster;
}

/** Opens a cluster as {@link openRunning} does, also where pods can only be asked whether they have a sidecar. */
export async function openUnjudged(options: RunningOptions, io: Io, known?: Serving): Promise<RunningCluster> {
  const serving = known ?? servingOf(await openDeployment(options, io), io);
  const kube = await connect(serving.deployment, options, io);
  return judgeCluster(serving, kube, options.as ?? options.cluster);
}

/**
 * The pods of a cluster that was reached, and what decides about new ones.
 *
 * @param wanted the name that its registration must have; left out, it may have any
 */
export async function judgeCluster(
  { deployment, read }: Serving,
  kube: KubeClient,
  wanted: string | undefined,
): Promise<RunningCluster> {
  sharedMemory.limit(READER_CACHES);
  const [webhooks, namespaces, { records, reading }] = await Promise.all([
    findInstalled(kube),
    readNamespaces(kube),
    read(),
  ]);
  const { store } = deployment;
  const { stage, layout } = deployment.target;
  const installed = webhooks.filter((webhook) => webhook.deployment === stage);
  const found = recordOf(installed, records);
  if (found !== undefined && wanted !== undefined && found.name !== wanted) {
    const message = `Cannot continue: this cluster is registered as ${found.name}; name that one with --cluster, or another --context`;
    throw new OutriggerError("cluster-unknown", message, { path: wanted });
  }
  const name = found?.name ?? wanted ?? kube.name;
  const record = found?.record ?? records[name];
  const snapshot = reading.kind === "snapshot" ? reading.snapshot : NOTHING_SERVED;
  const judgedBy = (served: Served): RunningCluster => ({
    name,
    kube,
    deployment,
    servedFor: found === undefined ? () => [] : servedNow({ ...found, installed, namespaces, snapshot: served }),
    servedElsewhere: servedElsewhere(webhooks, stage, namespaces),
    sidecars: {
      namespaces,
      installed: webhooks,
      decideFor: (revision, pod, namespace) => {
        const release = entryOf(served.releases, served.channels[record?.revisions[revision] ?? ""] ?? "");
        return release && decide(release.config, pod, namespace);
      },
    },
    releaseOf: earlierReleases(deployment, served),
    servedRelease: (digest) => entryOf(served.releases, digest),
    isStillServed: async () => {
      if (reading.kind !== "snapshot") return true;
      const now = await readSnapshot(deployment.store, layout, reading.head);
      return now.kind !== "snapshot" || jsonEqual(servedBy(now.snapshot), servedBy(snapshot));
    },
    ifServed: async (channel, digest) => {
      const release = entryOf(served.releases, digest) ?? (await readRelease({ store, layout }, digest)).release;
      const { [channel]: _, ...shares } = served.shares ?? {};
      const channels = { ...served.channels, [channel]: digest };
      return judgedBy({ channels, shares, releases: { ...served.releases, [digest]: release } });
    },
    ...defined({ unjudged: whyUnjudged(found !== undefined, reading.kind === "snapshot", kube.name, stage) }),
  });
  return judgedBy(snapshot);
}

const NOTHING_SERVED: Served = { channels: {}, releases: {} };

function whyUnjudged(isRegistered: boolean, isServed: boolean, cluster: string, stage: string) {
  if (!isRegistered) {
    const message = `Cannot judge the pods of ${cluster}: no webhook of the deployment "${stage}" is registered in it; register it (outrigger register), or name another --deployment`;
    return new OutriggerError("cluster-unknown", message, { path: cluster });
  }
  if (isServed) return undefined;
  return new OutriggerError(
    "store-corrupt",
    `Cannot judge pods: the deployment "${stage}" serves nothing; publish first (outrigger publish)`,
  );
}

type Served = Pick<Snapshot, "channels" | "shares" | "releases">;

function servedBy({ channels, shares = {} }: Served): JsonObject {
  return { channels, shares } as JsonObject;
}

async function connect(deployment: Deployment, options: RunningOptions, io: Io): Promise<KubeClient> {
  const { cluster } = options;
  if (cluster === undefined || namesContext(options)) return connectContext(options, io);
  return (await connectCluster(deployment, { ...options, cluster }, io)).kube;
}

/** The evidence of the pods of a channel's share, restarted or not; without a share, its pods are only counted. */
export async function podEvidence(
  { kube, ...ports }: RunningCluster,
  channel: string,
  { release, share, rollout }: ChannelRecord,
  since: number,
) {
  const measured = await measurePods(kube, ports, { channel, release: share?.release ?? release, since }, Date.now());
  const journal = share === undefined || rollout?.restart !== true ? undefined : await readJournal(kube);
  const isOfShare = journal?.question.share?.since === rollout?.since;
  return {
    pods: measured.releases,
    signals: share === undefined ? [] : podSignals(measured, isOfShare ? journal : undefined),
    ...(isOfShare && journal?.state === "done" && { restarted: Date.parse(journal.ended ?? "") }),
  };
}

/** Releases that are served no more, as long as they are kept. */
function earlierReleases({ store, target }: Deployment, { releases }: Served): JudgePorts["releaseOf"] {
  const known = new Map<string, Promise<Injector | undefined>>();
  return (digest) => {
    const reading =
      known.get(digest) ??
      (async () => {
        const own = entryOf(releases, digest);
        return loadRelease(own ?? (await readRelease({ store, layout: target.layout }, digest)).release);
      })().catch((error: unknown) => {
        ownError(error);
        return undefined;
      });
    known.set(digest, reading);
    return reading;
  };
}
