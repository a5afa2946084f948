// Rollouts: shares that continue, or go back, by themselves, and promotions that another person approves.

import { OutriggerError } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { countEach, noCounts } from "../../../test/support/simulated-rollout.ts";
import { parsePublisherRequest } from "../request/parse-request.ts";
import { runPublisher } from "../run-publisher.ts";
import { durationText, judgeRollout } from "./judge-rollout.ts";
import { reconcileRollouts } from "./reconcile-rollouts.ts";
import { type AlarmStates, isRolloutPlan, type RolloutPlan } from "./rollout.ts";
import type { ReleaseCounts } from "./signals.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const C = digestOfTree({ mesh: "c" });
const MINUTE = 60_000;
const PLAN: RolloutPlan = { next: [25, 100], bake: 1800, alarms: ["errors"] };

let setup: ReturnType<typeof publisherSetup>;
let states: Record<string, AlarmStates[string]>;
let unreadable: boolean;
const alarm = (state: AlarmStates[string]) => () => {
  states = { ...states, errors: state };
};
beforeEach(async () => {
  states = { errors: "OK", other: "OK" };
  unreadable = false;
  setup = publisherSetup({
    pack: packFast,
    alarmStates: async (names) => {
      if (unreadable) throw new OutriggerError("aws-denied", "Cannot read alarms");
      return Object.fromEntries(names.flatMap((name) => (states[name] === undefined ? [] : [[name, states[name]]])));
    },
  });
  await setup.publishTwo();
});

const begin = (rollout: RolloutPlan = PLAN, share = 5) =>
  setup.run({ action: "promote", from: "canary", to: "stable", share, rollout });
const reconcile = async () => (await reconcileRollouts(setup.dependencies)).stepped;
const record = () => JSON.parse(setup.store.values()[layout.channel("stable")] as string);
async function served() {
  const { channels, shares } = await setup.served();
  return [channels["stable"], shares?.["stable"]?.percent];
}

describe("a rollout", () => {
  it("continues when each share has baked, to all workloads, and not before", async () => {
    expect(await begin()).toMatchObject({ ok: true, message: expect.stringContaining("25 %, 100 % every 30m") });
    setup.clock.time += 29 * MINUTE;
    expect(await reconcile()).toMatchObject([{ channel: "stable", verdict: { kind: "wait" } }]);
    expect(await served()).toEqual([A, 5]);
    setup.clock.time += 2 * MINUTE;
    expect(await reconcile()).toMatchObject([{ verdict: { kind: "advance", percent: 25 }, result: { ok: true } }]);
    expect(await served()).toEqual([A, 25]);
    await reconcile();
    expect(await served()).toEqual([A, 25]);
    setup.clock.time += 31 * MINUTE;
    await reconcile();
    expect(await served()).toEqual([A, 100]);
    expect(record().rollout).toMatchObject({ next: [], bake: 1800 });
    setup.clock.time += 29 * MINUTE;
    await reconcile();
    expect(await served()).toEqual([A, 100]);
    setup.clock.time += 2 * MINUTE;
    await reconcile();
    expect(await served()).toEqual([B, undefined]);
    expect(await reconcile()).toEqual([]);
    expect(record()).toMatchObject({
      release: B,
      pinned: false,
      history: [{ action: "promote", by: "the rollout" }, { share: { percent: 100 } }, {}, {}, {}],
    });
    expect(record()).not.toHaveProperty("rollout");
  });

  it("whose workloads are restarted is left to who sees their pods, but its alarms are watched", async () => {
    expect(await begin({ ...PLAN, restart: true })).toMatchObject({
      message: expect.stringContaining("25 %, 100 % when the pods before have been good for 30m"),
    });
    setup.clock.time += 100 * MINUTE;
    expect(await reconcile()).toMatchObject([{ verdict: { kind: "wait", isBaking: true } }]);
    await setup.run({ action: "step-rollout", channel: "stable", direction: "next" });
    expect([await served(), record().rollout.restart]).toEqual([[A, 25], true]);
    await setup.run({ action: "step-rollout", channel: "stable", direction: "next" });
    expect(await served()).toEqual([A, 100]);
    states["errors"] = "ALARM";
    await reconcile();
    expect(await served()).toEqual([A, undefined]);
  });

  it("is taken back as soon as an alarm is up, whatever else", async () => {
    await begin();
    await setup.run({ action: "pin", channel: "stable" });
    states["errors"] = "ALARM";
    expect(await reconcile()).toMatchObject([
      { verdict: { kind: "abort", why: "alarm errors is up" }, result: { ok: true } },
    ]);
    expect(await served()).toEqual([A, undefined]);
    expect(record()).toMatchObject({ release: A, pinned: true, history: [{ why: "alarm errors is up" }, {}, {}, {}] });
  });

  it.each([
    ["its alarm has no data", alarm("INSUFFICIENT_DATA"), "has no data"],
    ["its alarm was deleted", alarm(undefined), "there is no alarm errors"],
    ["the channel is pinned", () => setup.run({ action: "pin", channel: "stable" }), "pinned"],
    [
      "its alarms cannot be read",
      () => {
        unreadable = true;
      },
      "cannot be read",
    ],
  ])("waits while %s", async (_what, happen, why) => {
    await begin();
    await happen();
    setup.clock.time += 31 * MINUTE;
    expect(await reconcile()).toMatchObject([{ verdict: { kind: "wait", why: expect.stringContaining(why) } }]);
    expect(await served()).toEqual([A, 5]);
  });

  it("makes a step once, however often and by however many it is made", async () => {
    await begin();
    setup.clock.time += 31 * MINUTE;
    await Promise.all([reconcile(), reconcile(), reconcile()]);
    await reconcile();
    expect(await served()).toEqual([A, 25]);
    expect(record().history.filter((move: { by: string }) => move.by === "the rollout")).toHaveLength(1);
  });

  it("does not undo what a person did meanwhile", async () => {
    await begin();
    setup.clock.time += 31 * MINUTE;
    const seen = { release: B, percent: 5 };
    await setup.run({ action: "promote", from: "canary", to: "stable", share: 50, replace: true });
    const late = await setup.run({ action: "step-rollout", channel: "stable", direction: "next", seen });
    expect(late).toMatchObject({ ok: false, error: { code: "channel-moved" } });
    expect(await served()).toEqual([A, 50]);
    expect(await reconcile()).toEqual([]);
  });

  it("does not take back a share that a person made again while it looked: the same share is another one", async () => {
    await begin();
    states["errors"] = "ALARM";
    const again = async (names: readonly string[]) => {
      const read = await setup.dependencies.alarmStates?.(names);
      states["errors"] = "OK";
      await setup.run({ action: "step-rollout", channel: "stable", direction: "back" });
      expect(await begin()).toMatchObject({ ok: true });
      return read ?? {};
    };
    const { stepped } = await reconcileRollouts({ ...setup.dependencies, alarmStates: again });
    expect(stepped).toMatchObject([{ result: { ok: false, error: { code: "channel-moved" } } }]);
    expect(await served()).toEqual([A, 5]);
  });

  it("is moved on and taken back by a person", async () => {
    await begin({ ...PLAN, alarms: [] });
    expect(await setup.run({ action: "step-rollout", channel: "stable", direction: "next" })).toMatchObject({
      ok: true,
    });
    expect(await served()).toEqual([A, 25]);
    expect(await setup.run({ action: "step-rollout", channel: "stable", direction: "back" })).toMatchObject({
      ok: true,
    });
    expect(await served()).toEqual([A, undefined]);
    // A kind of its own: nothing was promoted.
    expect(record().history[0]).toMatchObject({ action: "abort", release: A });
    expect(record().history[0]).not.toHaveProperty("share");
    expect(await setup.run({ action: "step-rollout", channel: "stable", direction: "back" })).toMatchObject({
      changed: false,
    });
    const none = await setup.run({ action: "step-rollout", channel: "stable", direction: "next" });
    expect(none).toMatchObject({ ok: false, error: { code: "usage" } });
  });

  it("does not continue to a release that cannot be loaded, and still goes back", async () => {
    await begin({ ...PLAN, alarms: [] });
    const load = () => {
      throw new OutriggerError("release-unsupported", "Cannot load the release");
    };
    const step = (direction: "next" | "back") =>
      setup.run({ action: "step-rollout", channel: "stable", direction }, { load });
    expect(await step("next")).toMatchObject({ ok: false, error: { code: "release-unsupported" } });
    expect(await served()).toEqual([A, 5]);
    expect(await step("back")).toMatchObject({ ok: true });
    expect(await served()).toEqual([A, undefined]);
  });

  it("keeps an edit waiting, and ends with a rollback", async () => {
    await begin();
    await setup.edit("mesh", "c");
    expect(await setup.run({ action: "publish", automatic: true })).toMatchObject({ ok: true, changed: false });
    expect(record()).toMatchObject({ release: A, share: { percent: 5 }, rollout: PLAN });
    await setup.run({ action: "rollback", channel: "stable" });
    expect(await reconcile()).toEqual([]);
    expect(await served()).toEqual([A, undefined]);
  });

  it.each([
    [{ ...PLAN, alarms: ["nowhere"] }, 5, "no alarm nowhere"],
    [{ ...PLAN, next: [5] }, 5, "must be more than"],
    [PLAN, 100, "begins with a share"],
  ])("with %j from %i %% is refused before anything is served", async (plan, share, why) => {
    expect(await begin(plan, share)).toMatchObject({ ok: false, error: { message: expect.stringContaining(why) } });
    states["errors"] = "ALARM";
    expect(await begin()).toMatchObject({ ok: false, error: { message: expect.stringContaining("up already") } });
    expect(await served()).toEqual([A, undefined]);
  });

  it("is asked for with a plan only", () => {
    const request = { action: "promote", from: "canary", to: "stable", share: 5, cause: { by: "ann", why: "" } };
    expect(parsePublisherRequest({ ...request, rollout: PLAN })).toMatchObject({ rollout: PLAN });
    for (const rollout of [
      {},
      { ...PLAN, next: [25, 25] },
      { ...PLAN, bake: 59 },
      { ...PLAN, alarms: [""] },
      { ...PLAN, x: 1 },
    ]) {
      expect(isRolloutPlan(rollout)).toBe(false);
      expect(() => parsePublisherRequest({ ...request, rollout })).toThrow("rollout");
    }
    const now = Date.parse("2026-01-01T00:00:00Z");
    const rollout = { next: [], alarms: ["errors"], since: "2025-01-01T00:00:00Z" };
    const context = { states: { errors: "OK" as const }, signals: [], share: 5, isPinned: false, now };
    expect(judgeRollout(rollout, context)).toMatchObject({ kind: "wait" });
    expect([0, 45, 60, 5400, 604800].map(durationText)).toEqual(["0s", "45s", "1m", "1h30m", "168h"]);
  });
});

describe("a rollout that watches its own release", () => {
  let counts: Record<string, Partial<ReleaseCounts>>;
  let refused: OutriggerError | undefined;
  const look = async () => {
    const countReleases = countEach((release) => {
      if (refused !== undefined) throw refused;
      return { ...noCounts, ...counts[release] };
    });
    return (await reconcileRollouts({ ...setup.dependencies, countReleases })).stepped;
  };
  beforeEach(async () => {
    counts = {};
    refused = undefined;
    await begin({ next: [100], bake: 600, alarms: [] });
  });

  it("takes its share back without any alarm when it could not inject what the other could", async () => {
    counts = { [A]: { injected: 500, denied: 40 }, [B]: { injected: 7, regressed: 3 } };
    const why = "its release could not inject 3 pods that the channel's own could";
    expect(await look()).toMatchObject([{ verdict: { kind: "abort", why }, result: { ok: true } }]);
    expect(await served()).toEqual([A, undefined]);
  });

  it("does not continue while one pod was worse off, and says since when it is stuck", async () => {
    counts = { [B]: { injected: 70, regressed: 1 } };
    setup.clock.time += 20 * MINUTE;
    expect(await look()).toMatchObject([{ verdict: { kind: "wait", stuck: expect.any(Number) } }]);
    expect(await served()).toEqual([A, 5]);
  });

  it("continues watching once all workloads have it, and goes back from there", async () => {
    counts = { [B]: { injected: 30 } };
    setup.clock.time += 11 * MINUTE;
    expect(await look()).toMatchObject([
      { verdict: { kind: "advance", why: expect.stringContaining("none of 30 pods") } },
    ]);
    expect(await served()).toEqual([A, 100]);
    counts = { [B]: { injected: 300, regressed: 4 } };
    await look();
    expect(await served()).toEqual([A, undefined]);
  });

  it("says how few calls it was judged by", async () => {
    counts = { [B]: { injected: 2 } };
    setup.clock.time += 11 * MINUTE;
    expect(await look()).toMatchObject([{ verdict: { why: expect.stringContaining("2 of the 10 calls") } }]);
    expect(record().history[0].why).toContain("2 of the 10 calls");
  });

  it("does not continue unwatched where nothing can be counted, and says so", async () => {
    refused = new OutriggerError("aws-denied", "Cannot count what releases did");
    setup.clock.time += 11 * MINUTE;
    expect(await look()).toMatchObject([
      { verdict: { kind: "wait", why: "what its release does cannot be counted" }, result: { ok: false } },
    ]);
    expect(await served()).toEqual([A, 5]);
  });
});

describe("a channel whose promotions another person approves", () => {
  const as = (by: string, request: object, why = "") =>
    runPublisher(
      { action: "promote", from: "canary", to: "stable", ...request, cause: { by, why } } as never,
      setup.dependencies,
    );

  beforeEach(async () => {
    await setup.run({ action: "set-channel", channel: "stable", approval: true });
  });

  it("serves what was asked for once it is approved, and not to the person who asked", async () => {
    expect(await as("ann", {})).toMatchObject({
      ok: true,
      changed: true,
      message: expect.stringContaining("--approve"),
    });
    expect(await as("ann", {})).toMatchObject({ ok: true, changed: false });
    expect(await served()).toEqual([A, undefined]);
    expect(await as("ann", { approve: true })).toMatchObject({ ok: false, error: { code: "channel-pinned" } });
    expect(await as("bob", { approve: true })).toMatchObject({ ok: true, release: B });
    expect(await served()).toEqual([B, undefined]);
    expect(record()).toMatchObject({ approval: true, history: [{ by: "ann, approved by bob" }, {}] });
    expect(record()).not.toHaveProperty("proposal");
    expect(await as("bob", { approve: true })).toMatchObject({ ok: false, error: { code: "channel-moved" } });
  });

  it.each([
    ["", "a faster proxy"],
    ["tried on canary", "tried on canary"],
  ])("keeps the reason of the proposal where who approves gives %j", async (why, kept) => {
    await as("ann", {}, "a faster proxy");
    await as("bob", { approve: true }, why);
    expect(record().history[0]).toMatchObject({ by: "ann, approved by bob", why: kept });
  });

  it("begins the rollout that was asked for", async () => {
    await as("ann", { share: 5, rollout: PLAN });
    expect(await served()).toEqual([A, undefined]);
    await as("bob", { approve: true });
    expect(await served()).toEqual([A, 5]);
    expect(record().rollout).toMatchObject(PLAN);
    setup.clock.time += 31 * MINUTE;
    await reconcile();
    expect(await served()).toEqual([A, 25]);
  });

  it("approves what was asked for, and not what canary serves since", async () => {
    await as("ann", {});
    await setup.edit("mesh", "c");
    await setup.run({ action: "publish", channel: "canary" });
    expect(await as("bob", { approve: true, release: C })).toMatchObject({
      ok: false,
      error: { code: "channel-moved" },
    });
    expect(await as("bob", { approve: true, release: B })).toMatchObject({ ok: true, release: B });
  });

  it("forgets what was asked for a day ago, and when the channel was moved", async () => {
    await as("ann", {});
    setup.clock.time += 25 * 60 * MINUTE;
    expect(await as("bob", { approve: true })).toMatchObject({ ok: false, error: { code: "channel-moved" } });
    await as("ann", {});
    await setup.run({ action: "pin", channel: "stable" });
    expect(await as("bob", { approve: true })).toMatchObject({ ok: false, error: { code: "channel-moved" } });
  });

  it("takes no edit, no publication and no release that it has not served, and goes back freely", async () => {
    await setup.edit("mesh", "c");
    expect(await setup.run({ action: "publish", automatic: true })).toMatchObject({
      ok: true,
      changed: false,
      release: A,
    });
    const refused = { ok: false, error: { code: "channel-pinned" } };
    expect(await setup.run({ action: "publish", unpin: true })).toMatchObject(refused);
    expect(await setup.run({ action: "rollback", channel: "stable", release: B })).toMatchObject(refused);
    expect(await setup.run({ action: "pin", channel: "stable", release: B })).toMatchObject(refused);
    expect(await served()).toEqual([A, undefined]);
    await as("ann", {});
    await as("bob", { approve: true });
    expect(await setup.run({ action: "rollback", channel: "stable" })).toMatchObject({ ok: true, release: A });
    expect(record()).toMatchObject({ approval: true, pinned: true });
  });

  it("keeps its record, and what it serves, where the record is deleted or damaged by hand", async () => {
    const name = layout.channel("stable");
    for (const value of [undefined, "nonsense"]) {
      if (value === undefined) await setup.store.deleteParameters([name]);
      else await setup.put(name, value);
      await setup.run({
        action: "put-cluster",
        cluster: `c${value}`,
        record: { revisions: { default: "canary" }, arn: "" },
      });
      expect(await served()).toEqual([A, undefined]);
    }
    setup.clock.time += 60 * MINUTE;
    await setup.run({ action: "repair" });
    expect(await served()).toEqual([A, undefined]);
  });

  it("is one no more once that is switched off", async () => {
    expect(await setup.run({ action: "set-channel", channel: "stable", approval: false })).toMatchObject({
      changed: true,
    });
    expect(await setup.run({ action: "set-channel", channel: "stable", approval: false })).toMatchObject({
      changed: false,
    });
    expect(await as("ann", {})).toMatchObject({ ok: true, release: B });
    expect(await served()).toEqual([B, undefined]);
    const unknown = await setup.run({ action: "set-channel", channel: "nowhere", approval: true });
    expect(unknown).toMatchObject({ ok: false, error: { code: "channel-unknown" } });
  });
});
