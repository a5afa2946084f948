// How the pods of a share do, and all others: workload by workload, a few numbers of each. Reads only.
import { type JsonObject, objectOf } from "@outrigger/base";
import { type KubeClient, readCreationFailures, runningPods } from "@outrigger/cluster";
import { readStatus, workloadOf } from "@outrigger/injector";
import { metadataOf, oncePerReplicas, type Pod } from "@outrigger/pod";
import { isInjected } from "@outrigger/webhook";
import type { ServedFor } from "../compare/served-now.ts";
import { conditionOf, containerStatuses, isReady as isPodReady, restartCount, UNPULLED } from "../pod-status.ts";
import { nameOf, namesOfOwner } from "../restart/workload.ts";

/** The troubles that a pod may suffer, in the words in which they are counted. */
export const TROUBLES = ["restarted", "killed for memory", "without an image", "not ready", "rejected"] as const;

export type Trouble = (typeof TROUBLES)[number];

/** A workload with a sidecar: how its pods do, those of the share's release alone where it has such. */
export type WorkloadHealth = ReturnType<typeof healthOf>;

/** Workloads, and how many of them suffered what: `slow` is one whose pods took longer to become ready than `limit` seconds. */
export interface Tally {
  readonly workloads: number;
  readonly troubles: Readonly<Partial<Record<Trouble | "slow", number>>>;
  readonly limit: number;
}

/** The figures of a cluster's pods, for a share. */
export type MeasuredPods = Awaited<ReturnType<typeof measurePods>>;
type ReleaseHealth = Readonly<Record<"pods" | "ready" | "restarting", number>>;

/**
 * Reads all pods, for a share of a channel. What is kept is a few numbers of each workload, and of the pods that each release made since
 * the share began: `restarting` are those with a container that was restarted.
 *
 * @param share with the time since when it is served, in milliseconds since 1970
 */
export async function measurePods(
  kube: KubeClient,
  { servedFor }: { readonly servedFor: ServedFor },
  share: { readonly channel: string; readonly release: string; readonly since: number },
  now: number,
) {
  const workloads = new Map<string, Counted>();
  const releases = new Map<string, ReleaseHealth>();
  const hasSidecar = oncePerReplicas((pod) => isInjected(pod as Pod));
  for await (const listed of runningPods(kube)) {
    const pod = { metadata: listed.metadata, status: listed.status } as Pod & JsonObject;
    if (!hasSidecar(listed)) continue;
    const [served] = servedFor(pod);
    const born = Date.parse(metadataOf(pod).creationTimestamp);
    const isSince = born >= share.since;
    // A record that names no release: what its workload was served since.
    const release = readStatus(pod)?.madeBy?.release ?? (isSince ? served?.release : undefined);
    const isOfChannel = served?.channel === share.channel;
    const isMade = release === share.release;
    // Another channel may serve the same release.
    if (isMade && !isOfChannel) continue;
    const name = nameOf(workloadOf(pod));
    const known = workloads.get(name) ?? { name, isGained: false, made: nothing(), rest: nothing() };
    workloads.set(name, known);
    if (isOfChannel && served?.release === share.release) known.isGained = true;
    const { troubles, isReady, seconds } = podHealth(pod, born, now);
    const side = isMade ? known.made : known.rest;
    side.pods += 1;
    for (const trouble of troubles) side.troubles.add(trouble);
    if (seconds !== undefined) side.seconds.push(seconds);
    if (release === undefined || !isSince) continue;
    const { pods, ready, restarting } = releases.get(release) ?? { pods: 0, ready: 0, restarting: 0 };
    const isRestarting = troubles.has("restarted");
    const is = { pods: pods + 1, ready: ready + (isReady ? 1 : 0), restarting: restarting + (isRestarting ? 1 : 0) };
    releases.set(release, is);
  }
  for (const { namespace, owner, at } of await readCreationFailures(kube)) {
    if (at < share.since) continue;
    const found = namesOfOwner(namespace, owner).flatMap((name) => workloads.get(name) ?? [])[0];
    for (const side of [found?.made, found?.rest]) side?.troubles.add("rejected");
  }
  return { workloads: [...workloads.values()].map(healthOf), releases: Object.fromEntries(releases) };
}

interface Side {
  pods: number;
  readonly troubles: Set<Trouble>;
  readonly seconds: number[];
}

interface Counted {
  readonly name: string;
  isGained: boolean;
  /** The workload's pods of the share's release, and its other pods. */
  readonly made: Side;
  readonly rest: Side;
}

function nothing(): Side {
  return { pods: 0, troubles: new Set(), seconds: [] };
}

function healthOf({ name, isGained, made, rest }: Counted) {
  // `share`: it has pods of the release. `gained`: its new pods get it. `others`: the release is not for it.
  const place = made.pods > 0 ? "share" : isGained ? "gained" : "others";
  const side = place === "share" ? made : rest;
  // How long its pods took to become ready, the median; undefined while none is.
  const seconds = side.seconds.toSorted((a, b) => a - b)[Math.floor(side.seconds.length / 2)];
  const troubles: ReadonlySet<Trouble> = side.troubles;
  return { name, place, troubles, seconds } as const;
}

/** The milliseconds after which a pod that is not ready yet counts as a trouble. */
const LATE = 300_000;

/** The health of a pod over its life: a pod that has just begun is compared with how others began. */
function podHealth(pod: JsonObject, born: number, now: number) {
  const troubles = new Set<Trouble>();
  for (const container of containerStatuses(pod)) {
    const { reason } = objectOf(objectOf(container["lastState"])["terminated"]);
    const { reason: waiting } = objectOf(objectOf(container["state"])["waiting"]);
    const hasEnded = restartCount(container) > 0;
    if (hasEnded) troubles.add("restarted");
    if (hasEnded && reason === "OOMKilled") troubles.add("killed for memory");
    if (waiting === "ErrImagePull" || UNPULLED.has(String(waiting))) troubles.add("without an image");
  }
  const isReady = isPodReady(pod);
  if (!isReady && now - born > LATE) troubles.add("not ready");
  const seconds = (Date.parse(String(conditionOf(pod, "Ready")?.["lastTransitionTime"])) - born) / 1000;
  return { troubles, isReady, seconds: isReady && Number.isFinite(seconds) ? seconds : undefined };
}
