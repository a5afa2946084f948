// What is to become of a channel's share now, by its alarms and by what its release did next to the channel's own. Pure.
import { defined } from "@outrigger/base";
import type { ChannelRecord } from "../request/publisher-request.ts";
import { type AlarmStates, judgeRollout, type RolloutVerdict } from "./rollout.ts";
import { type ReleaseCounts, releaseSignals, type Signal } from "./signals.ts";

/** What is known of a share. */
export interface Evidence {
  /** Of the rollout's alarms; undefined where they cannot be read. */
  readonly states: AlarmStates | undefined;
  /** What the share's release and the channel's own did since the share began; empty where nothing counts, undefined where the counts cannot be read. */
  readonly counts: readonly [share: ReleaseCounts, own: ReleaseCounts] | readonly [] | undefined;
  /** What the pods of the share come to; left out where no cluster is seen. */
  readonly pods?: PodEvidence;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What the pods of a share come to, next to what they were before, and to the others. */
export interface PodEvidence {
  readonly signals: readonly Signal[];
  /** When all workloads of the share had been restarted, in milliseconds since 1970; left out until they are. */
  readonly restarted?: number;
}

/**
 * The measurements of a share's release, and what they and the rollout come to. Without a rollout a person decides: no verdict.
 *
 * @param evidence alarms and counts; what cannot be read lets nothing go on
 */
export function judgeShare(
  { share, rollout, pinned }: Pick<ChannelRecord, "share" | "rollout" | "pinned">,
  { states, counts, pods, now }: Evidence,
): { readonly signals: readonly Signal[] | undefined; readonly verdict?: RolloutVerdict } {
  const counted = counts?.length === 2 ? releaseSignals(counts[0], counts[1]) : counts;
  // What pods come to is known although calls cannot be counted, but lets nothing go on alone.
  const isWorse = pods?.signals.some(({ verdict }) => verdict === "worse") === true;
  const signals = counted === undefined && !isWorse ? undefined : [...(counted ?? []), ...(pods?.signals ?? [])];
  const seen = { states, signals, share: share?.percent ?? 0, isPinned: pinned, now };
  const verdict = share && rollout && judgeRollout(rollout, { ...seen, ...defined({ restarted: pods?.restarted }) });
  return { signals, ...defined({ verdict }) };
}
