// Channels that follow one another: edits go to stable, ring-2 follows it, and ring-3 follows ring-2.
import { beforeEach, describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup, type SetupOptions } from "../../../test/support/publisher-setup.ts";
import { countEach, noCounts } from "../../../test/support/simulated-rollout.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { Effect } from "../effect/effects.ts";
import type { Following } from "../rollout/following.ts";
import { reconcileRollouts } from "../rollout/reconcile-rollouts.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const C = digestOfTree({ mesh: "c" });
const HOUR = 3600;
const MINUTE = 60_000;

let setup: ReturnType<typeof publisherSetup>;

const follow = (channel: string, leader: string, more: Partial<Following> = {}) =>
  setup.run({ action: "set-channel", channel, follow: { channel: leader, after: HOUR, pods: 0, alarms: [], ...more } });

async function open(options: SetupOptions = {}) {
  setup = publisherSetup({ pack: packFast, ...options });
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
  for (const [ring, leader] of [
    ["ring-2", "stable"],
    ["ring-3", "ring-2"],
  ] as const) {
    await setup.run({ action: "promote", from: "stable", to: ring });
    expect(await follow(ring, leader)).toMatchObject({ ok: true, changed: true });
  }
}

beforeEach(() => open());

const publish = async (text: string) => {
  await setup.edit("mesh", text);
  expect(await setup.run({ action: "publish" })).toMatchObject({ ok: true });
};
/** The schedule, once a minute for so long. */
async function pass(minutes: number, more: Partial<PublisherDependencies> = {}) {
  const steps = [];
  for (let minute = 0; minute < minutes; minute++) {
    setup.clock.time += MINUTE;
    steps.push(...(await reconcileRollouts({ ...setup.dependencies, ...more })).stepped);
  }
  return steps;
}
const served = async () => {
  const { channels, shares } = await setup.served();
  return ["stable", "ring-2", "ring-3"].map((name) => {
    const share = shares?.[name];
    return share === undefined ? channels[name] : `${channels[name]}, ${share.release} to ${share.percent} %`;
  });
};
const record = (channel: string) => JSON.parse(setup.store.values()[layout.channel(channel)] as string);
const lastOf = (steps: Awaited<ReturnType<typeof pass>>, channel: string) =>
  steps.findLast((step) => step.channel === channel);

describe("a channel that follows another one", () => {
  it("takes its release once that was served for long enough, one ring after the other, and once each", async () => {
    await publish("b");
    await pass(59);
    expect(await served()).toEqual([B, A, A]);
    await pass(2);
    expect(await served()).toEqual([B, B, A]);
    await pass(58);
    expect(await served()).toEqual([B, B, A]);
    await pass(4);
    expect(await served()).toEqual([B, B, B]);
    await pass(200);
    const moves = record("ring-3").history.map(({ release, by }: { release: string; by: string }) => [release, by]);
    expect(moves).toEqual([
      [B, "the ring"],
      [A, "ann"],
    ]);
    expect(record("ring-3").history[0].why).toMatch(/^ring-2 has served it for 1h/);
  });

  it("begins anew with each release, and takes the newest", async () => {
    await publish("b");
    await pass(50);
    await publish("c");
    await pass(50);
    expect(await served()).toEqual([C, A, A]);
    await pass(30);
    expect(await served()).toEqual([C, C, A]);
  });

  it("moves past no pin, neither of its own nor of the one that it follows", async () => {
    await publish("b");
    await setup.run({ action: "pin", channel: "stable" });
    await pass(200);
    expect(await served()).toEqual([B, A, A]);
    await setup.run({ action: "unpin", channel: "stable" });
    await setup.run({ action: "pin", channel: "ring-2" });
    await pass(200);
    expect(await served()).toEqual([B, A, A]);
    await setup.run({ action: "unpin", channel: "ring-2" });
    await pass(200);
    expect(await served()).toEqual([B, B, B]);
  });

  it("moves past no pin that is made while it is judged, whatever the pinned channel serves", async () => {
    await publish("b");
    await pass(59);
    const counts = { ...noCounts, injected: 100 };
    let pinned = 0;
    const countReleases: PublisherDependencies["countReleases"] = async () => {
      if (pinned++ === 0) await setup.run({ action: "pin", channel: "stable" });
      return [counts, counts];
    };
    const steps = await pass(5, { countReleases });
    expect(pinned).toBeGreaterThan(0);
    expect(await served()).toEqual([B, A, A]);
    expect(lastOf(steps, "ring-2")?.verdict.why).toBe(`stable is pinned to ${B}`);
    await setup.run({ action: "unpin", channel: "stable" });
    await pass(2, { countReleases });
    expect(await served()).toEqual([B, B, A]);
  });

  it("leaves a rollback alone, and the rings behind it stay", async () => {
    await publish("b");
    await pass(70);
    await setup.run({ action: "rollback", channel: "ring-2" });
    await setup.run({ action: "unpin", channel: "ring-2" });
    const steps = await pass(300);
    expect(await served()).toEqual([B, A, A]);
    expect(lastOf(steps, "ring-2")?.verdict.why).toContain(`it has taken ${B} back`);
    // A person's word, or another release, goes on.
    await publish("c");
    await pass(200);
    expect(await served()).toEqual([C, C, C]);
  });

  it("goes on by shares, and a share that is taken back is not begun again", async () => {
    const rollout = { next: [100], bake: 600, alarms: ["errors"] };
    await follow("ring-2", "stable", { share: 5, rollout });
    const quiet = { alarmStates: async () => ({ errors: "OK" as const }) };
    await publish("b");
    await pass(62, quiet);
    expect(await served()).toEqual([B, `${A}, ${B} to 5 %`, A]);
    const loud = { alarmStates: async () => ({ errors: "ALARM" as const }) };
    await pass(2, loud);
    expect(await served()).toEqual([B, A, A]);
    await pass(300, quiet);
    expect(await served()).toEqual([B, A, A]);
    await publish("c");
    await pass(90, quiet);
    expect(await served()).toEqual([C, C, A]);
  });

  it("waits for what its channel holds, says so once it is stuck, and goes on when a person has accepted it", async () => {
    const gone: Effect = { name: "container-gone", example: "istio-proxy" };
    await publish("b");
    const holding = { compare: () => [gone] };
    const steps = await pass(70, holding);
    expect(await served()).toEqual([B, A, A]);
    const { verdict, result } = lastOf(steps, "ring-2") ?? {};
    expect(verdict).toMatchObject({ kind: "wait", stuck: expect.any(Number) });
    expect(verdict?.why).toContain("outrigger promote stable ring-2 --accept container-gone");
    expect(result).toBeUndefined();
    // What is known to wait is not judged again, as long as nothing has changed; the next release is.
    const refusals = new Map();
    let compared = 0;
    const counting = {
      ...setup.dependencies,
      compare: () => {
        compared++;
        return [gone];
      },
    };
    let once = 0;
    for (let minute = 0; minute < 5; minute++) {
      setup.clock.time += MINUTE;
      const { stepped } = await reconcileRollouts(counting, refusals);
      expect(stepped.find(({ channel }) => channel === "ring-2")?.verdict.why).toBe(verdict?.why);
      once ||= compared;
    }
    expect([once > 0, compared]).toEqual([true, once]);
    await setup.run({ action: "set-channel", channel: "ring-2", holds: ["image"] });
    await reconcileRollouts({ ...counting, compare: () => [] }, refusals);
    expect(await served()).toEqual([B, B, A]);
    await setup.run({ action: "rollback", channel: "ring-2" });
    await setup.run({ action: "unpin", channel: "ring-2" });
    const accept = ["container-gone"] as const;
    await setup.run({ action: "promote", from: "stable", to: "ring-2", accept }, holding);
    await pass(70);
    expect(await served()).toEqual([B, B, B]);
  });

  it("asks for approval once, and goes on when another person has given it", async () => {
    await setup.run({ action: "set-channel", channel: "ring-2", approval: true });
    await publish("b");
    const steps = await pass(100);
    expect(await served()).toEqual([B, A, A]);
    expect(record("ring-2").proposal).toMatchObject({ from: "stable", release: B, by: "the ring" });
    expect(steps.filter(({ channel, result }) => channel === "ring-2" && result !== undefined)).toHaveLength(1);
    expect(lastOf(steps, "ring-2")?.verdict).toMatchObject({ why: `another person has to approve ${B}` });
    await setup.run({ action: "promote", from: "stable", to: "ring-2", approve: true });
    expect(await served()).toEqual([B, B, A]);
  });

  it("moves once though two looks come at once", async () => {
    await publish("b");
    setup.clock.time += 61 * MINUTE;
    await Promise.all([reconcileRollouts(setup.dependencies), reconcileRollouts(setup.dependencies)]);
    expect(await served()).toEqual([B, B, A]);
    expect(record("ring-2").history).toHaveLength(2);
  });

  it("leaves to the primary what a replica serves", async () => {
    await publish("b");
    const { store } = setup;
    await pass(200, { primary: { store, layout, name: "eu-central-1" } });
    expect(await served()).toEqual([B, A, A]);
  });

  it("is judged by what the release did, read only when it is due", async () => {
    const asked: string[] = [];
    const countReleases = countEach((release) => {
      asked.push(release);
      return { ...noCounts, injected: 100, failed: release === B ? 50 : 0 };
    });
    await pass(100, { countReleases });
    await publish("b");
    await pass(55, { countReleases });
    expect(asked).toEqual([]);
    const steps = await pass(10, { countReleases });
    expect(asked.slice(0, 2)).toEqual([B, A]);
    expect(await served()).toEqual([B, A, A]);
    expect(lastOf(steps, "ring-2")?.verdict).toMatchObject({ kind: "wait", stuck: expect.any(Number) });
    expect(lastOf(steps, "ring-2")?.verdict.why).toContain(`${B} is worse in stable: 50 of its 150 calls failed`);
  });

  it("costs no call of the store while nothing is due", async () => {
    const callsOfLook = async () => {
      await pass(3);
      const before: Readonly<Record<string, number>> = { ...setup.store.calls() };
      await pass(1);
      return Object.entries(setup.store.calls()).map(([name, count]) => [name, count - (before[name] ?? 0)]);
    };
    const following = await callsOfLook();
    for (const ring of ["ring-2", "ring-3"]) await setup.run({ action: "set-channel", channel: ring, follow: null });
    expect(following).toEqual(await callsOfLook());
  });

  it("keeps what it follows whatever it serves, until a person ends that", async () => {
    await publish("b");
    await pass(200);
    await setup.run({ action: "set-channel", channel: "ring-2", approval: true });
    expect(record("ring-2").follows).toEqual({ channel: "stable", after: HOUR, pods: 0, alarms: [] });
    expect(await setup.run({ action: "set-channel", channel: "ring-2", follow: null })).toMatchObject({
      changed: true,
    });
    expect(record("ring-2")).not.toHaveProperty("follows");
    await publish("c");
    await pass(200);
    expect(await served()).toEqual([C, B, B]);
  });
});

describe("what a channel may follow", () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ["itself", () => follow("ring-2", "ring-2"), "ring-2 follows ring-2, in a circle"],
    ["one that follows it", () => follow("ring-2", "ring-3"), "ring-2 follows ring-3 follows ring-2, in a circle"],
    ["one that is not there", () => follow("ring-2", "nowhere"), "there is none of that name"],
    ["any, where edits go to it", () => follow("stable", "ring-3"), "take edits and follow a channel: edits go to it"],
    [
      "one, and take edits",
      () => setup.run({ action: "set-channel", channel: "ring-2", edits: true }),
      "take edits and follow a channel: it follows stable",
    ],
    [
      "one that is removed",
      () => setup.run({ action: "remove-channel", channel: "ring-2" }),
      'ring-3 follows it; end that with "outrigger channel follow ring-3 none" first',
    ],
  ])("is not %s", async (_what, ask, why) => {
    expect(await ask()).toMatchObject({ ok: false, error: { message: expect.stringContaining(why) } });
    expect(record("ring-2").follows).toMatchObject({ channel: "stable" });
  });
});
