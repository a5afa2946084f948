// Every kind of request, interrupted at every call in every way, under readings that are behind writes: asked again, it
// comes to the state, the history and the answer of a request that was never interrupted.

import type { ParameterStore } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import { turnOf } from "../../../test/support/in-turn.ts";
import { type Called, type Interruption, interruptedStore } from "../../../test/support/interrupted-store.ts";
import { packFast, packIntoBucket } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import { runPublisher } from "../run-publisher.ts";

const HOUR = 60 * 60 * 1000;
const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const C = digestOfTree({ mesh: "c" });
const FIRST = "ab".repeat(32);
const SECOND = "cd".repeat(32);
const common = { id: "request-1", cause: { by: "ann", why: "" } };
const tokens = [{ sha256: "12".repeat(32), created: "2026-01-01" }];
const record = { revisions: { default: "canary" }, arn: "", tokens };

const PLAN = { next: [25, 50, 100], bake: 600, alarms: [] };

const REQUESTS: readonly PublisherRequest[] = [
  { action: "publish", ...common },
  { action: "publish", automatic: true, ...common },
  { action: "promote", from: "canary", to: "stable", release: C, serving: B, ...common },
  { action: "rollback", channel: "stable", ...common },
  { action: "rollback", channel: "stable", release: A, serving: B, ...common },
  { action: "pin", channel: "stable", ...common },
  { action: "unpin", channel: "held", ...common },
  { action: "remove-channel", channel: "canary", ...common },
  { action: "put-cluster", cluster: "c1", record, ...common },
  { action: "put-cluster", cluster: "shop", record: { ...record, revisions: { default: "stable" } }, ...common },
  { action: "remove-cluster", cluster: "shop", ...common },
  { action: "add-token", cluster: "shop", sha256: SECOND, ...common },
  { action: "retire-token", cluster: "pair", sha256: FIRST.replace("a", "b"), ...common },
  { action: "repair", ...common },
];

/**
 * Requests that change rollouts and approvals: the same commit carries them out, so one lag and the two kinds of
 * interruption do.
 */
const ROLLOUTS: readonly PublisherRequest[] = [
  { action: "promote", from: "canary", to: "stable", share: 5, rollout: PLAN, ...common },
  { action: "step-rollout", channel: "shared", direction: "next", ...common },
  { action: "step-rollout", channel: "shared", direction: "back", ...common },
  { action: "set-channel", channel: "stable", approval: true, ...common },
  { action: "promote", from: "canary", to: "guarded", share: 5, ...common },
  { action: "promote", from: "canary", to: "guarded", approve: true, ...common, cause: { by: "bob", why: "" } },
];

/**
 * Requests that write to the bucket, or only read it: by way of a new release, of a kept one, of records alone.
 */
const IN_BUCKET: readonly PublisherRequest[] = [
  { action: "publish", automatic: true, ...common },
  { action: "rollback", channel: "stable", release: A, serving: B, ...common },
  { action: "add-token", cluster: "shop", sha256: SECOND, ...common },
];

/** Milliseconds by which readings are behind writes: behind none, and behind several calls. `0,300,1200,2000` is all that was looked at. */
const LAGS = (process.env["OUTRIGGER_LAGS"] ?? "0,1200").split(",").map(Number);

const HOWS: readonly Interruption[] = ["stopped before", "stopped after", "answer lost"];

/** Each commit interrupts every request, at one of two lags; those about tokens at each. */
const turn = turnOf("Requests at other lags", 2);

describe.each(LAGS.map((lag, at) => [lag, at] as const))(
  "runPublisher() when readings are %i ms behind writes",
  (lag, at) => {
    for (const [index, [what, request]] of named(REQUESTS).entries()) {
      const isRun = request.action.endsWith("-token") || turn.has((index + at) % turn.shares);
      it.skipIf(!isRun)(
        `carries out ${what} exactly once, wherever it is interrupted`,
        () => assertOnce(request, lag, HOWS),
        120_000,
      );
    }
  },
);

describe("runPublisher() when all that is served is too large for the mirror, and readings are 1200 ms behind writes", () => {
  it.each(named(IN_BUCKET))(
    "carries out %s exactly once, wherever it is interrupted",
    (_what, request) => assertOnce(request, 1200, ["stopped before", "answer lost"], true),
    120_000,
  );
});

describe("runPublisher() when readings are 1200 ms behind writes, for rollouts and approvals", () => {
  it.each(named(ROLLOUTS))(
    "carries out %s exactly once, wherever it is interrupted",
    (_what, request) => assertOnce(request, 1200, ["stopped before", "answer lost"]),
    120_000,
  );
});

/** Every call; with a bucket, each of its calls and the one after it, which is the first to know: without, the others are the same. */
function interruptible(called: readonly Called[], isInBucket: boolean): readonly number[] {
  const isOfBucket = (call: number) => called[call]?.service === "bucket" || called[call - 1]?.service === "bucket";
  return [...called.keys()].filter((call) => !isInBucket || isOfBucket(call));
}

function named(requests: readonly PublisherRequest[]) {
  return requests.map((request) => [JSON.stringify({ ...request, id: undefined, cause: undefined }), request] as const);
}

async function assertOnce(
  request: PublisherRequest,
  lag: number,
  hows: readonly Interruption[],
  isInBucket = false,
): Promise<void> {
  const expected = await undisturbed(request, lag, isInBucket);
  expect(expected.called.length).toBeGreaterThan(8);
  const seen = new Set<string>();
  for (const how of hows) {
    for (const call of interruptible(expected.called, isInBucket)) {
      // Who stops after a reading leaves what one leaves that stops before it.
      if (how === "stopped after" && expected.called[call]?.isReading === true) continue;
      const setup = await deployed(lag, isInBucket);
      const { store } = interruptedStore(setup.store, call, how);
      await ask(request, setup, store).catch(() => undefined);
      // One that stops after a call leaves what one leaves that stops before the next: it is asked again once.
      const { clock, bucket } = setup;
      const left = [...setup.store.table(), ...bucket.objectTable(), Math.floor(clock.time / 50)];
      if (seen.size === seen.add(JSON.stringify(left)).size) continue;
      const answer = await ask(request, setup, setup.store);
      expect({ call, how, ...(await outcome(answer, setup)) }).toEqual({ call, how, ...expected.outcome });
    }
  }
}

/** Times, as records hold them. */
const TIMES = /"(at|created|since)": ?"[^"]*"/g;

type Setup = Awaited<ReturnType<typeof deployed>>;

/**
 * Channels with histories, one with a rollout under way and one where a promotion waits for approval; two clusters, and a tree
 * that is edited. A day later: there is garbage to collect, and the promotion may still be approved.
 */
async function deployed(lag: number, isInBucket: boolean) {
  const place = isInBucket ? BUCKET : PLAIN;
  const { table, objects, time } = await preparedFor(place);
  const setup = publisherSetup({ seed: false, lag: () => lag, table, pack: packFast, ...place, inBucket: { objects } });
  setup.clock.time = time;
  return setup;
}

const BUCKET = { bucket: "releases", pack: packIntoBucket };

const PLAIN = {};

const prepared = new Map<object, ReturnType<typeof prepare>>();

function preparedFor(place: Partial<typeof BUCKET>): ReturnType<typeof prepare> {
  const made = prepared.get(place) ?? prepare(place);
  prepared.set(place, made);
  return made;
}

async function prepare(place: Partial<typeof BUCKET>) {
  const setup = publisherSetup({ seed: false, pack: packFast, ...place });
  for (const text of ["a", "b"]) {
    await setup.edit("mesh", text);
    await setup.run({ action: "publish" });
    for (const channel of ["held", "shared", "guarded"]) await setup.run({ action: "publish", channel });
  }
  await setup.run({ action: "pin", channel: "held" });
  await setup.edit("mesh", "c");
  await setup.run({ action: "publish", channel: "canary" });
  await setup.run({ action: "promote", from: "canary", to: "shared", share: 5, rollout: PLAN });
  await setup.run({ action: "set-channel", channel: "guarded", approval: true });
  const clusters = { shop: [FIRST], pair: [FIRST.replace("a", "b"), FIRST.replace("a", "c")] };
  for (const [cluster, live] of Object.entries(clusters)) {
    const registered = live.map((sha256) => ({ sha256, created: "2026-01-01" }));
    const added = { revisions: { default: "stable" }, arn: "", tokens: registered };
    await setup.run({ action: "put-cluster", cluster, record: added });
  }
  setup.clock.time += 2 * HOUR;
  await setup.run({ action: "promote", from: "canary", to: "guarded" });
  await setup.edit("mesh", "d");
  return { table: setup.store.table(), objects: setup.bucket.objectTable(), time: setup.clock.time + 23 * HOUR };
}

async function undisturbed(request: PublisherRequest, lag: number, isInBucket: boolean) {
  const setup = await deployed(lag, isInBucket);
  const counting = interruptedStore(setup.store, Number.POSITIVE_INFINITY, "stopped before");
  const answer = await ask(request, setup, counting.store);
  expect(answer).toMatchObject({ ok: true });
  return { called: counting.called(), outcome: await outcome(answer, setup) };
}

function ask(request: PublisherRequest, setup: Setup, store: ParameterStore) {
  return runPublisher(request, { ...setup.dependencies, store });
}

/** Everything that people and readers can see, but for times. What is served is read when readings have caught up. */
async function outcome(answer: Awaited<ReturnType<typeof runPublisher>>, setup: Setup) {
  setup.clock.time += 10_000;
  setup.store.forgetCalls();
  const { channels, clusters, pins, releases } = await setup.served();
  const calls = setup.store.calls();
  const values = setup.store.values();
  const stored = Object.entries(values).filter(
    ([name]) => name.startsWith(`${layout.channels}/`) || name.startsWith(`${layout.clusters}/`),
  );
  const changes = Object.keys(values).filter((name) => name.startsWith(`${layout.changes}/`));
  return {
    answer: { ...answer, seq: 0 },
    served: JSON.stringify({ channels, clusters, pins, releases: Object.keys(releases) }).replaceAll(TIMES, ""),
    records: stored.map(([name, text]) => [name, text.replaceAll(TIMES, "")]),
    changes: changes.at(-1),
    calls,
  };
}
