import { describe, expect, it } from "vitest";
import type { MeasuredPods, Trouble, WorkloadHealth } from "./measure-pods.ts";
import { canCompare, podSignals, tail, tallyBefore } from "./pod-signals.ts";

const DONE = { state: "done", done: 10, left: [] } as const;
const workloads = (
  place: WorkloadHealth["place"],
  count: number,
  troubled = 0,
  trouble: Trouble = "restarted",
  seconds = 5,
) =>
  Array.from({ length: count }, (_, index): WorkloadHealth => {
    const troubles = new Set<Trouble>(index < troubled ? [trouble] : []);
    return { name: `${place}-${index}`, place, troubles, seconds };
  });
const pods = (...groups: readonly (readonly WorkloadHealth[])[]): MeasuredPods => ({
  workloads: groups.flat(),
  releases: {},
});
const verdicts = (measured: MeasuredPods, before = tallyBefore(pods(workloads("gained", 10)))) =>
  podSignals(measured, { ...DONE, before }).map(({ name, verdict }) => `${name}: ${verdict}`);

describe("podSignals()", () => {
  it.each<[string, MeasuredPods, string]>([
    ["none suffers", pods(workloads("share", 10), workloads("others", 190)), "pods: fine"],
    ["most suffer", pods(workloads("share", 10, 6), workloads("others", 190)), "restarted: worse"],
    ["two suffer", pods(workloads("share", 10, 2), workloads("others", 190)), "restarted: suspect"],
    ["one suffers", pods(workloads("share", 10, 1), workloads("others", 20)), "restarted: fine"],
    ["all suffer alike", pods(workloads("share", 10, 5), workloads("others", 190, 95)), "restarted: fine"],
    ["they are slow", pods(workloads("share", 10, 0, "restarted", 90), workloads("others", 90)), "slow: worse"],
    ["there are none", pods(workloads("others", 90)), "pods: unknown"],
  ])("judges a share where %s", (_what, measured, signal) => {
    expect(verdicts(measured)).toEqual(["back: fine", signal]);
  });

  it.each([
    [4, 2, false],
    [5, 2, false],
    [5, 6, true],
    [1, 60, true],
    [9, 0, false],
  ])("says whether %i workloads can be compared with %i others", (share, others, isEnough) => {
    expect(canCompare(share, others)).toBe(isEnough);
    const [worst] = podSignals(pods(workloads("share", share, share), workloads("others", others)));
    expect(worst?.verdict !== "fine").toBe(isEnough);
  });

  it("does not blame a release for what its workloads suffered before", () => {
    const before = tallyBefore(pods(workloads("gained", 10, 6)));
    expect(verdicts(pods(workloads("share", 10, 6)), before)).toEqual(["back: fine", "restarted: fine"]);
  });

  it("is worse where a workload does not come back, but for what is the author's own", () => {
    const failure = { workload: "shop/Deployment/web", why: "it crashes" };
    const [back] = podSignals(pods(), { ...DONE, state: "failed", failure });
    expect(back).toEqual({ name: "back", verdict: "worse", why: "shop/Deployment/web does not come back: it crashes" });
    expect(podSignals(pods(), { ...DONE, failure: { ...failure, isOwn: true } })[0]?.verdict).toBe("suspect");
  });

  it.each([
    ["done", 1, "1 restarted workload is back"],
    ["done", 2, "2 restarted workloads are back"],
    ["running", 1, "1 restarted workload is back so far"],
    ["running", 2, "2 restarted workloads are back so far"],
  ] as const)("says of a restart that is %s how many workloads are back: %i", (state, done, why) => {
    const verdict = state === "done" ? "fine" : "unknown";
    expect(podSignals(pods(), { state, done, left: [] })[0]).toEqual({ name: "back", verdict, why });
  });

  it.each([
    [1, "the pods of its 1 workload are well"],
    [2, "the pods of its 2 workloads are well"],
  ])("says that all is well with %i of its workloads", (count, why) => {
    expect(podSignals(pods(workloads("share", count)))).toEqual([{ name: "pods", verdict: "fine", why }]);
  });

  it("compares with the others alone where nothing was restarted", () => {
    const found = podSignals(pods(workloads("share", 10, 6), workloads("others", 190, 1)));
    expect(found).toEqual([
      { name: "restarted", verdict: "worse", why: "6 of 10 workloads restarted (1 of 190 others)" },
    ]);
  });

  it("counts by Fisher's exact test", () => {
    expect(tail(0, 5, 0, 10)).toBe(1);
    expect(tail(3, 4, 4, 8)).toBeCloseTo(17 / 70, 12);
    expect(tail(5, 5, 5, 10)).toBeCloseTo(1 / 252, 12);
  });
});
