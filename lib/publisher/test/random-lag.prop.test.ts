// Two publishers, looks, a replica and readers at once, while every reading shows each parameter as it was up to two seconds ago, one
// as it was and the next as it is. Whatever a reader gets is what the log says up to the change that it names; of a replica, what
// the log said of each channel once.
import { layoutOf } from "@outrigger/aws";
import { entryOf, jsonEqual } from "@outrigger/base";
import { seededRandom } from "@outrigger/fake-aws";
import { readSnapshot, type Share } from "@outrigger/serving";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { laggingSim } from "../../../test/support/lagging-sim.ts";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { compileWords, layout } from "../../../test/support/publisher-setup.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { LoggedChange } from "../records/log-entry.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import { reconcileRollouts } from "../rollout/reconcile-rollouts.ts";
import { runPublisher } from "../run-publisher.ts";
import { reconcileSource } from "../source/reconcile-source.ts";

/** Thousands with OUTRIGGER_LAG_RUNS. */
const numRuns = Number(process.env["OUTRIGGER_LAG_RUNS"] ?? 10);

const replica = layoutOf("/outrigger/west");
const LAG = 2000;
const SKEW = 1000;
const sha256 = "ab".repeat(32);
const record = { revisions: { default: "stable" }, arn: "" };
const PLAN = { next: [25, 50, 100], bake: 60, alarms: [] };

const REQUESTS: readonly object[] = [
  { action: "publish" },
  { action: "publish", channel: "canary" },
  { action: "publish", automatic: true },
  { action: "promote", from: "canary", to: "stable" },
  { action: "promote", from: "canary", to: "stable", share: 5, rollout: PLAN },
  { action: "promote", from: "stable", to: "beta" },
  { action: "remove-channel", channel: "beta" },
  { action: "rollback", channel: "stable" },
  { action: "rollback", channel: "canary" },
  { action: "unpin", channel: "stable" },
  { action: "unpin", channel: "canary" },
  { action: "step-rollout", channel: "stable", direction: "next" },
  { action: "step-rollout", channel: "stable", direction: "back" },
  { action: "put-cluster", cluster: "shop", record },
  { action: "add-token", cluster: "shop", sha256 },
  { action: "retire-token", cluster: "shop", sha256 },
  { action: "remove-cluster", cluster: "shop" },
  { action: "repair" },
];

/** The content that readers are to get after a change. */
interface Expected {
  readonly channels: Readonly<Record<string, string>>;
  readonly shares: Readonly<Record<string, Share>>;
  readonly clusters: readonly string[];
}

describe("runPublisher() while each parameter's reading is up to two seconds behind", () => {
  it("never gives a reader another map of channels than the log has, and answers what was made", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), (seed) => runSchedule(seed)),
      { numRuns, endOnFailure: true },
    );
  }, 3_600_000);
});

async function runSchedule(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  let lag = 0;
  const expected = new Map<number, Expected>([[0, { channels: {}, shares: {}, clusters: [] }]]);
  const made = new Set<string>();
  const sim = laggingSim({
    random,
    lag: () => lag,
    latency: 60,
    onWrite: (name, value) => {
      if (value === undefined || !name.startsWith(`${layout.changes}/`)) return;
      const number = Number(name.slice(layout.changes.length + 1));
      const { change, id } = JSON.parse(value) as { readonly change: LoggedChange; readonly id: string };
      made.add(id);
      const before = expected.get(number - 1);
      if (before === undefined) throw new Error(`Change ${number} was made before the one before it`);
      expected.set(number, after(before, change));
    },
  });
  const dependencies = (skew = 0): PublisherDependencies => ({
    store: sim.store,
    layout,
    bucket: "releases",
    tier: "Standard",
    shipped: {},
    compile: compileWords,
    load: () => undefined,
    compare: () => [],
    pack: packFast,
    countReleases: async () => ({}) as never,
    now: () => new Date(Math.round(sim.time() + skew)),
    sleep: sim.sleep,
  });
  const following = (skew = 0): PublisherDependencies => ({
    ...dependencies(skew),
    layout: replica,
    primary: { store: sim.store, layout, name: "eu-west-1" },
  });
  const edit = (text: string) =>
    sim.store.putParameter({ name: layout.sourceParameter("mesh"), value: text, overwrite: true, tier: "Standard" });
  const run = (request: object, id: string, own = dependencies()) =>
    runPublisher({ ...request, id, cause: { by: "ann", why: "" } } as PublisherRequest, own);

  const prepare = async () => {
    for (const [index, text] of ["a", "b"].entries()) {
      await edit(text);
      await run({ action: "publish" }, `first-${index}`);
    }
    await edit("c");
    await run({ action: "publish", channel: "canary" }, "first-2");
    await reconcileSource(following());
    await sim.sleep(pick([10_000, 20 * 60_000]));
  };
  await sim.together(prepare());
  lag = LAG;

  const operate = async (name: string) => {
    const own = dependencies((random() - 0.5) * 2 * SKEW);
    for (let step = 0; step < 5; step++) {
      const request = pick(REQUESTS);
      const id = `${name}-${step}`;
      if (random() < 0.3) await edit(pick(["a", "b", "c", "d"]));
      for (let tries = 0; tries < 2; tries++) {
        const result = await run(request, id, own);
        if (result.ok) continue;
        if (result.error.code === "store-unavailable") continue;
        if (made.has(id)) throw new Error(`${JSON.stringify(request)} was made and answered ${result.error.message}`);
        break;
      }
      await sim.sleep(random() * 1500);
    }
  };
  const look = async () => {
    const own = dependencies((random() - 0.5) * 2 * SKEW);
    for (let step = 0; step < 3; step++) {
      await sim.sleep(random() * 5000);
      await reconcileRollouts(own).catch(() => undefined);
    }
  };
  const check = async () => {
    const reading = await readSnapshot(sim.store, layout, undefined).catch(() => undefined);
    if (reading?.kind !== "snapshot") return undefined;
    const { change, channels, shares = {}, clusters } = reading.snapshot;
    const seen = { channels, shares, clusters: Object.keys(clusters).sort() };
    expect({ change, ...seen }).toEqual({ change, ...expected.get(change) });
    return change;
  };
  const follow = async () => {
    const own = following((random() - 0.5) * 2 * SKEW);
    for (let step = 0; step < 4; step++) {
      await sim.sleep(random() * 5000);
      await Promise.all([reconcileSource(own), random() < 0.5 ? reconcileRollouts(own).catch(() => undefined) : 0]);
    }
  };
  /** The primary's map, where it is served here: of each channel, what the primary has served once. */
  const checkReplica = async () => {
    const reading = await readSnapshot(sim.store, replica, undefined).catch(() => undefined);
    if (reading?.kind !== "snapshot") return undefined;
    const { channels, shares = {}, clusters } = reading.snapshot;
    for (const [name, release] of Object.entries(channels)) {
      const seen = { release, share: entryOf(shares, name) ?? null };
      const served = [...expected.values()].map((each) => ({
        release: entryOf(each.channels, name),
        share: entryOf(each.shares, name) ?? null,
      }));
      if (!served.some((each) => jsonEqual(each, seen))) {
        throw new Error(`The replica serves what its primary never did: ${name} ${JSON.stringify(seen)}`);
      }
    }
    return { channels, shares, clusters: Object.keys(clusters).sort() };
  };
  const state = { isOver: false };
  const read = async () => {
    while (!state.isOver) {
      await sim.sleep(random() * 300);
      await check();
      await checkReplica();
    }
  };
  const readers = [read(), read()];
  const operators = Promise.all([operate("ann"), operate("bob"), look(), follow()]).finally(() => {
    state.isOver = true;
  });
  await sim.together(operators, ...readers);

  lag = 0;
  const rest = async () => {
    for (let looks = 0; looks < 2; looks++) {
      await sim.sleep(30_000);
      await reconcileRollouts({ ...dependencies(), countReleases: () => Promise.reject(new Error("not now")) }).catch(
        () => undefined,
      );
      await reconcileRollouts(following()).catch(() => undefined);
      await reconcileSource(following());
    }
    expect(await checkReplica()).toEqual(expected.get(Math.max(...expected.keys())));
    expect(await check()).toBe(Math.max(...expected.keys()));
  };
  await sim.together(rest());
}

function after({ channels, shares, clusters }: Expected, change: LoggedChange): Expected {
  const { kind, name } = change;
  const without = <Item>(items: Readonly<Record<string, Item>>) =>
    Object.fromEntries(Object.entries(items).filter(([other]) => other !== name));
  if (kind === "cluster") {
    const others = clusters.filter((other) => other !== name);
    return { channels, shares, clusters: change.record === null ? others : [...others, name].sort() };
  }
  if ("settings" in change) return { channels, shares, clusters };
  if (!("move" in change)) return { channels: without(channels), shares: without(shares), clusters };
  const { release, share } = change.move;
  return {
    channels: { ...channels, [name]: release },
    shares: { ...without(shares), ...(share !== undefined && { [name]: share }) },
    clusters,
  };
}
