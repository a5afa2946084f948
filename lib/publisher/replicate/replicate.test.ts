// A replica and its primary, each before a store of its own: what is taken over, what is left alone, and the result of a crash.

import type { ParameterStore } from "@outrigger/aws";
import { decorate, OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { packIntoBucket } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { releaseBefore } from "../records/channel-record.ts";
import { readRecords } from "../records/read-records.ts";
import { readState } from "../records/read-state.ts";

const [A, B, C] = ["a", "b", "c"].map((text) => digestOfTree({ mesh: text })) as [string, string, string];
const clusterOf = (letter: string, channel = "stable") => ({
  revisions: { default: channel },
  arn: "",
  tokens: [{ sha256: letter.repeat(64), created: "2026-01-01" }],
});

type Setup = ReturnType<typeof publisherSetup>;

/** A primary with two channels and two clusters, and a replica that has taken nothing over yet. */
async function setups() {
  const primary = publisherSetup({ seed: false });
  for (const text of ["a", "b"]) await publish(primary, text);
  await publish(primary, "c", "canary");
  await primary.run({ action: "promote", from: "canary", to: "stable", share: 20 });
  await primary.run({ action: "put-cluster", cluster: "shop", record: clusterOf("1") });
  await primary.run({ action: "put-cluster", cluster: "canary", record: clusterOf("2") });
  const replica = publisherSetup({ seed: false });
  replica.clock.time += 60_000;
  return { primary, replica, follow: followerOf(primary.store, replica) };
}

function followerOf(reader: ParameterStore, replica: Setup) {
  return (more: { readonly force?: true; readonly dryRun?: true } = {}, store: ParameterStore = replica.store) =>
    replica.run({ action: "replicate", ...more }, { store, primary: { store: reader, layout, name: "eu-west-1" } });
}

const lastChange = async ({ dependencies }: Setup) => (await readState(dependencies)).lastChange;

async function publish({ edit, run }: Setup, text: string, channel?: string) {
  await edit("mesh", text);
  expect(await run({ action: "publish", ...(channel === undefined ? {} : { channel }) })).toMatchObject({ ok: true });
}

/** Returns what readers are given, without what each deployment counts and has by itself. */
async function contentOf({ served }: Setup) {
  const { channels, clusters, shares, pins, releases } = await served();
  const { canary: _, ...others } = clusters;
  return { channels, clusters: others, shares, pins, releases: Object.keys(releases).sort() };
}

describe("replicate()", () => {
  it("serves what the primary serves, with its history, and then finds nothing to do", async () => {
    const { primary, replica, follow } = await setups();
    const result = await follow();
    expect(result).toMatchObject({ ok: true, changed: true, message: expect.stringContaining("from eu-west-1: ") });
    expect(await contentOf(replica)).toEqual(await contentOf(primary));
    expect((await replica.served()).clusters).not.toHaveProperty("canary");
    const [there, here] = await Promise.all([primary, replica].map(({ dependencies }) => readRecords(dependencies)));
    expect(here?.channels).toEqual(there?.channels);
    expect(releaseBefore(here?.channels["stable"] ?? { release: "", pinned: false, history: [] })).toBe(A);
    const before = replica.store.values();
    const message = "This deployment serves what eu-west-1 serves";
    expect(await follow()).toMatchObject({ ok: true, changed: false, message });
    expect(replica.store.values()).toEqual(before);
  });

  it("takes over each later change, and never what lay between", async () => {
    const { primary, replica, follow } = await setups();
    await follow();
    await publish(primary, "d");
    await primary.run({ action: "rollback", channel: "stable", release: A });
    await primary.run({ action: "add-token", cluster: "shop", sha256: "3".repeat(64) });
    await primary.run({ action: "retire-token", cluster: "shop", sha256: "1".repeat(64) });
    const result = await follow();
    expect(result).toMatchObject({ message: expect.stringMatching(`: stable serves ${A}, pinned; cluster shop`) });
    expect(result).toMatchObject({ message: expect.not.stringContaining(" more") });
    expect(await contentOf(replica)).toEqual(await contentOf(primary));
    expect((await replica.served()).clusters["shop"]?.tokens).toEqual([
      { sha256: "3".repeat(64), created: expect.any(String) },
    ]);
    expect(Object.keys(replica.store.values()).join()).not.toContain(digestOfTree({ mesh: "d" }));
  });

  it("takes over whether promotions need approval", async () => {
    const { primary, replica, follow } = await setups();
    await primary.run({ action: "set-channel", channel: "stable", approval: true });
    await follow();
    const approval = async () => (await readRecords(replica.dependencies)).channels["stable"]?.approval;
    expect(await approval()).toBe(true);
    expect(await follow()).toMatchObject({ changed: false });
    await primary.run({ action: "set-channel", channel: "stable", approval: false });
    await follow();
    expect(await approval()).toBeUndefined();
  });

  it("says what it would do, and writes nothing", async () => {
    const { replica, follow } = await setups();
    const result = await follow({ dryRun: true });
    expect(result).toMatchObject({ changed: true, message: expect.stringContaining("Would take over from eu-west-1") });
    expect(replica.store.values()).toEqual({});
  });

  it("leaves a channel that was moved in the replica as it is, until it is forced", async () => {
    const { primary, replica, follow } = await setups();
    await follow();
    await replica.run({ action: "rollback", channel: "stable", release: A });
    await publish(primary, "d");
    const result = await follow();
    expect(result).toMatchObject({
      ok: true,
      problems: [{ code: "channel-moved", message: expect.stringContaining(`to ${A} (rollback by ann`) }],
    });
    expect((await replica.served()).channels["stable"]).toBe(A);
    expect(await follow({ force: true })).not.toHaveProperty("problems");
    expect(await contentOf(replica)).toEqual(await contentOf(primary));
  });

  it("removes what the primary has removed, and nothing else", async () => {
    const { primary, replica, follow } = await setups();
    await primary.run({ action: "put-cluster", cluster: "lost", record: clusterOf("4") });
    await follow();
    await replica.run({ action: "put-cluster", cluster: "own", record: clusterOf("5") });
    await replica.run({ action: "put-cluster", cluster: "canary", record: clusterOf("6") });
    await primary.run({ action: "remove-cluster", cluster: "shop" });
    await primary.store.deleteParameters([layout.cluster("lost")]);
    const changes = Object.keys(primary.store.values()).filter((name) => name.startsWith(layout.changes));
    for (const change of changes) await primary.store.deleteParameters([change]);
    expect(await follow()).toMatchObject({ message: expect.stringContaining("cluster shop is removed") });
    expect(Object.keys((await replica.served()).clusters)).toEqual(["canary", "lost", "own"]);
    await primary.run({ action: "put-cluster", cluster: "lost", record: clusterOf("4", "canary") });
    await primary.run({ action: "remove-channel", channel: "stable" });
    expect((await follow()).ok).toBe(true);
    // Clusters of the replica itself are still served from it.
    expect(Object.keys((await replica.served()).channels)).toEqual(["canary", "stable"]);
  });

  it("removes a channel that no cluster uses, and keeps one of the replica itself and one whose record is lost", async () => {
    const { primary, replica, follow } = await setups();
    for (const channel of ["spare", "lost"]) await publish(primary, "c", channel);
    await follow();
    await publish(replica, "c", "own");
    await primary.run({ action: "remove-channel", channel: "spare" });
    await primary.store.deleteParameters([layout.channel("lost")]);
    const changes = Object.keys(primary.store.values()).filter((name) => name.startsWith(layout.changes));
    for (const change of changes) await primary.store.deleteParameters([change]);
    expect(await follow()).toMatchObject({ message: expect.stringContaining("channel spare is removed") });
    expect(Object.keys((await replica.served()).channels)).toEqual(["canary", "lost", "own", "stable"]);
  });

  it("changes nothing when the primary cannot be read, or is empty", async () => {
    const { primary, replica, follow } = await setups();
    await follow();
    const before = replica.store.values();
    const reader: ParameterStore = {
      ...primary.store,
      getParametersByPath: async () => {
        throw new OutriggerError("store-unavailable", "Cannot read: it does not answer");
      },
    };
    const down = await followerOf(reader, replica)();
    expect(down).toMatchObject({ ok: false, error: { code: "store-unavailable" } });
    const empty = await followerOf(publisherSetup().store, replica)();
    expect(empty).toMatchObject({ ok: false, error: { code: "channel-unknown" } });
    expect(replica.store.values()).toEqual(before);
  });

  it("refuses a release that this version cannot serve, and serves what it served", async () => {
    const { primary, replica, follow } = await setups();
    await follow();
    await publish(primary, "d");
    const load = () => {
      throw new OutriggerError("release-unsupported", "Cannot load it");
    };
    const options = { load, primary: { store: primary.store, layout, name: "eu-west-1" } };
    const result = await replica.run({ action: "replicate" }, options);
    expect(result).toMatchObject({ ok: false, error: { code: "release-unsupported" } });
    expect((await replica.served()).channels["stable"]).toBe(B);
  });

  it("is refused where there is no primary, and publishing where there is one", async () => {
    const { primary, replica } = await setups();
    const alone = await primary.run({ action: "replicate" });
    expect(alone).toMatchObject({ ok: false, error: { message: expect.stringContaining("set replicaOf") } });
    const options = { primary: { store: primary.store, layout, name: "eu-west-1" } };
    const published = await replica.run({ action: "publish" }, options);
    expect(published).toMatchObject({ error: { message: expect.stringContaining("replica of eu-west-1") } });
  });

  it("continues from wherever it was stopped, and what is served is whole all the time", async () => {
    const { primary, replica: first, follow } = await setups();
    first.store.forgetCalls();
    await follow();
    const calls = Object.values(first.store.calls()).reduce((sum, count) => sum + count, 0);
    const after = await contentOf(first);
    expect([calls > 40, after.channels]).toEqual([true, { canary: C, stable: B }]);
    for (let call = 0; call < calls; call += 7) {
      const replica = publisherSetup({ seed: false });
      replica.clock.time += 60_000;
      const again = followerOf(primary.store, replica);
      await expect(again({}, stoppingAt(replica.store, call))).rejects.toThrow("stopped");
      const between = await replica.served().catch(() => undefined);
      for (const name of Object.keys(between?.clusters ?? {})) expect(after.clusters).toHaveProperty(name);
      expect(await again()).toMatchObject({ ok: true });
      expect(await contentOf(replica)).toEqual(after);
      await primary.run({ action: "put-cluster", cluster: "x", record: clusterOf("7") });
      await again();
      await primary.run({ action: "remove-cluster", cluster: "x" });
      await again();
      expect(await contentOf(replica)).toEqual(after);
    }
  });
});

/** A store that ends the process before a call. */
function stoppingAt(store: ParameterStore, at: number): ParameterStore {
  let call = 0;
  const step = <Answer>(made: () => Promise<Answer>): Promise<Answer> => {
    if (call++ >= at) throw new Error("stopped");
    return made();
  };
  return {
    getParameters: async (names, options) => step(() => store.getParameters(names, options)),
    getParametersByPath: async (page, options) => step(() => store.getParametersByPath(page, options)),
    putParameter: async (write, options) => step(() => store.putParameter(write, options)),
    deleteParameters: async (names, options) => step(() => store.deleteParameters(names, options)),
    objects: decorate(store.objects, async (_method, args, call) => step(async () => call(...args))),
  };
}

describe("replicate() as a step of one move in all Regions", () => {
  const asReplica = (primary: Setup) => ({ primary: { store: primary.store, layout, name: "eu-west-1" } });

  it("copies a release that was prepared, and serves what it served", async () => {
    const { primary, replica, follow } = await setups();
    await follow();
    const before = await contentOf(replica);
    await primary.edit("mesh", "d");
    const D = digestOfTree({ mesh: "d" });
    const served = await contentOf(primary);
    expect(await primary.run({ action: "publish", prepare: true })).toMatchObject({
      ok: true,
      release: D,
      changed: false,
    });
    expect(await contentOf(primary)).toEqual(served);
    const copied = await replica.run({ action: "replicate", copy: D }, asReplica(primary));
    expect(copied).toMatchObject({ ok: true, release: D, changed: false });
    expect(await contentOf(replica)).toEqual(before);
    expect(replica.bucket.objectTable().has(layout.release(D))).toBe(true);
    const other = await primary.run({ action: "publish", release: A });
    expect(other).toMatchObject({ ok: false, error: { code: "tree-changed" } });
    expect(await primary.run({ action: "publish", release: D })).toMatchObject({ ok: true, changed: true });
  });

  it("says which release it would copy, and writes nothing", async () => {
    const { primary, replica } = await setups();
    const dry = await replica.run({ action: "replicate", copy: C, dryRun: true }, asReplica(primary));
    expect(dry).toMatchObject({ ok: true, release: C, changed: false });
    expect(replica.store.values()).toEqual({});
  });

  it("refuses a release that its version cannot serve, or that the primary does not have, and keeps nothing of it", async () => {
    const { primary, replica } = await setups();
    const before = replica.store.values();
    const load = () => {
      throw new OutriggerError("release-unsupported", "another version");
    };
    const unfit = await replica.run({ action: "replicate", copy: C }, { ...asReplica(primary), load });
    expect(unfit).toMatchObject({ ok: false, error: { code: "release-unsupported" } });
    const unknown = await replica.run({ action: "replicate", copy: "0".repeat(12) }, asReplica(primary));
    expect(unknown).toMatchObject({ ok: false, error: { code: "release-unknown" } });
    expect(replica.store.values()).toEqual(before);
  });

  it("waits until the primary shows the move, and says so where it never does", async () => {
    const { primary, replica, follow } = await setups();
    await follow();
    const until = { channel: "canary", change: (await lastChange(primary)) + 1 };
    const never = await replica.run({ action: "replicate", until }, asReplica(primary));
    expect(never).toMatchObject({ ok: false, error: { code: "store-unavailable" } });
    const waits = async () => {
      await primary.run({ action: "pin", channel: "canary", release: B });
    };
    const asked = await replica.run({ action: "replicate", until }, { ...asReplica(primary), sleep: waits });
    expect(asked).toMatchObject({ ok: true, changed: true });
    expect((await replica.served()).channels["canary"]).toBe(B);
  });

  it("takes over a move of the same millisecond as the one before: two clocks may say the same", async () => {
    const { primary, replica, follow } = await setups();
    const now = () => new Date("2026-01-03T00:00:00Z");
    for (const percent of [30, 40]) {
      await primary.run({ action: "promote", from: "canary", to: "stable", share: percent }, { now });
      await follow();
    }
    expect((await replica.served()).shares).toEqual({ stable: { release: C, percent: 40 } });
  });

  it("waits for the very move, where an earlier one served the same release", async () => {
    const { primary, replica, follow } = await setups();
    await follow();
    const until = { channel: "stable", change: (await lastChange(primary)) + 1 };
    const waits = async () => {
      await primary.run({ action: "promote", from: "canary", to: "stable", share: 50 });
    };
    const asked = await replica.run({ action: "replicate", until }, { ...asReplica(primary), sleep: waits });
    expect(asked).toMatchObject({ ok: true, changed: true });
    expect((await replica.served()).shares).toEqual({ stable: { release: C, percent: 50 } });
  });

  it("copies releases into a bucket of its own", async () => {
    const primary = publisherSetup({ seed: false, bucket: "first", pack: packIntoBucket });
    await publish(primary, "a");
    const replica = publisherSetup({ seed: false, bucket: "second" });
    expect(await replica.run({ action: "replicate" }, asReplica(primary))).toMatchObject({ ok: true, changed: true });
    expect((await replica.served()).channels).toEqual({ stable: A });
    const { text } = (await primary.bucket.getObject(layout.release(A))) ?? {};
    expect((await replica.bucket.getObject(layout.release(A)))?.text.split("\n")[1]).toBe(text?.split("\n")[1]);
    expect(JSON.parse(replica.store.values()[layout.head] ?? "")).toMatchObject({ bucket: "second" });
  });

  it("remembers a thousand clusters on the standard tier, and removes what the primary has removed of them", async () => {
    const both = ["first", "second"].map((bucket) => publisherSetup({ seed: false, bucket, pack: packIntoBucket }));
    const [primary, replica] = both as [Setup, Setup];
    const follow = followerOf(primary.store, replica);
    await publish(primary, "a");
    expect(await follow()).toMatchObject({ ok: true });
    const names = Array.from({ length: 1000 }, (_, number) => `c${String(number).padStart(4, "0")}`);
    for (const [number, name] of names.entries()) {
      const tokens = [{ sha256: number.toString(16).padStart(64, "0"), created: "2026-01-01" }];
      // In both already: what follows is about what is remembered.
      for (const { put } of both)
        await put(layout.cluster(name), JSON.stringify({ ...clusterOf(""), tokens, change: 1 }));
    }
    expect(await follow()).toMatchObject({ ok: true });
    expect(Object.keys((await replica.served()).clusters)).toEqual(names);
    await primary.store.deleteParameters(["c0000", "c0500", "c0999"].map(layout.cluster));
    expect(await follow()).toMatchObject({
      ok: true,
      message: expect.stringMatching(/(; cluster c0\d{3} is removed){2}/),
    });
    const left = names.filter((_, number) => number % 500 !== 0 && number !== 999);
    expect(Object.keys((await replica.served()).clusters)).toEqual(left);
    // What is registered here by itself, under the name of one that was removed, is not the primary's.
    await replica.run({ action: "put-cluster", cluster: "c0500", record: clusterOf("f") });
    expect(await follow()).toMatchObject({ ok: true, changed: false });
    expect((await replica.served()).clusters).toHaveProperty("c0500");
  });
});
