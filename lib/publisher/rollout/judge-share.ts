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
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The measurements of a share's release, and what they and the rollout come to. Without a rollout a person decides: no verdict.
 *
 * @param evidence alarms and counts; what cannot be read lets nothing go on
 */
export function judgeShare(
  { share, rollout, pinned }: Pick<ChannelRecord, "share" | "rollout" | "pinned">,
  { states, counts, now }: Evidence,
): { readonly signals: readonly Signal[] | undefined; readonly verdict?: RolloutVerdict } {
  const signals = counts?.length === 2 ? releaseSignals(counts[0], counts[1]) : counts;
  const verdict =
    share && rollout && judgeRollout(rollout, { states, signals, share: share.percent, isPinned: pinned, now });
  return { signals, ...defined({ verdict }) };
}
