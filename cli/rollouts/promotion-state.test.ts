import type { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { assertComplete, promotionText, stateOf } from "./promotion-state.ts";

const [OLD, NEW, OTHER] = ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"] as const;

describe("stateOf()", () => {
  type Record = Parameters<typeof stateOf>[1];
  type Journal = NonNullable<Parameters<typeof stateOf>[2]>;
  const asked = { from: "canary", to: "stable", release: NEW, isReplaced: false };
  const share = (release: string) => ({ share: { release, percent: 5 } });
  const rollout = (restart: boolean): Pick<Record, "rollout"> => {
    const since = "2026-01-01T00:00:00Z";
    return { rollout: { next: [100], alarms: [], bake: 60, since, ...(restart && { restart }) } };
  };
  const journal = (said: Partial<Journal>): Journal => {
    return { question: {}, state: "done", at: "2026-01-02T00:00:00Z", ...said };
  };
  const ofShare = { share: { channel: "stable", release: NEW, since: "" } };

  it.each<[string, "new" | "under way", Record, Journal | undefined, boolean]>([
    ["nothing is under way", "new", { release: OLD }, undefined, false],
    ["all of the channel has it, and its pods may not", "under way", { release: NEW }, undefined, false],
    ["its own rollout is", "under way", { release: OLD, ...share(NEW), ...rollout(true) }, undefined, false],
    [
      "its own rollout is, and is begun anew",
      "new",
      { release: OLD, ...share(NEW), ...rollout(true) },
      undefined,
      true,
    ],
    ["another one is, and is replaced", "new", { release: OLD, ...share(OTHER), ...rollout(true) }, undefined, true],
    ["a share is that no pods judge", "new", { release: OLD, ...share(NEW), ...rollout(false) }, undefined, false],
    ["a share is that no pods judge", "new", { release: OLD, ...share(NEW) }, journal({ question: ofShare }), false],
    ["its share is gone, and its pods are there", "under way", { release: OLD }, journal({ question: ofShare }), false],
    [
      "another channel's rollout of it is complete in the same cluster",
      "new",
      { release: OLD },
      journal({ question: { share: { ...ofShare.share, channel: "canary" } } }),
      false,
    ],
    ["its share is gone, and it is replaced", "new", { release: OLD }, journal({ question: ofShare }), true],
    [
      "it is being taken back",
      "under way",
      { release: OLD },
      journal({ question: { release: NEW }, why: "its pods end", state: "stopped" }),
      false,
    ],
    [
      "it was taken back, and is tried again",
      "new",
      { release: OLD },
      journal({ question: { release: NEW }, why: "its pods end" }),
      true,
    ],
    [
      "another one was taken back",
      "new",
      { release: OLD },
      journal({ question: { release: OTHER }, why: "its pods end" }),
      false,
    ],
    ["a person restarted its pods", "new", { release: OLD }, journal({ question: { release: NEW } }), false],
  ])("where %s, it is %s", (_, state, record, last, isReplaced) => {
    expect(stateOf({ ...asked, isReplaced }, record, last)).toBe(state);
  });

  function refusal(record: Record, last?: Journal) {
    try {
      return stateOf(asked, record, last);
    } catch (error) {
      const { code, message } = error as OutriggerError;
      return { code, message };
    }
  }

  it("refuses while a rollout of another release is under way, and one that was taken back, with the way out", () => {
    expect(refusal({ release: OLD, ...share(OTHER), ...rollout(true) })).toEqual({
      code: "channel-moved",
      message: `Cannot promote ${NEW}: a rollout of ${OTHER} to stable is under way, and canary serves another release by now; take it back first (outrigger rollout abort stable), or use --force`,
    });
    expect(refusal({ release: OLD }, journal({ question: { release: NEW }, why: "its pods end" }))).toEqual({
      code: "findings",
      message: `Cannot promote ${NEW}: it was taken back at 2026-01-02T00:00:00Z: its pods end; publish a corrected release, or try it again with --force`,
    });
  });
});

describe("promotionText()", () => {
  it.each([
    ["complete", "All workloads have it: well\n"],
    ["taken-back", "It was taken back: well\n"],
    ["stopped", "It does not continue: well\n"],
    ["waiting", "It does not continue: well\n"],
  ] as const)("says of %s how it ended", (state, text) => {
    expect(promotionText({ state, why: "well" })).toBe(text);
  });
});

describe("assertComplete()", () => {
  type End = Parameters<typeof assertComplete>[0];
  const left = ["web", "pay"].map((name) => ({ workload: `shop/Deployment/${name}`, why: "it is paused" }));
  const journal = (of: typeof left) => ({ left: of }) as unknown as NonNullable<End["journal"]>;

  it("returns where all workloads have it", () => {
    expect(() => assertComplete({ state: "complete", why: "" }, NEW)).not.toThrow();
  });

  it.each<[End, string]>([
    [{ state: "taken-back", why: "pods end" }, `${NEW} was taken back: pods end`],
    [{ state: "taken-back", why: "pods end", journal: journal([]) }, `${NEW} was taken back: pods end`],
    [
      { state: "taken-back", why: "pods end", journal: journal(left) },
      `${NEW} was taken back: pods end; left as they were: shop/Deployment/web (it is paused), shop/Deployment/pay (it is paused)`,
    ],
    [{ state: "stopped", why: "" }, "It was stopped: run the same command again to continue"],
    [
      { state: "waiting", why: "an alarm is up" },
      "The rollout does not continue: an alarm is up; run the same command again, or take it back (outrigger rollout abort CHANNEL)",
    ],
  ])("ends with a finding after %j", (end, message) => {
    expect(() => assertComplete(end, NEW)).toThrow(expect.objectContaining({ code: "findings", message }));
  });
});
