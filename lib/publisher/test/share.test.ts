// A channel that serves a second release to a share of its workloads: begun, grown, made whole and taken back.
import { beforeEach, describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { decideMove } from "../channel/decide-move.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import { readState } from "../records/read-state.ts";
import { parsePublisherRequest } from "../request/parse-request.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const C = digestOfTree({ mesh: "c" });
const cause = { by: "ann", why: "" };

let setup: ReturnType<typeof publisherSetup>;
beforeEach(async () => {
  setup = publisherSetup({ pack: packFast });
  await setup.publishTwo();
});

const share = (percent: number, more: object = {}) =>
  setup.run({ action: "promote", from: "canary", to: "stable", share: percent, ...more });

async function served() {
  const { channels, shares, releases, pins } = await setup.served();
  return { channels, shares, releases: Object.keys(releases).sort(), pins };
}

describe("a share of a channel", () => {
  it("begins, grows, and becomes the release for all, in one command each", async () => {
    for (const percent of [5, 25]) {
      expect(await share(percent)).toMatchObject({ ok: true, release: B, changed: true });
      expect(await served()).toEqual({
        channels: { canary: B, stable: A },
        shares: { stable: { release: B, percent } },
        releases: [A, B].sort(),
        pins: [],
      });
    }
    expect(await share(100)).toMatchObject({ ok: true, release: B });
    expect(await served()).toMatchObject({ channels: { canary: B, stable: B }, shares: undefined });
  });

  it("is taken back by 0, and says what is served then", async () => {
    await share(5);
    expect(await share(0)).toMatchObject({
      ok: true,
      release: A,
      message: `stable serves ${A} to all workloads; ${B} is taken back from 5 %`,
    });
    expect(await served()).toMatchObject({ channels: { stable: A }, shares: undefined });
    expect(await share(0)).toMatchObject({ changed: false });
  });

  it("serves the releases that it names when no other channel does, as long as it does", async () => {
    await share(5);
    await setup.edit("mesh", "c");
    await setup.run({ action: "publish", channel: "canary" });
    expect(await served()).toMatchObject({
      channels: { canary: C, stable: A },
      shares: { stable: { release: B, percent: 5 } },
      releases: [A, B, C].sort(),
    });
    setup.clock.time += 24 * 3_600_000;
    await setup.run({ action: "repair" });
    expect(setup.bucket.objectTable().has(layout.release(B))).toBe(true);
  });

  it("continues next to an edit, and ends with a rollback", async () => {
    await share(5);
    await setup.edit("mesh", "c");
    await setup.run({ action: "publish", automatic: true });
    expect(await served()).toMatchObject({ channels: { stable: C }, shares: { stable: { release: B } } });
    expect(await setup.run({ action: "rollback", channel: "stable" })).toMatchObject({ ok: true, release: C });
    expect(await served()).toMatchObject({ channels: { stable: C }, shares: undefined, pins: ["stable"] });
  });

  it("does not begin on a pinned channel, unless the request says so, and stays through a pin", async () => {
    await setup.run({ action: "pin", channel: "stable" });
    expect(await share(5)).toMatchObject({ ok: false, error: { code: "channel-pinned" } });
    await setup.run({ action: "unpin", channel: "stable" });
    await share(5);
    await setup.run({ action: "pin", channel: "stable" });
    expect(await served()).toMatchObject({ shares: { stable: { percent: 5 } }, pins: ["stable"] });
    expect(await share(0)).toMatchObject({ ok: true });
  });

  it("is refused for a channel that does not exist, and where the channel has moved", async () => {
    const request = { action: "promote", from: "canary", to: "other", share: 5 } as const;
    expect(await setup.run(request)).toMatchObject({ ok: false, error: { code: "channel-unknown" } });
    expect(await share(5, { serving: C })).toMatchObject({ ok: false, error: { code: "channel-moved" } });
  });

  it("is kept as served when the channel's record is deleted by hand", async () => {
    await share(5);
    await setup.store.deleteParameters([layout.channel("stable")]);
    await setup.edit("mesh", "c");
    await setup.run({ action: "publish", channel: "canary" });
    expect(await served()).toMatchObject({ channels: { stable: A }, shares: { stable: { release: B, percent: 5 } } });
  });

  it("is not read where the record is not one, and is asked for in whole percent only", async () => {
    await setup.put(
      layout.channel("stable"),
      `{"release":"${A}","pinned":false,"share":{"release":"${B}","percent":500},"history":[]}`,
    );
    expect(await setup.run({ action: "repair" })).toMatchObject({ problems: [{ code: "store-corrupt" }] });
    for (const percent of [-1, 0.5, 101, "5"]) {
      const request = { action: "promote", from: "canary", to: "stable", share: percent, cause };
      expect(() => parsePublisherRequest(request)).toThrow(/whole number from 0 to 100/);
    }
  });
});

describe("a channel that needs approval and is pinned", () => {
  beforeEach(async () => {
    await setup.run({ action: "set-channel", channel: "stable", approval: true });
    await setup.run({ action: "pin", channel: "stable" });
  });

  it("takes no proposal, unless it says to unpin", async () => {
    const promotion = { action: "promote", from: "canary", to: "stable" } as const;
    expect(await setup.run(promotion)).toMatchObject({ ok: false, error: { code: "channel-pinned" } });
    expect(await setup.run({ ...promotion, unpin: true })).toMatchObject({
      ok: true,
      message: expect.stringContaining("until another person approves"),
    });
  });
});

describe("a step of a rollout that is over", () => {
  it("says what is served by now, to one who saw a share", async () => {
    const step = {
      action: "step-rollout",
      channel: "stable",
      direction: "next",
      seen: { release: B, percent: 5 },
    } as const;
    const error = expect.objectContaining({
      code: "channel-moved",
      message: expect.stringContaining("it serves one release to all workloads by now"),
    });
    expect(await setup.run(step)).toMatchObject({ ok: false, error });
  });
});

describe("a proposal of a release that is not in the store", () => {
  it("is refused when it is made, not when it is approved", async () => {
    await setup.run({ action: "set-channel", channel: "stable", approval: true });
    expect(await setup.store.objects.getObject(layout.release(B))).toBeDefined();
    await setup.store.objects.deleteObject(layout.release(B));
    expect(await setup.run({ action: "promote", from: "canary", to: "stable" })).toMatchObject({
      ok: false,
      error: { code: "release-unknown" },
    });
  });
});

describe("decideMove()", () => {
  const decide = async (dryRun: boolean, percent: number, more: Partial<ChannelRecord> = {}) => {
    const state = await readState(setup.dependencies);
    const record = { ...(state.channels["stable"] as ChannelRecord), ...more };
    const { release, pinned } = record;
    const shared = percent === 0 ? {} : { share: { release: B, percent } };
    return decideMove(
      "stable",
      { action: "promote", release, pinned, ...shared },
      { cause, dryRun },
      { ...state, channels: { ...state.channels, stable: record } },
      setup.dependencies,
    );
  };

  it("changes the channel's record by one move, which says what it is for", async () => {
    expect(await decide(false, 5)).toEqual({
      change: {
        kind: "channel",
        name: "stable",
        pinned: false,
        move: { action: "promote", release: A, at: expect.any(String), ...cause, share: { release: B, percent: 5 } },
      },
      message: `stable serves ${B} to 5 % of the workloads, and ${A} to the others`,
      channel: "stable",
      release: B,
    });
  });

  it("changes nothing where the share is as before, and says so", async () => {
    const shared = { release: B, percent: 5 };
    expect(await decide(true, 5, { share: shared })).toEqual({
      message: `stable serves ${B} to 5 % of the workloads, and ${A} to the others, as before`,
      channel: "stable",
      release: B,
    });
  });

  it("takes a share back by 0, on a pinned channel too", async () => {
    const decision = await decide(false, 0, { share: { release: B, percent: 5 }, pinned: true });
    expect(decision).toMatchObject({
      change: { kind: "channel", pinned: true },
      message: `stable serves ${A} to all workloads; ${B} is taken back from 5 %, pinned`,
      release: A,
    });
    expect(decision.change).not.toHaveProperty("move.share");
  });

  it.each([
    [false, true, ", pinned"],
    [true, true, ", pinned"],
    [true, false, ", not pinned any more"],
    [false, false, ""],
  ])("says whether edits move the channel, where it was pinned: %s, and is: %s", async (before, pinned, text) => {
    const state = await readState(setup.dependencies);
    const record = { ...(state.channels["stable"] as ChannelRecord), pinned: before };
    const { message } = await decideMove(
      "stable",
      { action: pinned ? "pin" : "unpin", release: A, pinned },
      { cause },
      { ...state, channels: { ...state.channels, stable: record } },
      { ...setup.dependencies, primary: { name: "another" } as never },
    );
    expect(message).toBe(`stable serves ${A}, as before${text}`);
  });
});
