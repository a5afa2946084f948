// The rings of clusters, by the channels that serve them.
import type { ChannelRecord } from "@outrigger/publisher";
import { ringDepth } from "../releases/rings.ts";
import type { SelectedCluster } from "./select-clusters.ts";

/**
 * The clusters in their order, each with its ring:
 *
 * | the cluster                               | its ring                         |
 * |-------------------------------------------|----------------------------------|
 * | is served by a channel that follows none  | 0                                |
 * | is served by one that follows another one | one more than that of the other  |
 * | is served by several channels             | the last of theirs               |
 * | has a record that cannot be read          | behind all others                |
 */
export function withRings(
  clusters: readonly SelectedCluster[],
  channels: Readonly<Record<string, Pick<ChannelRecord, "follows">>>,
) {
  return clusters.map((cluster) => ({ ...cluster, ring: ringOf(cluster, channels) }));
}

const LAST = Number.MAX_SAFE_INTEGER;

function ringOf({ record }: SelectedCluster, channels: Parameters<typeof withRings>[1]): number {
  if (record === undefined) return LAST;
  return Math.max(0, ...Object.values(record.revisions).map((channel) => ringDepth(channel, channels)));
}
