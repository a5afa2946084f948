// A snapshot that is too large for the mirror, as its readers meet it: how many calls it takes, and what happens to requests when
// the bucket is in trouble. What cannot be read is like a torn snapshot: what is in memory is served, and without anything the
// waiting ends in time, so that the bundled release is served.

import type { ParameterStore } from "@outrigger/aws";
import type { OutriggerError } from "@outrigger/base";
import { type FakeObjectStore, fakeObjectStore, fakeParameterStore, type ObjectFault } from "@outrigger/fake-aws";
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
