// The named measurements by which a rollout is judged, of what two releases did. Pure.

/** What is asked about two releases, by their digests, in one call. */
export interface ReleaseQuestion {
  readonly releases: readonly [next: string, own: string];
  /** Milliseconds since 1970. */
  readonly since: number;
  /** False where late calls are not counted: CloudWatch charges for each metric that is read. */
  readonly isTimed?: false;
}

/** The counts of a release since its share began. */
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

/** The probability below which a difference is not chance: a rollout of a week has 10,080 looks, and they are not independent. */
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

/**
 * A release that all workloads of a channel are served next to the one that it is to replace elsewhere: whether more of its calls failed or
 * were denied than chance explains. Without calls of the other one, three are too many.
 */
export function ringSignals(due: ReleaseCounts, own: ReleaseCounts): readonly Signal[] {
  return [regressedSignal(due), badSignal("failed", due, own), badSignal("denied", due, own)].filter(
    ({ verdict }) => verdict !== "unknown",
  );
}

/** The probability below which a person looks first: nothing is taken back, and the next look judges again. */
const UNLIKELY = 0.01;

function badSignal(name: "failed" | "denied", due: ReleaseCounts, own: ReleaseCounts): Signal {
  const [calls, others] = [callsOf(due), callsOf(own)];
  const [bad, otherBad] = [due[name], own[name]];
  const why = `${bad} of its ${calls} calls ${name === "failed" ? "failed" : "were denied"}, of the other release ${otherBad} of ${others}`;
  if (bad < REGRESSED) return { name, verdict: "fine", why };
  // Of all that is bad, each is its own with the probability of its part in the calls.
  const chance = others < FEW ? 0 : binomialTail(bad, bad + otherBad, calls / (calls + others));
  return { name, verdict: chance < UNLIKELY ? "suspect" : "fine", why };
}

/** A pod that the other release injected instead was a call too. */
function callsOf({ injected, denied, failed, regressed }: ReleaseCounts): number {
  return injected + denied + failed + regressed;
}

/** The probability of at least so many heads in so many throws of a coin: the sign test. */
export function halfTail(least: number, throws: number): number {
  return binomialTail(least, throws, 0.5);
}

/**
 * The probability of at least so many successes in so many trials.
 *
 * @param chance of a success: more than 0 and less than 1, else the sum has one term
 */
function binomialTail(least: number, trials: number, chance: number): number {
  if (chance >= 1) return 1;
  let sum = 0;
  // As logarithms: a power of thousands of trials is smaller than any number.
  let term = trials * Math.log(1 - chance);
  for (let successes = 0; successes <= trials; successes++) {
    if (successes >= least) sum += Math.exp(term);
    term += Math.log((trials - successes) / (successes + 1)) + Math.log(chance / (1 - chance));
  }
  return Math.min(1, sum);
}
