import { OutriggerError } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { collectGarbage } from "../commit/collect-garbage.ts";
import { settle } from "../commit/settle.ts";
import { announceChanges } from "./announce-changes.ts";
import type { ChangeEvent } from "./change-event.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const MINUTE = 60_000;
const SHA = "ab".repeat(32);
const CLUSTER = {
  revisions: { default: "stable" },
  arn: "",
  tokens: [{ sha256: SHA, created: "2026-01-01T00:00:00Z" }],
};

let setup: ReturnType<typeof publisherSetup>;
let sent: ChangeEvent[];

beforeEach(async () => {
  setup = publisherSetup();
  sent = [];
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
});

const take = async (events: readonly ChangeEvent[]) => {
  sent.push(...events);
  return events.length;
};

/** The schedule's look, a minute after the one before. */
async function look(sendEvents: (events: readonly ChangeEvent[]) => Promise<number> = take) {
  setup.clock.time += MINUTE;
  const dependencies = { ...setup.dependencies, sendEvents };
  const { lastChange } = await settle(dependencies);
  return announceChanges(lastChange, dependencies);
}

describe("announceChanges()", () => {
  it("sends each change once, in order, with who asked and why", async () => {
    const cause = { by: "ann", why: "ticket 12" };
    await setup.run({ action: "promote", from: "stable", to: "beta", cause } as never);
    await setup.run({ action: "put-cluster", cluster: "shop", record: CLUSTER, cause } as never);
    await setup.run({ action: "set-channel", channel: "beta", approval: true, cause } as never);
    await setup.edit("mesh", "b");
    await setup.run({ action: "publish" });
    await setup.run({ action: "promote", from: "stable", to: "beta", cause } as never);
    await setup.run({
      action: "promote",
      from: "stable",
      to: "beta",
      approve: true,
      cause: { by: "bob", why: "" },
    } as never);
    await setup.run({ action: "pin", channel: "stable" });
    await setup.run({ action: "remove-cluster", cluster: "shop", cause } as never);
    expect(await look()).toBe(9);
    expect(sent.map(({ version, deployment, change }) => [version, deployment, change])).toEqual(
      sent.map((_, index) => [1, "/outrigger/dev", index + 1]),
    );
    const told = sent.map(({ action, by, why, channel = "", cluster = "", release = "" }) =>
      [action, channel, cluster, release, by, why].filter((text) => text !== "").join(" "),
    );
    expect(told).toEqual([
      `publish stable ${A} ann`,
      `promote beta ${A} ann ticket 12`,
      "put-cluster shop ann ticket 12",
      "set-channel beta ann ticket 12",
      `publish stable ${B} ann`,
      `propose beta ${B} ann ticket 12`,
      `promote beta ${B} ann, approved by bob ticket 12`,
      `pin stable ${B} ann`,
      "remove-cluster shop ann ticket 12",
    ]);
    expect(sent[2]).toMatchObject({
      cluster: "shop",
      revisions: { default: "stable" },
      message: "Cluster shop is registered",
    });
    expect(sent[7]).toMatchObject({ pinned: true, message: expect.stringContaining("pinned") });
    expect(await look()).toBe(0);
    expect(sent).toHaveLength(9);
  });

  it("tells no token, not even its digest, and nothing of a tree", async () => {
    await setup.edit("templates/sidecar", "kind: secret words");
    await setup.run({ action: "publish" });
    await setup.run({ action: "put-cluster", cluster: "shop", record: CLUSTER });
    await setup.run({ action: "add-token", cluster: "shop", sha256: "cd".repeat(32) });
    await look();
    expect(sent).toHaveLength(4);
    const text = JSON.stringify(sent);
    expect(text).toContain("add-token");
    for (const secret of [SHA, "cd".repeat(32), "secret words"]) expect(text).not.toContain(secret);
  });

  it("tells nothing of a lease that is taken, renewed and released", async () => {
    const id = "0123456789abcdef";
    await setup.run({ action: "put-cluster", cluster: "shop", record: CLUSTER });
    for (const seconds of [60, 90, 0])
      await setup.run({ action: "put-cluster", cluster: "shop", record: CLUSTER, lease: { id, seconds } });
    expect(await look()).toBe(2);
    expect(sent.map(({ action }) => action)).toEqual(["publish", "put-cluster"]);
    setup.store.forgetCalls();
    expect(await look()).toBe(0);
    // The leases too are behind it: nothing is read again and again.
    expect(setup.store.calls()).not.toHaveProperty("PutParameter");
  });

  it("leaves changes of the last seconds, before which others may not be listed yet", async () => {
    await look();
    await setup.run({ action: "pin", channel: "stable" });
    const dependencies = { ...setup.dependencies, sendEvents: take };
    expect(await announceChanges(2, dependencies)).toBe(0);
    expect(await look()).toBe(1);
  });

  it("sends what was not taken again, and what was taken no more", async () => {
    for (let times = 0; times < 8; times++) {
      await setup.run({ action: "pin", channel: "stable" });
      await setup.run({ action: "unpin", channel: "stable" });
    }
    const failing = async (): Promise<number> => {
      throw new OutriggerError("aws-unavailable", "Cannot send events");
    };
    await expect(look(failing)).rejects.toThrow("Cannot send events");
    expect(await look(async (events) => take(events.slice(0, 3)))).toBe(3);
    let calls = 0;
    const once = async (events: readonly ChangeEvent[]) => (calls++ === 0 ? take(events) : failing());
    await expect(look(once)).rejects.toThrow("Cannot send events");
    expect(sent).toHaveLength(13);
    expect(await look()).toBe(4);
    expect(sent.map(({ change }) => change)).toEqual(Array.from({ length: 17 }, (_, index) => index + 1));
  });

  it("keeps changes in the log until they are sent, for a day", async () => {
    await setup.run({ action: "pin", channel: "stable" });
    await setup.run({ action: "unpin", channel: "stable" });
    setup.clock.time += 60 * MINUTE;
    await collectGarbage({ ...setup.dependencies, sendEvents: take });
    expect(await look()).toBe(3);
    await collectGarbage({ ...setup.dependencies, sendEvents: take });
    expect(Object.keys(setup.store.values()).filter((name) => name.startsWith(layout.changes))).toHaveLength(1);
    await setup.run({ action: "pin", channel: "stable" });
    await setup.run({ action: "unpin", channel: "stable" });
    setup.clock.time += 25 * 60 * MINUTE;
    await collectGarbage({ ...setup.dependencies, sendEvents: take });
    expect(await look()).toBe(1);
  });

  it("reads nothing more where nothing was changed, and nothing at all where no bus is named", async () => {
    await look();
    const { lastChange } = await settle(setup.dependencies);
    setup.store.forgetCalls();
    expect(await announceChanges(lastChange, { ...setup.dependencies, sendEvents: take })).toBe(0);
    expect(setup.store.calls()).toEqual({ GetParameters: 1 });
    setup.store.forgetCalls();
    expect(await announceChanges(lastChange, setup.dependencies)).toBe(0);
    expect(setup.store.calls()).toEqual({});
  });
});
