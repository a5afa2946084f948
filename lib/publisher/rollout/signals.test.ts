// What a rollout's own judgement finds, and how often it is wrong: on counts, and over simulated rollouts. CloudWatch has a minute's
// counts two minutes later. OUTRIGGER_PROPERTY_RUNS sets how many rollouts each row is simulated with.
import { describe, expect, it } from "vitest";
import { noCounts as none, randomOf, returned } from "../../../test/support/simulated-rollout.ts";
import { halfTail, type ReleaseCounts, releaseSignals } from "./signals.ts";

const RUNS = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 200);
const minutes = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const verdicts = (share: Partial<ReleaseCounts>, own: Partial<ReleaseCounts> = {}) =>
  releaseSignals({ ...none, ...share }, { ...none, ...own }).map(({ verdict }) => verdict);

describe("releaseSignals()", () => {
  it.each<[Partial<ReleaseCounts>, string]>([
    [{ injected: 9 }, "unknown"],
    [{ injected: 8, denied: 2 }, "fine"],
    [{ injected: 5000, denied: 4000, failed: 900 }, "fine"],
    [{ injected: 5000, regressed: 2 }, "suspect"],
    [{ regressed: 3 }, "worse"],
  ])("says of %j, whatever pods both reject: %s", (counts, verdict) => {
    expect(verdicts(counts, { injected: 100_000 })[0]).toBe(verdict);
  });

  it.each<[Partial<ReleaseCounts>, Partial<ReleaseCounts>, string]>([
    [{ calledIn: minutes(19) }, { calledIn: minutes(60) }, "unknown"],
    [{ calledIn: minutes(60), lateIn: minutes(19) }, { calledIn: minutes(60) }, "fine"],
    [{ calledIn: minutes(60), lateIn: minutes(20) }, { calledIn: minutes(60) }, "worse"],
    [{ calledIn: minutes(60), lateIn: minutes(40) }, { calledIn: minutes(60), lateIn: minutes(40) }, "fine"],
    [{ injected: 11, calledIn: minutes(60), lateIn: minutes(60) }, { injected: 10, calledIn: minutes(60) }, "unknown"],
  ])("says of times %#: %s", (share, own, verdict) => {
    expect(verdicts({ injected: 10, ...share }, { injected: 10, ...own })[1]).toBe(verdict);
  });

  it("counts by the sign test", () => {
    expect(halfTail(0, 0)).toBe(1);
    expect(halfTail(1, 1)).toBeCloseTo(0.5, 12);
    expect(halfTail(20, 20)).toBeCloseTo(2 ** -20, 15);
    expect(halfTail(15, 20)).toBeCloseTo(0.020694732666, 9);
  });
});

describe("simulated rollouts", () => {
  it.each([20, 200, 20_000])("of %i pods a day, in which nothing is wrong, are not taken back", (perDay) => {
    const random = randomOf(perDay);
    const runs = Math.min(RUNS, 20_000);
    let returns = 0;
    for (let run = 0; run < runs; run++) {
      for (const share of [5, 25]) {
        const world = { perHour: (perDay / 24) * (share / 100), worse: 0, late: 0.02, share, looks: 32 };
        if (returned(world, random) !== undefined) returns++;
      }
    }
    expect(returns / runs).toBeLessThanOrEqual(0.001);
  });

  it("are taken back within three looks of the first counts where every pod of 200 an hour is worse off", () => {
    const random = randomOf(7);
    const times = Array.from({ length: RUNS }, () =>
      returned({ perHour: 200, worse: 1, late: 0, share: 5, looks: 240 }, random),
    );
    const sorted = times.map((time) => time ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
    expect(sorted[Math.floor(RUNS / 2)]).toBeLessThanOrEqual(2 + 3);
  });
});
