// What a requester saw is named by its change: what looks the same again, and was made again, is another one.
import { beforeEach, describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";

const C = digestOfTree({ mesh: "c" });
const moved = { ok: false, error: { code: "channel-moved", message: expect.stringContaining("since you looked") } };

let setup: ReturnType<typeof publisherSetup>;

/** stable served a, then b, with canary at c. */
beforeEach(async () => {
  setup = publisherSetup({ pack: packFast });
  for (const text of ["a", "b"]) {
    await setup.edit("mesh", text);
    await setup.run({ action: "publish" });
  }
  await setup.edit("mesh", "c");
  await setup.run({ action: "publish", channel: "canary" });
});

const changeOf = (channel: string): number =>
  JSON.parse(setup.store.values()[layout.channel(channel)] as string).change;
const rollback = () => setup.run({ action: "rollback", channel: "stable" });

describe("a request that was decided on what it saw", () => {
  it("does not unpin what was pinned again since", async () => {
    await rollback();
    const change = changeOf("stable");
    await setup.run({ action: "unpin", channel: "stable" });
    await setup.run({ action: "pin", channel: "stable" });
    expect(await setup.run({ action: "unpin", channel: "stable", change })).toMatchObject(moved);
    expect((await setup.served()).pins).toEqual(["stable"]);
    const now = changeOf("stable");
    expect(await setup.run({ action: "unpin", channel: "stable", change: now })).toMatchObject({ ok: true });
  });

  it("does not approve what was asked for again since, with another share", async () => {
    const ask = (share: number) =>
      setup.run({ action: "promote", from: "canary", to: "stable", share, cause: { by: "bob", why: "" } } as never);
    const approve = (change: number) =>
      setup.run({ action: "promote", from: "canary", to: "stable", approve: true, release: C, change });
    await setup.run({ action: "set-channel", channel: "stable", approval: true });
    await ask(5);
    const change = changeOf("stable");
    await ask(50);
    expect(await approve(change)).toMatchObject(moved);
    expect((await setup.served()).shares).toBeUndefined();
    expect(await approve(changeOf("stable"))).toMatchObject({ ok: true });
    expect((await setup.served()).shares).toEqual({ stable: { release: C, percent: 50 } });
  });

  // Each by what a colleague did between the look and the request, after which stable serves what it served.
  const meanwhile = async () => {
    await setup.run({ action: "promote", from: "canary", to: "stable", share: 50 });
    await setup.run({ action: "promote", from: "canary", to: "stable", share: 0 });
  };
  const asked = {
    "publish over what was done since": { action: "publish", channel: "stable" },
    "publish over it where edits go": { action: "publish" },
    "promote over it": { action: "promote", from: "canary", to: "stable" },
    "pin it": { action: "pin", channel: "stable" },
    "change what it holds": { action: "set-channel", channel: "stable", holds: [] },
    "let edits go to it": { action: "set-channel", channel: "stable", edits: true },
    "remove it": { action: "remove-channel", channel: "stable" },
  } as const;

  it.each(Object.entries(asked))("does not %s", async (_, request) => {
    if (request.action === "remove-channel" || "edits" in request) {
      await setup.run({ action: "set-channel", channel: "canary", edits: true });
    }
    const change = changeOf("stable");
    const { release } = JSON.parse(setup.store.values()[layout.channel("stable")] as string);
    await meanwhile();
    expect(await setup.run({ ...request, serving: release, change } as never)).toMatchObject(moved);
    expect(await setup.run({ ...request, change: changeOf("stable") } as never)).toMatchObject({ ok: true });
  });
});

describe("an edit that a person accepts", () => {
  const held = { compare: () => [{ name: "sidecar-gone", example: "all" }] as const };
  const accept = { action: "publish", accept: ["sidecar-gone"] } as const;

  /** Looks with a dry run, whose answer names what is accepted. */
  async function look() {
    const answer = await setup.run({ ...accept, dryRun: true }, held);
    if (!answer.ok) throw new Error(answer.error.message);
    const { channel, release, serving } = answer;
    return { ...accept, channel, release, serving } as typeof accept;
  }

  it("is published as it was seen, and no later one with the same effect", async () => {
    const seen = await look();
    await setup.edit("mesh", "d");
    const before = await setup.served();
    expect(await setup.run(seen, held)).toMatchObject({ ok: false, error: { code: "tree-changed" } });
    expect(await setup.served()).toEqual(before);
    expect(await setup.run(await look(), held)).toMatchObject({ ok: true, release: digestOfTree({ mesh: "d" }) });
  });

  it("is not published over what the channel serves since", async () => {
    const seen = await look();
    await rollback();
    await setup.run({ action: "unpin", channel: "stable" });
    expect(await setup.run(seen, held)).toMatchObject({ ok: false, error: { code: "channel-moved" } });
  });
});

describe("a promotion that waited for a day", () => {
  it("waits for a day again when it is requested again", async () => {
    const ask = () =>
      setup.run({ action: "promote", from: "canary", to: "stable", cause: { by: "bob", why: "" } } as never);
    const approve = () => setup.run({ action: "promote", from: "canary", to: "stable", approve: true });
    await setup.run({ action: "set-channel", channel: "stable", approval: true });
    await ask();
    setup.clock.time += 25 * 60 * 60 * 1000;
    expect(await approve()).toMatchObject({ ok: false, error: { code: "channel-moved" } });
    await ask();
    expect(await approve()).toMatchObject({ ok: true, release: C });
  });
});
