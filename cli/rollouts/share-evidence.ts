// What is known of a channel's share: its alarms, what its release and the channel's own did, and how its pods do where a cluster is
// seen. Loaded only when a command runs.
import { OutriggerError } from "@outrigger/base";
import type { AlarmStates, ChannelRecord, judgeShare } from "@outrigger/publisher";
import { measurePods, podSignals, readJournal } from "@outrigger/rollouts";
import type { DeploymentWatch } from "../connect/connect-cluster.ts";
import type { RunningCluster } from "./running-cluster.ts";

type Counts = Awaited<ReturnType<DeploymentWatch["countRelease"]>>;

/** What CloudWatch says of a channel's share, or of its release where it has none. */
export interface ShareEvidence {
  readonly states: AlarmStates;
  /** Release → what it did since. */
  readonly byRelease: readonly (readonly [release: string, counts: Counts])[];
  /** What judging takes. */
  readonly counts: NonNullable<Parameters<typeof judgeShare>[1]["counts"]>;
}

/** @param since milliseconds since 1970 */
export async function shareEvidence(
  { release, share, rollout }: ChannelRecord,
  watch: DeploymentWatch,
  since: number,
): Promise<ShareEvidence> {
  const names = rollout?.alarms ?? [];
  const states = names.length === 0 ? {} : await watch.alarmStates(names);
  const releases = [release, ...(share === undefined ? [] : [share.release])];
  const byRelease = await Promise.all(
    releases.map(async (each) => [each, await watch.countRelease(each, since)] as const),
  );
  const [own, ofShare] = byRelease.map(([, counts]) => counts);
  return { states, byRelease, counts: own === undefined || ofShare === undefined ? [] : [ofShare, own] };
}

/** The same for a look of many: what cannot be read is undefined, and lets nothing go on. */
export async function tryShareEvidence(
  record: ChannelRecord,
  watch: DeploymentWatch,
  since: number,
): Promise<{ readonly states: AlarmStates | undefined; readonly counts: ShareEvidence["counts"] | undefined }> {
  try {
    return await shareEvidence(record, watch, since);
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return { states: undefined, counts: undefined };
  }
}

/** How the pods of a channel's share do in a cluster, restarted or not; without a share, its pods are counted alone. */
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
