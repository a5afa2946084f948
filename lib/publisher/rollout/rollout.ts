// A rollout: which shares of a channel's workloads follow one another, what lets the next one begin and what takes all of it
// back; and the named measurements by which it is judged. Pure: who counts, and looks at alarms and at the time, is not known here.
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

/** What a release did since its share began. */
export interface ReleaseCounts {
  readonly injected: number;
  readonly denied: number;
  readonly failed: number;
  /** Pods of the share that it could not inject, and that the channel's own release could. */
  readonly regressed: number;
  /** Calls that were answered after the caller's timeout. */
  readonly late: number;
  /** The periods, each by its beginning in milliseconds since 1970, in which it was called, and in which calls were late. */
  readonly calledIn: readonly number[];
  readonly lateIn: readonly number[];
}

/** A measurement of the share's release, and what it comes to. */
export interface Signal {
  readonly name: string;
  /** `worse`: the share is taken back. `suspect`: it does not continue. `unknown`: there are too few calls to tell. */
  readonly verdict: "worse" | "suspect" | "fine" | "unknown";
  readonly why: string;
}

/** Pods at which a release is worse, and not one pod odd. */
const REGRESSED = 3;

/** Calls, and periods with calls of both, below which nothing is known. */
const FEW = 10;
const FEW_FOR_LATE = 20;

/** How improbable chance must be: a rollout of a week has 10,080 looks, and they are not independent. */
const CHANCE = 1e-6;

/** The share's release next to the channel's own: docs/contributing/publishing.md, "How soon a rollout goes back", has the arithmetic. */
export function releaseSignals(share: ReleaseCounts, own: ReleaseCounts): readonly Signal[] {
  return [regressedSignal(share), lateSignal(share, own)];
}

function regressedSignal(share: ReleaseCounts): Signal {
  const name = "regressed";
  const { regressed } = share;
  const calls = callsOf(share);
  if (regressed > 0) {
    const pods = `${regressed} ${regressed === 1 ? "pod" : "pods"}`;
    const why = `its release could not inject ${pods} that the channel's own could`;
    const isWorse = regressed >= REGRESSED;
    return { name, verdict: isWorse ? "worse" : "suspect", why: isWorse ? why : `${why}: see the log` };
  }
  if (calls < FEW)
    return { name, verdict: "unknown", why: `its release had ${calls} of the ${FEW} calls that it takes to judge it` };
  return { name, verdict: "fine", why: `none of ${calls} pods was worse off` };
}

/**
 * Whether the share's calls are late when those of the other release are not, by periods and not by calls: a burst makes many calls
 * late at once, all of one workload. By chance each is late alone as often as the other, and the smaller one less often.
 */
function lateSignal(share: ReleaseCounts, own: ReleaseCounts): Signal {
  const name = "late";
  const both = share.calledIn.filter((period) => own.calledIn.includes(period));
  const alone = both.filter((period) => share.lateIn.includes(period) && !own.lateIn.includes(period)).length;
  const other = both.filter((period) => own.lateIn.includes(period) && !share.lateIn.includes(period)).length;
  if (both.length < FEW_FOR_LATE || callsOf(share) > callsOf(own))
    return { name, verdict: "unknown", why: `times can be compared in ${both.length} periods only` };
  const why = `in ${alone} periods its calls alone were late, in ${other} those of the channel's own release alone`;
  return { name, verdict: halfTail(alone, alone + other) < CHANCE ? "worse" : "fine", why };
}

/** A pod that the other release injected instead was a call too. */
function callsOf({ injected, denied, failed, regressed }: ReleaseCounts): number {
  return injected + denied + failed + regressed;
}

/** The probability of at least so many heads in so many throws of a coin: the sign test. */
export function halfTail(least: number, throws: number): number {
  let sum = 0;
  let term = 2 ** -throws;
  for (let heads = 0; heads <= throws; heads++) {
    if (heads >= least) sum += term;
    term *= (throws - heads) / (heads + 1);
  }
  return sum;
}
