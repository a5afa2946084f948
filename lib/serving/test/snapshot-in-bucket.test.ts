// A snapshot that is too large for the mirror, as its readers meet it: how many calls it takes, and what happens to requests when
// the bucket is in trouble. What cannot be read is like a torn snapshot: what is in memory is served, and without anything the
// waiting ends in time, so that the bundled release is served.

import type { ParameterStore } from "@outrigger/aws";
import type { OutriggerError } from "@outrigger/base";
import {
  type FakeObjectStore,
  type Fault,
  fakeObjectStore,
  fakeParameterStore,
  type ObjectFault,
} from "@outrigger/fake-aws";
import { beforeEach, describe, expect, it } from "vitest";
import { sleep } from "../../../test/support/sleep.ts";
import { LAYOUT, snapshotOf, writeSnapshot } from "../../../test/support/stored-snapshot.ts";
import { type VirtualClock, virtualClock } from "../../../test/support/virtual-clock.ts";
import { snapshotCache } from "../snapshot/snapshot-cache.ts";

const TTL = 10_000;
const DEADLINE = 10_000;

let clock: VirtualClock;
let fault: ObjectFault | undefined;
let latency: number;
let bucket: FakeObjectStore;
let parameters: ReturnType<typeof fakeParameterStore>;
let store: ParameterStore;
let reported: OutriggerError[];

beforeEach(async () => {
  clock = virtualClock();
  fault = undefined;
  latency = 0;
  reported = [];
  parameters = fakeParameterStore({ now: clock.now });
  bucket = fakeObjectStore({ now: clock.now, fault: () => fault });
  const slow: FakeObjectStore = {
    ...bucket,
    getObject: async (key, options) => {
      if (latency > 0) await sleep(latency, clock);
      return bucket.getObject(key, options);
    },
  };
  store = { ...parameters, objects: slow };
  await publish(1);
});

async function publish(seq: number): Promise<void> {
  await writeSnapshot(store, snapshotOf({ seq, releases: {} }), { isLarge: true, bucketHead: false });
}

function live() {
  const report = (error: OutriggerError) => void reported.push(error);
  return snapshotCache({ reader: store, layout: LAYOUT, clock, random: () => 0.5, ttl: TTL, insistent: false, report });
}

async function warm() {
  const cache = live();
  cache.start();
  await clock.advance(0);
  expect(cache.snapshot()?.seq).toBe(1);
  return cache;
}

/** Milliseconds that a request waits. */
async function waitOf(waiting: Promise<void> | undefined): Promise<number> {
  const started = clock.now();
  await clock.settle(waiting ?? Promise.resolve());
  return clock.now() - started;
}

const FAULTS: readonly (readonly [string, ObjectFault, string])[] = [
  ["is throttled", { kind: "error", name: "SlowDown", status: 503 }, "store-unavailable"],
  ["does not answer", { kind: "hang" }, "store-unavailable"],
  ["loses the answer", { kind: "lost" }, "store-unavailable"],
  ["denies access", { kind: "error", name: "AccessDenied", status: 403 }, "store-denied"],
  ["has no such object", { kind: "missing" }, "store-corrupt"],
  ["gives half of the object", { kind: "truncated" }, "store-corrupt"],
  ["gives other bytes", { kind: "garbled" }, "store-corrupt"],
];

describe("snapshotCache() for a snapshot that is in the bucket alone", () => {
  it("takes one call of each for a cold start, and none of the bucket while nothing changes", async () => {
    const cache = await warm();
    expect(bucket.objectCalls()).toMatchObject({ GetObject: 1 });
    expect(parameters.calls()).toMatchObject({ GetParameters: 1 });
    for (let poll = 0; poll < 5; poll++) {
      await clock.advance(2 * TTL);
      await waitOf(cache.refresh(DEADLINE));
    }
    expect(bucket.objectCalls()).toMatchObject({ GetObject: 1 });
    await publish(2);
    await clock.advance(2 * TTL);
    await waitOf(cache.refresh(DEADLINE));
    expect(cache.snapshot()?.seq).toBe(2);
    expect(bucket.objectCalls()).toMatchObject({ GetObject: 2 });
  });

  it.each(FAULTS)(
    "serves what is in memory when the bucket %s, and the next snapshot as soon as it can",
    async (_what, given, code) => {
      const cache = await warm();
      await publish(2);
      fault = given;
      await clock.advance(2 * TTL);
      expect(await waitOf(cache.refresh(DEADLINE))).toBeLessThanOrEqual(150);
      expect(cache.snapshot()?.seq).toBe(1);
      await clock.advance(2 * TTL);
      expect(cache.lastError()?.code).toBe(code);
      fault = undefined;
      await waitOf(cache.refresh(DEADLINE));
      await clock.advance(0);
      expect(cache.snapshot()?.seq).toBe(2);
    },
  );

  it.each(FAULTS)(
    "ends the waiting within the budget of a cold start when the bucket %s",
    async (_what, given, code) => {
      fault = given;
      const cache = live();
      cache.start();
      expect(await waitOf(cache.refresh(DEADLINE))).toBeLessThanOrEqual(0.7 * DEADLINE);
      expect(cache.snapshot()).toBeUndefined();
      expect(cache.lastError()?.code).toBe(code);
      expect(reported.length).toBeGreaterThan(0);
    },
  );

  it("takes what a slow bucket brings late", async () => {
    latency = 2500;
    const cache = live();
    cache.start();
    expect(await waitOf(cache.refresh(DEADLINE))).toBeLessThanOrEqual(2600);
    expect(cache.snapshot()?.seq).toBe(1);
  });
});

describe("snapshotCache() where Parameter Store cannot be read and the bucket can", () => {
  const TROUBLE: readonly (readonly [string, Fault, string])[] = [
    ["throttles", { kind: "error", name: "ThrottlingException" }, "store-unavailable"],
    ["denies", { kind: "error", name: "AccessDeniedException" }, "store-denied"],
    ["ends connections", { kind: "reset" }, "store-unavailable"],
  ];

  function failing(trouble: Fault) {
    const table = parameters.table();
    const failed = fakeParameterStore({ now: clock.now, table, objects: bucket, fault: () => trouble });
    const report = (error: OutriggerError) => void reported.push(error);
    const cache = snapshotCache({
      ...{ reader: failed, layout: LAYOUT, clock, random: () => 0.5, ttl: TTL, insistent: false, report },
    });
    return { cache, failed };
  }

  beforeEach(async () => {
    await writeSnapshot(store, snapshotOf({ seq: 2, releases: {} }));
  });

  it.each(TROUBLE)("serves what is published from the first request on when it %s", async (_what, trouble, code) => {
    const { cache, failed } = failing(trouble);
    cache.start();
    expect(await waitOf(cache.refresh(DEADLINE))).toBe(0);
    expect([cache.snapshot()?.seq, cache.isStale(), cache.lastError()]).toEqual([2, false, undefined]);
    // Parameter Store was asked once; what the bucket has made good is said, and counted.
    expect(failed.calls()).toEqual({ GetParameters: 1 });
    expect(reported.map((error) => error.code)).toEqual([code]);
    expect([cache.takeError()?.code, cache.takeError()]).toEqual([code, undefined]);
  });

  it.each(TROUBLE)("finds the next release while it %s, and never calls it stale", async (_what, trouble) => {
    const { cache } = failing(trouble);
    cache.start();
    await clock.advance(0);
    await writeSnapshot(store, snapshotOf({ seq: 3, releases: {} }));
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(60_000);
      await waitOf(cache.refresh(DEADLINE));
      expect([cache.snapshot()?.seq, cache.isStale()]).toEqual([3, false]);
    }
    expect(reported).toHaveLength(1);
  });

  it("serves it half a second later when Parameter Store does not answer", async () => {
    const { cache } = failing({ kind: "hang" });
    cache.start();
    expect(await waitOf(cache.refresh(DEADLINE))).toBe(500);
    expect(cache.snapshot()?.seq).toBe(2);
  });

  it("serves it when every parameter was deleted, and knows that something was published", async () => {
    await parameters.deleteParameters(Object.keys(parameters.values()));
    const cache = live();
    cache.start();
    await waitOf(cache.refresh(DEADLINE));
    expect([cache.snapshot()?.seq, cache.isUnpublished()]).toEqual([2, false]);
  });

  it("does not go back to what the bucket names where a later commit was seen", async () => {
    const cache = live();
    cache.start();
    await clock.advance(0);
    await writeSnapshot(store, snapshotOf({ seq: 3, releases: {} }), { bucketHead: false });
    await clock.advance(2 * TTL);
    await waitOf(cache.refresh(DEADLINE));
    await parameters.deleteParameters(Object.keys(parameters.values()));
    await clock.advance(2 * TTL);
    await waitOf(cache.refresh(DEADLINE));
    expect(cache.snapshot()?.seq).toBe(3);
  });
});
