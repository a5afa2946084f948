// A rollout: which shares of a channel's workloads follow one another, what lets the next one begin and what takes all of it
// back. Pure: who looks at alarms and at the time is not known here.
import { isWholeIn, objectOf } from "@outrigger/base";
import type { Signal } from "./signals.ts";

/** What is to become of a share by itself. */
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
  /** When the share began to be served, ISO 8601, UTC. */
  readonly since: string;
}

/** Name of an alarm → its state in CloudWatch's words; undefined for one that does not exist. */
export type AlarmStates = Readonly<Record<string, "OK" | "ALARM" | "INSUFFICIENT_DATA" | undefined>>;

export type RolloutVerdict =
  | { readonly kind: "abort"; readonly why: string }
  | { readonly kind: "advance"; readonly percent: number; readonly why: string }
  /** `isBaking`: it continues by itself. `stuck`: seconds for which it cannot, or is not watched, and only a person can change that. */
  | { readonly kind: "wait"; readonly why: string; readonly isBaking?: true; readonly stuck?: number };

/** What a rollout is judged by. */
export interface RolloutEvidence {
  /** Of the rollout's alarms; undefined where they cannot be read, which lets nothing continue. */
  readonly states: AlarmStates | undefined;
  /** What the release did next to the channel's own; undefined where that cannot be counted, which lets nothing continue. */
  readonly signals: readonly Signal[] | undefined;
  /** What is served, in percent. */
  readonly share: number;
  /** When all workloads of the share had been restarted; left out where that is not seen, or not yet. */
  readonly restarted?: number;
  readonly isPinned: boolean;
  /** Milliseconds since 1970, as all times here. */
  readonly now: number;
}

/** The most alarms that one rollout watches: as many names as one record has space for. */
export const MAX_ALARMS = 5;

/** Seconds: a week. */
export const LONGEST_BAKE = 7 * 24 * 60 * 60;

/**
 * What happens to a share now:
 *
 * | an alarm  | the share has baked  | verdict                                           |
 * |-----------|----------------------|---------------------------------------------------|
 * | is up, or the release is worse | or not | abort: the channel's own release for all         |
 * | is missing, or cannot be read | or not          | wait, stuck: what is not watched does not continue|
 * | has no data | yes                | wait, stuck: the same                              |
 * | none is up | no, or no time is set | wait                                            |
 * | none is up, one or two pods worse off | yes | wait, stuck: a person looks                   |
 * | none is up | yes                 | the next share; a pinned channel waits, stuck      |
 * | none is up | yes, all workloads  | the release is the channel's own                   |
 * | none is up | its workloads are restarted | wait: it bakes from when they are back, seen by who has a kubeconfig |
 */
export function judgeRollout(
  { next, bake, alarms, restart, since }: Rollout,
  { states, signals, share, restarted, isPinned, now }: RolloutEvidence,
): RolloutVerdict {
  const worse = signals?.find(({ verdict }) => verdict === "worse");
  if (worse !== undefined) return { kind: "abort", why: worse.why };
  const up = alarms.find((alarm) => states?.[alarm] === "ALARM");
  if (up !== undefined) return { kind: "abort", why: `alarm ${up} is up` };
  const stuck = (why: string, from: number) => ({ ...wait(why), stuck: Math.ceil((now - from) / 1000) });
  const begun = Date.parse(since);
  if (alarms.length > 0 && states === undefined) return stuck("its alarms cannot be read", begun);
  const missing = alarms.find((alarm) => states?.[alarm] === undefined);
  if (missing !== undefined) return stuck(`there is no alarm ${missing}`, begun);
  if (signals === undefined) return stuck("what its release does cannot be counted", begun);
  const percent = share === 100 ? 100 : next[0];
  if (percent === undefined || bake === undefined) return wait("the next share is begun by a person");
  if (restart === true && restarted === undefined) return { ...wait(RESTARTING), isBaking: true };
  const due = (restarted ?? begun) + bake * 1000;
  const left = due - now;
  if (left > 0) return { ...wait(`it bakes for ${durationText(Math.ceil(left / 1000))} more`), isBaking: true };
  const blind = alarms.find((alarm) => states?.[alarm] === "INSUFFICIENT_DATA");
  if (blind !== undefined) return stuck(`alarm ${blind} has no data`, due);
  const suspect = signals.find(({ verdict }) => verdict === "suspect");
  if (suspect !== undefined) return stuck(suspect.why, due);
  if (isPinned) return stuck("the channel is pinned", due);
  const watched = alarms.length === 0 ? "" : ` without an alarm of ${alarms.join(", ")}`;
  const judged = signals.filter(({ verdict }, index) => index === 0 || verdict === "fine");
  const why = `${durationText(bake)}${watched}${judged.map((signal) => `; ${signal.why}`).join("")}`;
  return { kind: "advance", percent, why };
}

const RESTARTING = "outrigger promote --restart restarts its workloads and judges their pods";

function wait(why: string) {
  return { kind: "wait", why } as const;
}

/**
 * Seconds in the words in which a person gives them.
 *
 * @example
 * ```ts
 * durationText(5400) // => "1h30m"
 * durationText(45) // => "45s"
 * ```
 */
export function durationText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor((seconds % 3600) / 60), "m"],
    [seconds % 60, "s"],
  ] as const;
  const text = parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count}${unit}`])).join("");
  return text === "" ? "0s" : text;
}

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

/** What is left of a rollout once its next share is served. */
export function planAfter({ next, since: _, ...plan }: Rollout, share: number): RolloutPlan {
  return { ...plan, next: next.filter((percent) => percent > share) };
}
