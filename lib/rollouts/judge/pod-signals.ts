// What the pods of a share come to, next to what its workloads were before and to the others: signals, each with a verdict. Pure.
import { plural } from "@outrigger/base";
import type { judgeShare } from "@outrigger/publisher";
import { failureText, type RestartJournal } from "../restart/journal-entry.ts";
import { type MeasuredPods, type Tally, TROUBLES, type Trouble, type WorkloadHealth } from "./measure-pods.ts";

export type Signal = NonNullable<ReturnType<typeof judgeShare>["signals"]>[number];

/** The probabilities of chance below which a share is taken back, and below which it does not continue. */
const WORSE = 1e-4;
const SUSPECT = 0.02;

/** The restart of a share's workloads: what its journal has of it. */
type ShareRestart = Pick<RestartJournal, "state" | "done" | "failure" | "left" | "before">;

/** @param restart of the workloads that the share has gained last; left out where they are not restarted */
export function podSignals({ workloads }: MeasuredPods, restart?: ShareRestart): readonly Signal[] {
  const { before } = restart ?? {};
  const [share, others] = (["share", "others"] as const).map((wanted) => {
    const own = workloads.filter(({ place }) => place === wanted);
    return tallyOf(own, before?.limit ?? Number.POSITIVE_INFINITY);
  }) as [Tally, Tally];
  const suffered = ([...TROUBLES, "slow"] as const).filter((name) => (share.troubles[name] ?? 0) > 0);
  const counted = suffered.map((name) => troubleSignal(name, share, others, before));
  const back = restart === undefined ? [] : [backSignal(restart)];
  return [...back, ...(counted.length === 0 ? [quietSignal(share)] : counted)];
}

/**
 * Counts what workloads were before they are restarted. It is kept in the journal, because the pods that show it go.
 */
export function tallyBefore({ workloads }: MeasuredPods): Tally {
  const gained = workloads.filter(({ place }) => place === "gained");
  const times = gained.flatMap(({ seconds }) => (seconds === undefined ? [] : [seconds])).sort((a, b) => a - b);
  const usual = times[Math.floor(times.length * 0.9)] ?? 0;
  return tallyOf(gained, Math.ceil(usual * 1.5 + SPARE_SECONDS));
}

/** A difference of this many seconds counts as none. */
const SPARE_SECONDS = 15;

function tallyOf(workloads: readonly WorkloadHealth[], limit: number): Tally {
  const troubles: Partial<Record<Trouble | "slow", number>> = {};
  for (const { troubles: own, seconds } of workloads) {
    for (const trouble of own) troubles[trouble] = (troubles[trouble] ?? 0) + 1;
    if (seconds !== undefined && seconds > limit) troubles.slow = (troubles.slow ?? 0) + 1;
  }
  return { workloads: workloads.length, troubles, limit: Number.isFinite(limit) ? limit : 0 };
}

function backSignal({ state, done, failure, left }: ShareRestart): Signal {
  const name = "back";
  if (failure !== undefined) {
    return { name, verdict: failure.isOwn === true ? "suspect" : "worse", why: failureText(failure) };
  }
  const leaves = left.length === 0 ? "" : `, ${left.length} left as they were`;
  const are = plural(done, "workload is", "workloads are");
  if (state === "done") return { name, verdict: "fine", why: `${done} restarted ${are} back${leaves}` };
  return { name, verdict: "unknown", why: `${done} restarted ${are} back so far${leaves}` };
}

function quietSignal({ workloads }: Tally): Signal {
  const name = "pods";
  if (workloads === 0) return { name, verdict: "unknown", why: "no pod has its release" };
  return { name, verdict: "fine", why: `the pods of its ${workloads} ${plural(workloads, "workload")} are well` };
}

/** Whether workloads of a share and others are enough to be compared: chance would not explain that all of the share are in trouble, and no other. */
export function canCompare(share: number, others: number): boolean {
  return tail(share, share, share, share + others) < SUSPECT;
}

/** The signal for one trouble: how often chance alone would place so many of the suffering workloads in the share. */
function troubleSignal(name: Trouble | "slow", share: Tally, others: Tally, before: Tally | undefined): Signal {
  const of = ({ workloads, troubles }: Tally) => [troubles[name] ?? 0, workloads] as const;
  const [[bad, all], [badOthers, allOthers]] = [of(share), of(others)];
  const [badBefore, allBefore] = before === undefined ? [0, 0] : of(before);
  const chance = tail(bad, all, bad + badOthers + badBefore, all + allOthers + allBefore);
  const verdict = chance < WORSE ? "worse" : chance < SUSPECT ? "suspect" : "fine";
  const earlier = before === undefined ? "" : `${badBefore} of ${allBefore} before, `;
  const compared = `${earlier}${badOthers} of ${allOthers} others`;
  return { name, verdict, why: `${bad} of ${all} workloads ${WORDS[name] ?? name} (${compared})` };
}

const WORDS: Readonly<Partial<Record<string, string>>> = { slow: "slow to become ready" };

/**
 * The probability that at least so many of the bad are drawn, where each is as likely to be: Fisher's exact test.
 *
 * @param bad of those that were drawn
 * @param drawn how many were drawn
 * @param allBad of all
 * @param all how many there are
 */
export function tail(bad: number, drawn: number, allBad: number, all: number): number {
  const ways = logFactorials(all);
  const choose = (n: number, k: number) => (ways[n] ?? 0) - (ways[k] ?? 0) - (ways[n - k] ?? 0);
  let sum = 0;
  for (let count = bad; count <= Math.min(drawn, allBad); count++) {
    if (drawn - count > all - allBad) continue;
    sum += Math.exp(choose(allBad, count) + choose(all - allBad, drawn - count) - choose(all, drawn));
  }
  return Math.min(1, sum);
}

function logFactorials(most: number): readonly number[] {
  const sums = [0];
  for (let number = 1; number <= most; number++) sums.push((sums[number - 1] as number) + Math.log(number));
  return sums;
}
