// What a share's release did next to the channel's own, as CloudWatch counts it, and what happens to the rollout.
import { defined } from "@outrigger/base";
import { type ChannelRecord, judgeShare } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import type { Io } from "../terminal/io.ts";

export type RolloutEvidence = Awaited<ReturnType<typeof rolloutEvidence>>;

/** The evidence of a share's pods, if a cluster is seen. */
type PodEvidence = Parameters<typeof judgeShare>[1]["pods"];

/** @throws OutriggerError where CloudWatch cannot be read */
export async function rolloutEvidence(
  deployment: Deployment,
  record: ChannelRecord,
  env: Io["env"],
  pods?: PodEvidence,
) {
  const { watchDeployment } = await import("../connect/connect-cluster.ts");
  const { release, share, rollout } = record;
  const watch = await watchDeployment(deployment, env);
  const since = shareSince(record);
  const names = rollout?.alarms ?? [];
  const alarms = names.length === 0 ? {} : await watch.alarmStates(names);
  const releases = [release, ...(share === undefined ? [] : [share.release])];
  // Of the channel's own release, then of the share's.
  const counts = await watch.countReleases({ releases, since });
  const [own, ofShare] = counts;
  const pair = own === undefined || ofShare === undefined ? ([] as const) : ([ofShare, own] as const);
  const judged = judgeShare(record, { states: alarms, counts: pair, now: Date.now(), ...defined({ pods }) });
  const shown = counts.map(({ calledIn: _, lateIn: __, ...count }, at) => [releases[at] ?? "", count] as const);
  return { ...judged, alarms, counts: shown, since };
}

/** The time at which the share began; of a channel without one, the time of its last move: milliseconds since 1970. */
export function shareSince({ rollout, share, history }: ChannelRecord): number {
  const moved = history.findLast((move) => share !== undefined && move.share?.release === share.release) ?? history[0];
  return Date.parse(rollout?.since ?? moved?.at ?? "1970-01-01T00:00:00Z");
}
