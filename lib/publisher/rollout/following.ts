// A ring: a channel that takes the releases of another one, once they have been served there for a time and are well. Pure.
import { channelNamePattern, isWholeIn, objectOf } from "@outrigger/base";
import { isRolloutPlan, LONGEST_BAKE, MAX_ALARMS, type RolloutPlan } from "./rollout.ts";

/** What a channel follows, and when a release of it is the next. */
export interface Following {
  /** The channel whose releases are taken. */
  readonly channel: string;
  /** Seconds for which that channel must have served a release to all of its workloads. */
  readonly after: number;
  /** Pods that the release must have injected meanwhile. */
  readonly pods: number;
  /** CloudWatch alarms of this account and Region: while one is up, nothing is taken. */
  readonly alarms: readonly string[];
  /** Percent of the workloads that a release is served to first; left out: all. */
  readonly share?: number;
  /** The plan by which that share continues. */
  readonly rollout?: RolloutPlan;
}

/** Pods for which a release is judged by default. */
const MOST_PODS = 1_000_000;

/** Whether a value says what a channel follows: `after` of a minute to a week, and a share that a rollout can begin with. */
export function isFollowing(value: unknown): value is Following {
  const { channel, after, pods, alarms, share, rollout, ...others } = objectOf(value);
  if (typeof channel !== "string" || !channelNamePattern.test(channel)) return false;
  // The same names of alarms as those of a rollout.
  if (!isRolloutPlan({ next: [], alarms }) || !isWholeIn(after, 60, LONGEST_BAKE) || !isWholeIn(pods, 0, MOST_PODS))
    return false;
  const isShared = share === undefined ? rollout === undefined : isWholeIn(share, 1, 99);
  if (!isShared || Object.keys(others).length > 0) return false;
  if (rollout === undefined) return true;
  return isRolloutPlan(rollout) && rollout.restart === undefined && (rollout.next[0] ?? 100) > Number(share);
}

export const FOLLOWING_FORM = `a channel's name, after (60 to ${LONGEST_BAKE} seconds), pods, at most ${MAX_ALARMS} alarms, and with a share of 1 to 99 a rollout, or null`;
