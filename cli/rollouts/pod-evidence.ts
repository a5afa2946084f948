// How the pods of a channel's share do in a cluster. Loaded only when a command runs.
import type { ChannelRecord } from "@outrigger/publisher";
import { measurePods, podSignals, readJournal } from "@outrigger/rollouts";
import type { RunningCluster } from "./running-cluster.ts";

/** Restarted or not; without a share, its pods are counted alone. */
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
