// A rollout: which shares of a channel's workloads follow one another, and what is watched meanwhile. Pure.
import { isWholeIn, objectOf } from "@outrigger/base";

export interface RolloutPlan {
  /** The shares after the first, in percent, each larger than the one before; 100 is the release for all, which is watched as long as each share was. */
  readonly next: readonly number[];
  /** Seconds that each share is served before the next one begins. Left out: a person begins it. */
  readonly bake?: number;
  /** CloudWatch alarms of this account and Region: one that is up takes the share back. */
  readonly alarms: readonly string[];
  /** The workloads of each share are restarted, and the next one begins when their pods have been good: a command that sees them begins it. */
  readonly restart?: true;
}

export interface Rollout extends RolloutPlan {
  /** The time at which the share began to be served, ISO 8601, UTC. */
  readonly since: string;
}

/** Name of an alarm → its state in CloudWatch's words; undefined for one that does not exist. */
export type AlarmStates = Readonly<Record<string, "OK" | "ALARM" | "INSUFFICIENT_DATA" | undefined>>;

/** The most alarms that one rollout watches: as many names as one record has space for. */
export const MAX_ALARMS = 5;

/** Seconds: a week. */
export const LONGEST_BAKE = 7 * 24 * 60 * 60;

/** Whether a value is a plan: shares that grow to at most 100, a time within a week, and names of alarms. */
export function isRolloutPlan(value: unknown): value is RolloutPlan {
  const { next, bake, alarms, restart, ...others } = objectOf(value);
  if (!Array.isArray(next) || !Array.isArray(alarms) || alarms.length > MAX_ALARMS) return false;
  const isGrowing = next.every(
    (percent, index) => isWholeIn(percent, 1, 100) && (index === 0 || percent > Number(next[index - 1])),
  );
  const isNamed = alarms.every((alarm) => typeof alarm === "string" && alarm !== "" && alarm.length <= 255);
  const isTimed = (bake === undefined && restart === undefined) || isWholeIn(bake, 60, LONGEST_BAKE);
  return isGrowing && isNamed && isTimed && (restart ?? true) === true && Object.keys(others).length === 0;
}

/** A stored rollout; undefined for any other value. */
export function parseRollout(value: unknown): Rollout | undefined {
  const { since, ...plan } = objectOf(value);
  if (typeof since !== "string" || Number.isNaN(Date.parse(since)) || !isRolloutPlan(plan)) return undefined;
  return { ...plan, since };
}

/** Returns the rest of a rollout once its next share is served. */
export function planAfter({ next, since: _, ...plan }: Rollout, share: number): RolloutPlan {
  return { ...plan, next: next.filter((percent) => percent > share) };
}
