// What one release in place of another does to the workloads of clusters: their pods are read in pages, each form of a pod is injected
// once by either release, and workloads that change in the same way are counted together. What is kept does not grow with the pods.
import type { RunningQuestion } from "@outrigger/cluster";
import {
  type EffectGroup as EffectGroupOf,
  effectGroups,
  type Injector,
  podEffect,
  workloadOf,
} from "@outrigger/injector";
import { oncePerReplicas, type Pod } from "@outrigger/pod";
import { authorOf, requestFor } from "../compare/sent-pod.ts";
import { type AskedCluster, type FleetReport, fleetPods, workloadKey } from "../fleet-pods.ts";

/** A workload with pods whose next ones differ. */
interface AffectedWorkload {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  pods: number;
}

/** Workloads whose next pods differ in the same way. */
export type EffectGroup = EffectGroupOf<AffectedWorkload>;

/** The two releases that are compared. */
interface ComparedReleases {
  readonly before: Injector;
  readonly after: Injector;
  /** Only pods that this channel serves are asked about. Left out, all that the deployment serves. */
  readonly channel?: string;
}

interface ClusterCount {
  readonly cluster: string;
  /** The pods that run. */
  pods: number;
  /** Those of them whose next pod the webhook is asked about, by one of the channels in question. */
  served: number;
  /** The channels that serve pods of it, whichever is asked about. */
  readonly channels: Set<string>;
}

/** The answer to which workloads an edit changes. */
export type FleetEffect = Awaited<ReturnType<typeof fleetEffect>>;

/** Reads the pods of clusters, one cluster after the other, and compares the next pods. */
export async function fleetEffect(
  clusters: readonly AskedCluster[],
  releases: ComparedReleases,
  question: RunningQuestion = {},
  report: FleetReport = () => {},
) {
  const found = effectGroups<AffectedWorkload>();
  const counts: ClusterCount[] = [];
  for (const cluster of clusters) counts.push(await countCluster(cluster, releases, question, found, report));
  const groups = found.groups();
  const workloads = new Set(groups.flatMap((group) => group.workloads.map((one) => workloadKey(one.cluster, one))));
  return {
    clusters: counts.map(({ channels, ...count }) => ({ ...count, channels: [...channels].sort() })),
    pods: groups.reduce((sum, group) => sum + group.pods, 0),
    /** How many workloads have a pod whose next one differs. One may be in several groups. */
    workloads: workloads.size,
    groups,
  };
}

async function countCluster(
  cluster: AskedCluster,
  { before, after, channel }: ComparedReleases,
  question: RunningQuestion,
  found: ReturnType<typeof effectGroups<AffectedWorkload>>,
  report: FleetReport,
): Promise<ClusterCount> {
  const { name, servedFor, releaseOf } = cluster;
  const count: ClusterCount = { cluster: name, pods: 0, served: 0, channels: new Set() };
  const look = oncePerReplicas(async (object) => {
    const [served] = servedFor(object as Pod);
    if (served === undefined) return undefined;
    count.channels.add(served.channel);
    if (channel !== undefined && served.channel !== channel) return undefined;
    const author = await authorOf(object, before, releaseOf);
    // The name of the release is in the record alone.
    const effect = podEffect(requestFor(author, { ...served, release: "" }), before, after);
    return { members: effect && found.membersOf(effect, object as Pod) };
  });
  for await (const pod of fleetPods(cluster, question, count, report)) {
    const asked = await look(pod);
    if (asked === undefined) continue;
    count.served += 1;
    if (asked.members === undefined) continue;
    const { namespace, kind, name: workload } = workloadOf(pod as Pod);
    const affected = { cluster: name, namespace, kind, name: workload, pods: 0 };
    const key = workloadKey(name, affected);
    const known = asked.members.get(key) ?? affected;
    known.pods += 1;
    asked.members.set(key, known);
  }
  return count;
}
