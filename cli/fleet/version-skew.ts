// `outrigger clusters` of a selection: which versions each cluster has and is served, and what is behind. Loaded only when it runs.
import { compareVersions, readVersion } from "@outrigger/cluster";
import type { ChannelRecord } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import { connectCluster } from "../connect/connect-cluster.ts";
import type { Deployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import type { RunningOptions } from "../options/cluster-options.ts";
import type { SelectionOptions } from "../options/selection-options.ts";
import { readChannels } from "../releases/read-records.ts";
import { servedSince } from "../releases/served-since.ts";
import { ageOf } from "../terminal/age-of.ts";
import type { Io } from "../terminal/io.ts";
import { openFleet } from "./open-fleet.ts";
import { printEach } from "./print-each.ts";
import type { SelectedCluster } from "./select-clusters.ts";

type SkewOptions = RunningOptions & SelectionOptions & { readonly json?: true };

/**
 * Prints what each cluster runs and is served. What is behind is said, and is no finding: a canary is ahead on purpose.
 *
 * @throws OutriggerError where a cluster could not be asked
 */
export async function printSkew(options: SkewOptions, io: Io): Promise<void> {
  const { clusters, deployment } = await openFleet(options, io);
  const [channels, theirs] = await Promise.all([readChannels(deployment, io), deployment.functionVersion()]);
  io.stderr.write(`${functionLine(theirs, io.version, deployment.target.stage)}\n`);
  const newest = newestOf(clusters);
  const ask = async ({ place, record }: SelectedCluster) => {
    const kubernetes = await kubernetesVersion(deployment, { ...options, ...place }, io);
    const served = record === undefined ? [] : servedReleases(record, channels);
    const behind = whatIsBehind({ kubernetes, newest: later(newest, kubernetes), record, served, channels });
    return {
      value: { functionVersion: theirs ?? null, commandVersion: io.version, kubernetes, served, behind },
      cells: [
        kubernetes,
        served.map(({ channel, release, since }) => `${channel} ${release} ${ageOf(since, Date.now())}`).join(", ") ||
          "-",
      ],
      said: behind.join("; ") || "nothing is behind",
    };
  };
  await printEach(clusters, { ...options, headings: ["KUBERNETES", "RELEASE"] }, ask, io);
}

/** The newest version of Kubernetes that a registration has; empty where none has one. */
export function newestOf(clusters: readonly Pick<SelectedCluster, "record">[]): string {
  return clusters.flatMap(({ record }) => record?.kubernetesVersion ?? []).reduce(later, "");
}

/** Says which versions meet, and how they become the same. */
export function functionLine(theirs: string | undefined, ours: string, stage: string): string {
  const command = `this command ${ours}`;
  if (theirs === undefined)
    return `The version of the functions of ${stage} is not known: they may not be asked; ${command}`;
  const order = compareVersions(theirs, ours);
  const remedy = order < 0 ? `: outrigger deploy --stage ${stage}` : order > 0 ? `: install outrigger ${theirs}` : "";
  return `The functions of ${stage} are ${theirs}, ${command}${remedy}`;
}

/** As EKS says it; of another cluster, as its API server does: `1.33`. */
async function kubernetesVersion(deployment: Deployment, options: SkewOptions, io: Io): Promise<string> {
  const { cluster } = options;
  const version =
    cluster === undefined
      ? await readVersion(await connectContext(options, io))
      : (await connectCluster(deployment, { ...options, cluster }, io)).description.kubernetesVersion;
  return minorOf(version);
}

/** `1.33` of `1.33.4-eks-1` */
export function minorOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

interface Served {
  readonly revision: string;
  readonly channel: string;
  readonly release: string;
  /** The time since when the channel serves it: ISO 8601, UTC. */
  readonly since: string;
}

/** The releases that a cluster is served, by the channels that there are. */
export function servedReleases({ revisions }: Pick<ClusterRecord, "revisions">, channels: Seen["channels"]) {
  return Object.entries(revisions).flatMap(([revision, channel]): Served[] => {
    const record = Object.hasOwn(channels, channel) ? channels[channel] : undefined;
    return record === undefined ? [] : [{ revision, channel, release: record.release, since: servedSince(record) }];
  });
}

interface Seen {
  readonly kubernetes: string;
  /** The newest version of Kubernetes among the clusters. */
  readonly newest: string;
  readonly record: Pick<ClusterRecord, "kubernetesVersion"> | undefined;
  readonly served: readonly Served[];
  readonly channels: Readonly<Record<string, Pick<ChannelRecord, "release" | "history">>>;
}

/** What of a cluster is behind another one, a sentence each. */
export function whatIsBehind({ kubernetes, newest, record, served, channels }: Seen): readonly string[] {
  const registered = record?.kubernetesVersion;
  const names = Object.keys(channels);
  return [
    registered !== undefined && registered !== kubernetes
      ? `its registration says Kubernetes ${registered}: run outrigger register again`
      : [],
    compareVersions(kubernetes, newest) < 0 ? `Kubernetes ${kubernetes}, while others have ${newest}` : [],
    ...served.map(({ channel, release, since }) => {
      const ahead = names.filter((name) => {
        const other = channels[name] as Seen["channels"][string];
        return other.release !== release && servedSince(other) > since;
      });
      return ahead.length === 0 ? [] : `${channel} serves an older release than ${ahead.sort().join(" and ")}`;
    }),
  ].flat();
}

function later(one: string, other: string): string {
  return compareVersions(one, other) < 0 ? other : one;
}
