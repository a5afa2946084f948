// What one release in place of another does to the workloads of clusters: their pods are read in pages, each form of a pod is injected
// once by either release, and workloads that change in the same way are counted together. What is kept does not grow with the pods.
import { compareTexts, jsonEqual } from "@outrigger/base";
import type { RunningQuestion } from "@outrigger/cluster";
import { workloadOf } from "@outrigger/injector";
import { metadataOf, oncePerReplicas, type Pod } from "@outrigger/pod";
import { type AskedCluster, type FleetReport, fleetPods, workloadKey } from "../fleet-pods.ts";
import { withoutNames } from "./group-key.ts";
import { type ComparedReleases, POD_EFFECTS, type PodEffect, podEffect } from "./pod-effect.ts";

/** A workload with pods whose next ones differ. */
interface AffectedWorkload {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  pods: number;
}

/** Workloads whose next pods differ in the same way. */
export interface EffectGroup extends PodEffect {
  readonly pods: number;
  /** Those with the most pods first. */
  readonly workloads: readonly Readonly<AffectedWorkload>[];
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
  const found = new Map<string, Found>();
  const counts: ClusterCount[] = [];
  for (const cluster of clusters) counts.push(await countCluster(cluster, releases, question, found, report));
  const groups: readonly EffectGroup[] = [...found.values()].map(groupOf).toSorted(byGravity);
  const workloads = new Set(groups.flatMap((group) => group.workloads.map(keyOf)));
  return {
    clusters: counts.map(({ channels, ...count }) => ({ ...count, channels: [...channels].sort() })),
    pods: groups.reduce((sum, group) => sum + group.pods, 0),
    /** How many workloads have a pod whose next one differs. One may be in several groups. */
    workloads: workloads.size,
    groups,
  };
}

/** A group while its pods are counted. */
interface Found {
  /** The effect on the first workload, as it is. */
  readonly first: PodEffect;
  /** The effect without the names of a workload. */
  readonly general: PodEffect;
  isGeneral: boolean;
  readonly workloads: Map<string, AffectedWorkload>;
}

async function countCluster(
  cluster: AskedCluster,
  releases: ComparedReleases,
  question: RunningQuestion,
  found: Map<string, Found>,
  report: FleetReport,
): Promise<ClusterCount> {
  const { name, servedFor, releaseOf } = cluster;
  const count: ClusterCount = { cluster: name, pods: 0, served: 0, channels: new Set() };
  const look = oncePerReplicas(async (pod) => {
    const [served] = servedFor(pod as Pod);
    if (served === undefined) return undefined;
    count.channels.add(served.channel);
    if (releases.channel !== undefined && served.channel !== releases.channel) return undefined;
    const effect = await podEffect(pod, releases, served, releaseOf);
    return { group: effect && groupFor(effect, pod as Pod, found) };
  });
  for await (const pod of fleetPods(cluster, question, count, report)) {
    const asked = await look(pod);
    if (asked === undefined) continue;
    count.served += 1;
    if (asked.group === undefined) continue;
    const { namespace, kind, name: workload } = workloadOf(pod as Pod);
    const affected = { cluster: name, namespace, kind, name: workload, pods: 0 };
    const key = keyOf(affected);
    const known = asked.group.workloads.get(key) ?? affected;
    known.pods += 1;
    asked.group.workloads.set(key, known);
  }
  return count;
}

/** The group of an effect, which is made for the first of its workloads. */
function groupFor(effect: PodEffect, pod: Pod, found: Map<string, Found>): Found {
  const { name, namespace, ownerReferences } = metadataOf(pod);
  const controller = ownerReferences.find((owner) => owner.controller)?.name ?? "";
  const general = withoutNames(effect, { pod: name, controller, workload: workloadOf(pod).name, namespace });
  const key = JSON.stringify([general.effect, general.containers, general.why, general.changes]);
  const known = found.get(key) ?? { first: effect, general, isGeneral: false, workloads: new Map() };
  if (!known.isGeneral && !jsonEqual(known.first, effect)) known.isGeneral = true;
  found.set(key, known);
  return known;
}

function groupOf({ first, general, isGeneral, workloads }: Found): EffectGroup {
  const listed = [...workloads.values()].toSorted((a, b) => b.pods - a.pods || compareTexts(keyOf(a), keyOf(b)));
  return { ...(isGeneral ? general : first), pods: listed.reduce((sum, { pods }) => sum + pods, 0), workloads: listed };
}

function byGravity(a: EffectGroup, b: EffectGroup): number {
  return (
    POD_EFFECTS.indexOf(a.effect) - POD_EFFECTS.indexOf(b.effect) ||
    b.pods - a.pods ||
    compareTexts(JSON.stringify(a.changes), JSON.stringify(b.changes))
  );
}

function keyOf(workload: AffectedWorkload): string {
  return workloadKey(workload.cluster, workload);
}
