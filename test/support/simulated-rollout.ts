// Rollouts in which it is known what is wrong, looked at every minute: CloudWatch has a minute's counts two minutes later.
import { judgeShare, type PublisherDependencies, type ReleaseCounts } from "@outrigger/publisher";

/** Counts both releases of a question by what is said of one. */
export function countEach(
  countsOf: (release: string) => ReleaseCounts,
): NonNullable<PublisherDependencies["countReleases"]> {
  return async ({ releases: [next, own] }) => [countsOf(next), countsOf(own)];
}

export const noCounts: ReleaseCounts = {
  injected: 0,
  denied: 0,
  failed: 0,
  regressed: 0,
  late: 0,
  calledIn: [],
  lateIn: [],
};

/** Pods an hour of the share, what part of them is worse off, and what is late. */
export interface World {
  readonly perHour: number;
  readonly worse: number;
  /** The share of all calls that are late. A late call of a workload makes the others of its minute late too. */
  readonly late: number;
  readonly share: number;
  readonly looks: number;
}

function isWorse(share: ReleaseCounts, own: ReleaseCounts): boolean {
  const { signals = [] } = judgeShare({ pinned: false }, { states: {}, counts: [share, own], now: 0 });
  return signals.some(({ verdict }) => verdict === "worse");
}

/** The look that takes the share back, from 1; undefined where none does. */
export function returned({ perHour, worse, late, share, looks }: World, random: () => number): number | undefined {
  const counts = [0, 1].map(() => ({
    injected: 0,
    regressed: 0,
    late: 0,
    calledIn: [] as number[],
    lateIn: [] as number[],
  }));
  const rates = [perHour / 60, ((perHour / 60) * (100 - share)) / share];
  const seen: { readonly share: ReleaseCounts; readonly own: ReleaseCounts }[] = [];
  for (let minute = 0; minute < looks; minute++) {
    counts.forEach((count, side) => {
      const calls = poisson(rates[side] as number, random);
      const regressed = side === 0 ? binomial(calls, worse, random) : 0;
      count.injected += calls - regressed;
      count.regressed += regressed;
      if (calls > 0) count.calledIn.push(minute);
      // A burst: half of the minute's calls, if one of them is.
      const isLate = random() < 1 - (1 - late) ** Math.min(calls, 20);
      if (calls > 0 && isLate) {
        count.late += Math.ceil(calls / 2);
        count.lateIn.push(minute);
      }
    });
    const [ofShare, ofOwn] = counts.map((count) => ({
      ...noCounts,
      ...count,
      calledIn: [...count.calledIn],
      lateIn: [...count.lateIn],
    }));
    seen.push({ share: ofShare as ReleaseCounts, own: ofOwn as ReleaseCounts });
    const known = seen[minute - 2];
    if (known !== undefined && isWorse(known.share, known.own)) {
      return minute + 1;
    }
  }
  return undefined;
}

function poisson(mean: number, random: () => number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}

function binomial(calls: number, part: number, random: () => number): number {
  let count = 0;
  for (let call = 0; call < calls; call++) if (random() < part) count++;
  return count;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
