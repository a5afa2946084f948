// What lets the next share of a rollout begin, and what takes all of it back. Pure: who counts, and looks at alarms and at the time, is
// not known here.
import type { AlarmStates, Rollout } from "./rollout.ts";
import type { Signal } from "./signals.ts";
import { type RolloutVerdict, stuckSince, wait } from "./verdict.ts";

export interface RolloutEvidence {
  /** The states of the rollout's alarms; undefined where they cannot be read, which lets nothing continue. */
  readonly states: AlarmStates | undefined;
  /**
   * The signals of the release next to the channel's own. They are undefined if they cannot be counted, which lets
   * nothing continue.
   */
  readonly signals: readonly Signal[] | undefined;
  /** The share that is served, in percent. */
  readonly share: number;
  /** The time at which all workloads of the share had been restarted; left out where that is not seen, or not yet. */
  readonly restarted?: number;
  readonly isPinned: boolean;
  /** Milliseconds since 1970, as all times here. */
  readonly now: number;
}

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
  const stuck = (why: string, from: number) => stuckSince(why, from, now);
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
