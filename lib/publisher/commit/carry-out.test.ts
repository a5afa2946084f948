import type { ParameterWrite } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import type { ClusterRecord } from "@outrigger/serving";
import { beforeEach, describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { compileWords, digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import type { LoggedChange } from "../records/log-entry.ts";
import { reconcileRollouts } from "../rollout/reconcile-rollouts.ts";
import { runPublisher } from "../run-publisher.ts";
import { carryOut } from "./carry-out.ts";
import type { Decision } from "./decision.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const HOUR = 60 * 60 * 1000;
const CLUSTER: ClusterRecord = {
  arn: "arn:aws:eks:eu-west-1:111122223333:cluster/c1",
  revisions: { default: "stable" },
  tokens: [],
};

let setup: ReturnType<typeof publisherSetup>;
beforeEach(async () => {
  setup = publisherSetup();
  await publish("a");
});

async function publish(text: string, channel = "stable"): Promise<void> {
  await setup.edit("mesh", text);
  await setup.run({ action: "publish", channel });
}

async function apply(change: Decision["change"], dryRun = false, newRelease?: Decision["newRelease"]) {
  const request = { action: "replicate", cause: { by: "ann", why: "" }, dryRun } as const;
  const result = await carryOut(request, () => ({ change, newRelease, message: "" }), setup.dependencies);
  const { seq, changed, warnings, problems = [] } = result;
  return { seq, changed, warnings, problems };
}

function moveTo(release: string, name: string): LoggedChange {
  const move = { action: "pin", release, at: "2026-01-02T03:04:05.000Z", by: "ann", why: "" } as const;
  return { kind: "channel", name, move, pinned: false };
}

const writes = () => setup.store.calls().PutParameter ?? 0;
const stored = (name: string) => setup.store.values()[name];

describe("carryOut() to a store that answers no more", () => {
  const silent = () => Promise.reject(new OutriggerError("store-unavailable", "Rate exceeded"));
  const store = (name: string) => ({
    ...setup.store,
    putParameter: (write: ParameterWrite) => (write.name === name ? silent() : setup.store.putParameter(write)),
  });

  it("says which change it has declared, and the schedule serves that", async () => {
    await setup.edit("mesh", "b");
    const cause = { by: "ann", why: "" };
    const asked = runPublisher({ action: "publish", cause }, { ...setup.dependencies, store: store(layout.head) });
    const words =
      /^Rate exceeded; change 2 is declared, and the schedule makes it once the store answers: stable serves \w+ now/;
    expect(await asked).toMatchObject({
      ok: false,
      error: { code: "store-unavailable", message: expect.stringMatching(words) },
    });
    setup.clock.time += 60_000;
    await reconcileRollouts(setup.dependencies, new Map());
    expect((await setup.served()).channels).toEqual({ stable: B });
  });

  it("says nothing of a change before one is declared", async () => {
    await setup.edit("mesh", "b");
    const cause = { by: "ann", why: "" };
    const unwritable = { ...setup.dependencies, store: { ...setup.store, putParameter: silent } };
    const message = "Rate exceeded";
    expect(await runPublisher({ action: "publish", cause }, unwritable)).toMatchObject({
      ok: false,
      error: { message },
    });
  });
});

describe("carryOut() to a record that cannot be read", () => {
  beforeEach(async () => {
    await publish("b", "canary");
    await setup.run({ action: "put-cluster", cluster: "c1", record: CLUSTER });
    await setup.put(layout.channel("canary"), "nonsense");
    await setup.put(layout.cluster("c1"), "nonsense");
  });

  it("takes away a channel's, and what was served of it", async () => {
    const applied = await apply({ kind: "channel", name: "canary", record: null });
    expect(applied).toMatchObject({ changed: true, problems: [{ path: layout.cluster("c1") }] });
    expect(stored(layout.channel("canary"))).toBeUndefined();
    expect((await setup.served()).channels).toEqual({ stable: A });
  });

  it("takes away a cluster's, and what was served of it", async () => {
    const applied = await apply({ kind: "cluster", name: "c1", record: null });
    expect(applied).toMatchObject({ changed: true, problems: [{ path: layout.channel("canary") }] });
    expect(stored(layout.cluster("c1"))).toBeUndefined();
    expect((await setup.served()).clusters).toEqual({});
  });

  it("writes it again, with nothing left to report", async () => {
    expect(await apply(moveTo(A, "canary"))).toMatchObject({
      changed: true,
      problems: [{ path: layout.cluster("c1") }],
    });
    expect(await apply({ kind: "cluster", name: "c1", record: CLUSTER })).toMatchObject({
      changed: true,
      problems: [],
    });
    expect(await setup.served()).toMatchObject({ channels: { canary: A, stable: A }, clusters: { c1: CLUSTER } });
    expect(JSON.parse(stored(layout.cluster("c1")) ?? "")).toEqual({ ...CLUSTER, change: expect.any(Number) });
  });

  it("leaves it alone when another record changes, with what is served of it", async () => {
    const applied = await apply(moveTo(A, "beta"));
    expect(applied).toMatchObject({ changed: true, problems: [{}, {}] });
    expect(await setup.served()).toMatchObject({
      channels: { beta: A, canary: B, stable: A },
      clusters: { c1: CLUSTER },
    });
    expect(stored(layout.channel("canary"))).toBe("nonsense");
  });
});

describe("carryOut()", () => {
  it("writes nothing where the record is there already, or gone already", async () => {
    await apply({ kind: "cluster", name: "c1", record: CLUSTER });
    setup.store.forgetCalls();
    expect(await apply({ kind: "cluster", name: "c1", record: { ...CLUSTER } })).toMatchObject({ changed: false });
    expect(await apply({ kind: "cluster", name: "c2", record: null })).toMatchObject({ changed: false });
    expect(await apply({ kind: "channel", name: "beta", record: null })).toMatchObject({ changed: false });
    expect(await apply(undefined)).toMatchObject({ changed: false });
    expect(writes()).toBe(0);
    expect(setup.store.calls()).not.toHaveProperty("DeleteParameters");
  });

  it("says that nothing would change where a dry run has nothing to do", async () => {
    expect(await apply(undefined, true)).toEqual({
      seq: (await setup.served()).seq,
      changed: false,
      problems: [],
      warnings: [],
    });
  });

  it("says what would change, and writes nothing, where it is a dry run", async () => {
    const { seq } = await setup.served();
    setup.store.forgetCalls();
    const release = {
      digest: B,
      release: compileWords([{ mesh: "b" }]),
      origin: { at: "", by: "ann", why: "" } as never,
    };
    const applied = await apply(moveTo(B, "stable"), true, release);
    expect(applied).toEqual({ seq, changed: true, problems: [], warnings: [] });
    expect(writes()).toBe(0);
  });

  it("says that a dry run would finish what was left half done", async () => {
    const { [layout.mirrorPart(0)]: mirror } = setup.store.values();
    await setup.put(layout.mirrorPart(0), "half");
    expect(await apply(undefined, true)).toMatchObject({ changed: true });
    expect(stored(layout.mirrorPart(0))).toBe("half");
    expect(await apply(undefined)).toMatchObject({ changed: true });
    expect(stored(layout.mirrorPart(0))).toBe(mirror);
    await setup.store.deleteParameters([layout.head]);
    expect(await apply(undefined, true)).toMatchObject({ changed: true, seq: 0 });
  });

  it("takes away what no channel names any more, a day later where a person waits for it", async () => {
    await publish("b", "canary");
    setup.clock.time += HOUR + 1000;
    const unnamed = layout.release("000000000000");
    await setup.bucket.putObject({ key: unnamed, text: "x" });
    const isThere = (key: string) => setup.bucket.objectTable().has(key);
    setup.clock.time += 2 * HOUR;
    await apply({ kind: "channel", name: "canary", record: null });
    expect(isThere(unnamed)).toBe(true);
    setup.clock.time += 24 * HOUR;
    await apply({ kind: "cluster", name: "c1", record: CLUSTER });
    expect([isThere(unnamed), isThere(layout.release(B))]).toEqual([false, false]);
  });

  it("takes superseded snapshots away only when something changed", async () => {
    await publish("b");
    const snapshots = () =>
      [...setup.bucket.objectTable().keys()].filter((key) => /\/objects\/[0-9a-f]{32}$/.test(key)).length;
    setup.clock.time += 24 * HOUR + 1000;
    await apply(undefined);
    expect(snapshots()).toBe(2);
    await apply({ kind: "cluster", name: "c1", record: CLUSTER });
    expect(snapshots()).toBe(2);
    setup.clock.time += 24 * HOUR + 1000;
    await apply({ kind: "cluster", name: "c2", record: CLUSTER });
    expect(snapshots()).toBe(2);
  });

  it("says how much is free before nothing can be published any more", async () => {
    const pack = (json: string) => ({ ...packFast(json), text: "x".repeat(2_600_000) });
    const record = (network: string) => ({ ...CLUSTER, network });
    const put = (network: string, more: object) =>
      setup.run({ action: "put-cluster", cluster: "c1", record: record(network) }, more);
    expect(await put("n1", {})).toMatchObject({ ok: true, warnings: [] });
    const full = expect.stringContaining("takes 2600000 of 3145728 characters (82 %), and 545728 are free");
    expect(await put("n2", { pack })).toMatchObject({ ok: true, warnings: [full] });
  });
});

describe("carryOut() of a request that was carried out before", () => {
  it("finds it behind an entry that cannot be read", async () => {
    await publish("b");
    const rollback = { action: "rollback", channel: "stable", id: "request-1" } as const;
    expect(await setup.run(rollback)).toMatchObject({ ok: true, release: A, changed: true });
    await setup.run({ action: "unpin", channel: "stable" });
    const [last] = Object.keys(setup.store.values())
      .filter((name) => name.startsWith(layout.changes))
      .toSorted((a, b) => Number(b.split("/").at(-1)) - Number(a.split("/").at(-1)));
    await setup.put(last as string, "nonsense");
    const before = stored(layout.channel("stable"));
    expect(await setup.run(rollback)).toMatchObject({ ok: true, release: A });
    expect(stored(layout.channel("stable"))).toBe(before);
  });
});

describe("the warnings of a release", () => {
  it("are answered by a repeated publish, and by no other action", async () => {
    const compile = (layers: Parameters<typeof compileWords>[0]) =>
      ({ ...compileWords(layers), warnings: [{ severity: "warning", path: "", message: "odd" }] }) as never;
    await setup.edit("mesh", "c");
    const publication = { action: "publish", id: "publish-01" } as const;
    const first = await setup.run(publication, { compile });
    expect(first).toMatchObject({ ok: true, warnings: [{ message: "odd" }] });
    expect(await setup.run(publication, { compile })).toMatchObject({
      ok: true,
      warnings: [{ message: "odd" }],
    });
    const pin = { action: "pin", channel: "stable", id: "pin-000001" } as const;
    for (const _ of [1, 2]) expect(await setup.run(pin)).toMatchObject({ ok: true, warnings: [] });
  });
});
