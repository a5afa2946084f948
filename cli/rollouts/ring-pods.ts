// What running pods show of the releases that rings take next: in the clusters of the channels that they follow, next to the other workloads
// there. Loaded only when a command runs.
import { ownError } from "@outrigger/base";
import type { ChannelRecord } from "@outrigger/publisher";
import { canCompare, measurePods, podSignals } from "@outrigger/rollouts";
import { atMost } from "../fleet/at-most.ts";
import { openFleet } from "../fleet/open-fleet.ts";
import type { RunningOptions } from "../options/cluster-options.ts";
import type { SelectionOptions } from "../options/selection-options.ts";
import { servedSince } from "../releases/served-since.ts";
import type { Io } from "../terminal/io.ts";
import { warn } from "../terminal/print.ts";
import { openRunning, servingOf } from "./running-cluster.ts";

/** What the pods of a cluster show of the release that a channel serves it. */
export interface RingPods {
  readonly cluster: string;
  readonly channel: string;
  readonly release: string;
  /** `unread` where the cluster could not be asked. */
  readonly verdict: "worse" | "suspect" | "fine" | "unknown" | "unread";
  readonly why: string;
}

/**
 * Asks the selected clusters that a channel of these serves. One that cannot be asked stops no other.
 *
 * @param followed channels that others follow, with the release that is next there
 */
export async function readRingPods(
  followed: Readonly<Record<string, ChannelRecord>>,
  options: RunningOptions & SelectionOptions,
  io: Io,
): Promise<readonly RingPods[]> {
  const { clusters, deployment } = await openFleet(options, io);
  const serving = servingOf(deployment, io);
  // By which channel it is served is not known.
  for (const { unreadable } of clusters) if (unreadable !== undefined) warn(unreadable.message, io);
  const asked = clusters.flatMap((cluster) => {
    const channels = new Set(Object.values(cluster.record?.revisions ?? {}));
    return [...channels].filter((name) => Object.hasOwn(followed, name)).map((channel) => ({ cluster, channel }));
  });
  const answers = await atMost(options.maxConcurrency, asked, async ({ cluster, channel }): Promise<RingPods> => {
    const record = followed[channel] as ChannelRecord;
    const of = { cluster: cluster.name, channel, release: record.release };
    try {
      const { kube, ...ports } = await openRunning({ ...options, ...cluster.place }, io, serving);
      const share = { channel, release: record.release, since: Date.parse(servedSince(record)) };
      return { ...of, ...judgePods(await measurePods(kube, ports, share, Date.now())) };
    } catch (error) {
      return { ...of, verdict: "unread", why: ownError(error).message };
    }
  });
  return answers.flatMap((answer) => answer ?? []);
}

/** The verdicts, the worst first. */
const ORDER = ["worse", "suspect", "unknown", "fine"] as const;

/** Workloads with a trouble that no other has, which are too many where there are too few others to compare with. */
const MANY = 3;

/** The worst that the workloads with pods of the release show, next to all others: those that the channel serves too, and that have older pods. */
function judgePods(measured: Awaited<ReturnType<typeof measurePods>>): Pick<RingPods, "verdict" | "why"> {
  const workloads = measured.workloads.map(
    (one) => (one.place === "gained" ? { ...one, place: "others" } : one) as typeof one,
  );
  const share = workloads.filter(({ place }) => place === "share");
  const others = workloads.filter(({ place }) => place !== "share");
  const usual = new Set(others.flatMap(({ troubles }) => [...troubles]));
  const troubled = share.filter(({ troubles }) => [...troubles].some((trouble) => !usual.has(trouble))).length;
  if (troubled >= MANY && !canCompare(share.length, others.length)) {
    const compared = others.length === 0 ? "no other has" : `too few others (${others.length}) have`;
    const why = `${troubled} of ${share.length} workloads are not well, and ${compared} another release to compare with`;
    return { verdict: "suspect", why };
  }
  const signals = podSignals({ ...measured, workloads });
  const worst = ORDER.flatMap((verdict) => signals.find((signal) => signal.verdict === verdict) ?? [])[0];
  return { verdict: worst?.verdict ?? "unknown", why: worst?.why ?? "" };
}
