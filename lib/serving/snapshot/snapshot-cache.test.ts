import type { ParameterReader } from "@outrigger/aws";
import type { OutriggerError } from "@outrigger/base";
import type { Fault, ObjectFault } from "@outrigger/fake-aws";
import { fakeObjectStore, fakeParameterStore } from "@outrigger/fake-aws";
import { beforeEach, describe, expect, it } from "vitest";
import { sleep } from "../../../test/support/sleep.ts";
import { LAYOUT, snapshotOf, writeSnapshot } from "../../../test/support/stored-snapshot.ts";
import { type VirtualClock, virtualClock } from "../../../test/support/virtual-clock.ts";
import { type SnapshotCacheOptions, snapshotCache } from "./snapshot-cache.ts";

type SnapshotCache = ReturnType<typeof snapshotCache>;

const TTL = 10_000;
const DEADLINE = 10_000;
const THROTTLED: Fault = { kind: "error", name: "ThrottlingException" };
const HANG: Fault = { kind: "hang" };
const FORBIDDEN: ObjectFault = { kind: "error", name: "AccessDenied", status: 403 };
const DENIED: Fault = { kind: "error", name: "AccessDeniedException" };

let clock: VirtualClock;
let latency: number;
let fault: Fault | undefined;
let store: ReturnType<typeof fakeParameterStore>;
let reported: OutriggerError[];

beforeEach(async () => {
  clock = virtualClock();
  latency = 0;
  fault = undefined;
  reported = [];
  store = fakeParameterStore({
    // What Parameter Store cannot say, nothing says: snapshot-in-bucket.test.ts is about a bucket that can.
    objects: fakeObjectStore({
      fault: ({ operation, key }) => (operation === "GetObject" && key === LAYOUT.bucketHead ? FORBIDDEN : undefined),
    }),
    now: clock.now,
    fault: () => fault,
    around: async (_call, perform) => {
      if (latency > 0) await sleep(latency, clock);
      return perform();
    },
  });
  await publish(1);
});

async function publish(seq: number): Promise<void> {
  const before = { latency, fault };
  latency = 0;
  fault = undefined;
  await writeSnapshot(store, snapshotOf({ seq, releases: {} }));
  ({ latency, fault } = before);
  store.forgetCalls();
}

function live(options: Partial<SnapshotCacheOptions> = {}): SnapshotCache {
  const report = (error: OutriggerError) => void reported.push(error);
  const usual = { reader: store, layout: LAYOUT, clock, random: () => 0.5, ttl: TTL, insistent: false, report };
  return snapshotCache({ ...usual, ...options });
}

/** Returns a cache with the snapshot in memory, and no call counted yet. */
async function warm(options?: Partial<SnapshotCacheOptions>): Promise<SnapshotCache> {
  const snapshot = live(options);
  snapshot.start();
  await clock.advance(0);
  expect(snapshot.snapshot()?.seq).toBe(1);
  store.forgetCalls();
  return snapshot;
}

const calls = () => store.calls().GetParameters ?? 0;

/** Returns the milliseconds that a request waits. */
async function waited(promise: Promise<void> | undefined): Promise<number> {
  const started = clock.now();
  if (promise !== undefined) await clock.settle(promise);
  return clock.now() - started;
}

describe("snapshotCache() with a snapshot in memory", () => {
  it("neither reads nor waits when the TTL has not passed", async () => {
    const snapshot = await warm();
    await clock.advance(TTL);
    expect(snapshot.refresh(DEADLINE)).toBeUndefined();
    expect(calls()).toBe(0);
  });

  it("reads once per TTL, however many requests there are", async () => {
    const snapshot = await warm();
    for (let second = 0; second < 120; second += 0.5) {
      await clock.advance(500);
      await waited(snapshot.refresh(DEADLINE));
    }
    // 120 seconds, jittered: every 11.
    expect(calls()).toBeLessThanOrEqual(12);
    expect(calls()).toBeGreaterThanOrEqual(10);
  });

  it("never reads earlier than a TTL after the last read, whatever the jitter", async () => {
    for (const random of [0, 0.999]) {
      const snapshot = await warm({ random: () => random });
      await clock.advance(TTL - 1);
      expect(snapshot.refresh(DEADLINE)).toBeUndefined();
      await clock.advance(TTL / 5 + 1);
      expect(snapshot.refresh(DEADLINE)).toBeDefined();
      await clock.advance(0);
    }
  });

  it("takes two calls more for a change, and serves it at once", async () => {
    const snapshot = await warm();
    await clock.advance(2 * TTL);
    await publish(2);
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(0);
    expect(snapshot.snapshot()?.seq).toBe(2);
    expect(calls()).toBe(2);
  });

  it.each([
    [100, 100],
    [150, 150],
    [151, 150],
    [4000, 150],
  ])("waits 150 ms at most when the store takes %i ms", async (milliseconds, expected) => {
    const snapshot = await warm();
    await clock.advance(2 * TTL);
    latency = milliseconds;
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(expected);
    expect(snapshot.isStale()).toBe(false);
  });

  it("waits a quarter of the deadline at most when what is in memory is older than a minute", async () => {
    const snapshot = await warm();
    await clock.advance(60_001);
    fault = HANG;
    expect(snapshot.isStale()).toBe(true);
    expect(await waited(snapshot.refresh(8000))).toBe(2000);
    expect(snapshot.snapshot()?.seq).toBe(1);
    expect(snapshot.isStale()).toBe(true);
  });

  it("waits no longer than a quarter of a short deadline", async () => {
    const snapshot = await warm();
    await clock.advance(2 * TTL);
    fault = HANG;
    expect(await waited(snapshot.refresh(200))).toBe(50);
  });

  it("reads to the end when the caller who began it is in a hurry", async () => {
    const snapshot = await warm();
    await clock.advance(2 * TTL);
    await publish(2);
    latency = 300;
    expect(await waited(snapshot.refresh(1))).toBeLessThan(1);
    await clock.advance(600);
    expect(snapshot.snapshot()?.seq).toBe(2);
  });

  it("does not take a store to have failed because the caller who began the read was in a hurry", async () => {
    const snapshot = await warm();
    await publish(2);
    clock.jump(TTL * 1.5);
    latency = 400;
    await waited(snapshot.refresh(200));
    await clock.advance(350);
    expect([reported, snapshot.lastError(), snapshot.takeError()]).toEqual([[], undefined, undefined]);
  });

  it("counts the patience from the beginning of the read when requests share it", async () => {
    const snapshot = await warm();
    await clock.advance(2 * TTL);
    fault = HANG;
    const first = snapshot.refresh(DEADLINE);
    await clock.advance(100);
    const second = snapshot.refresh(DEADLINE);
    expect(await waited(Promise.all([first, second]).then(() => {}))).toBe(50);
    expect(snapshot.refresh(DEADLINE)).toBeUndefined();
    expect(calls()).toBe(1);
  });

  it("asks a store in trouble no more often than a healthy one", async () => {
    for (const trouble of [THROTTLED, DENIED, HANG]) {
      const snapshot = await warm();
      fault = trouble;
      await clock.advance(2 * TTL);
      for (let second = 0; second < 60; second += 0.5) {
        await waited(snapshot.refresh(DEADLINE));
        await clock.advance(500);
      }
      expect(calls()).toBeLessThanOrEqual(7);
      fault = undefined;
      await clock.advance(2 * TTL);
      await waited(snapshot.refresh(DEADLINE));
      expect(snapshot.isStale()).toBe(false);
    }
  });

  it("keeps what it has when the next snapshot cannot be used, and reads again after the TTL", async () => {
    const snapshot = await warm();
    await clock.advance(2 * TTL);
    const put = (value: string) => store.putParameter({ name: LAYOUT.head, value, overwrite: true, tier: "Standard" });
    await put("garbage");
    store.forgetCalls();
    await waited(snapshot.refresh(DEADLINE));
    expect(snapshot.refresh(DEADLINE)).toBeUndefined();
    expect([snapshot.snapshot()?.seq, snapshot.lastError()?.code, calls()]).toEqual([1, "store-corrupt", 1]);
    await publish(2);
    await clock.advance(2 * TTL);
    await waited(snapshot.refresh(DEADLINE));
    expect([snapshot.snapshot()?.seq, snapshot.lastError()]).toEqual([2, undefined]);
  });

  it("keeps what it has when the store shows an earlier commit, and calls it stale in the end", async () => {
    const snapshot = await warm();
    await publish(2);
    await clock.advance(2 * TTL);
    await waited(snapshot.refresh(DEADLINE));
    await publish(1);
    for (let minute = 0; minute < 7; minute++) {
      await clock.advance(2 * TTL);
      await waited(snapshot.refresh(DEADLINE));
      expect(snapshot.snapshot()?.seq).toBe(2);
    }
    expect(snapshot.isStale()).toBe(true);
  });

  it("gives each failure once to be counted, and reports what is new", async () => {
    const snapshot = await warm();
    fault = THROTTLED;
    for (let round = 0; round < 3; round++) {
      await clock.advance(2 * TTL);
      await waited(snapshot.refresh(DEADLINE));
      expect(snapshot.takeError()?.code).toBe("store-unavailable");
      expect(snapshot.takeError()).toBeUndefined();
    }
    expect(reported).toHaveLength(1);
    fault = DENIED;
    await clock.advance(2 * TTL);
    await waited(snapshot.refresh(DEADLINE));
    expect(reported.map(({ code }) => code)).toEqual(["store-unavailable", "store-denied"]);
  });
});

describe("snapshotCache() in a process that is stopped between requests", () => {
  it("begins again when a read has been on its way for longer than a read is given", async () => {
    const snapshot = await warm();
    await clock.advance(2 * TTL);
    fault = HANG;
    await waited(snapshot.refresh(DEADLINE));
    clock.jump(3_600_000);
    fault = undefined;
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(0);
    expect(snapshot.isStale()).toBe(false);
    expect(calls()).toBe(2);
  });

  it("is as old as its read when the answer comes after the pause", async () => {
    const snapshot = await warm();
    await clock.advance(2 * TTL);
    latency = 4000;
    await waited(snapshot.refresh(DEADLINE));
    clock.jump(3_600_000);
    await clock.advance(0);
    expect(snapshot.isStale()).toBe(true);
  });

  it("keeps the newer snapshot when an older one comes after it", async () => {
    // Heeds no signal, and delivers an answer when its gate is opened.
    const gates: (() => void)[] = [];
    const getParameters: ParameterReader["getParameters"] = async (names) => {
      const answer = await store.getParameters(names);
      await new Promise<void>((resolve) => void gates.push(resolve));
      return answer;
    };
    const open = async (gate: number) => {
      gates[gate]?.();
      await clock.advance(0);
    };
    const snapshot = live({ reader: { ...store, getParameters } });
    snapshot.start();
    await clock.advance(0);
    await open(0);
    await publish(2);
    await clock.advance(2 * TTL);
    snapshot.refresh(DEADLINE);
    await clock.advance(0);
    await open(1); // the head names the second snapshot; the answer with the snapshot itself is on its way
    clock.jump(3_600_000);
    await publish(3);
    snapshot.refresh(DEADLINE);
    await clock.advance(0);
    await open(3);
    await open(4);
    expect(snapshot.snapshot()?.seq).toBe(3);
    await open(2);
    expect([snapshot.snapshot()?.seq, gates.length]).toEqual([3, 5]);
  });

  it("reads before its first answer when it was made ready long before", async () => {
    const snapshot = await warm();
    await publish(2);
    clock.jump(3_600_000);
    await waited(snapshot.refresh(DEADLINE));
    expect(snapshot.snapshot()?.seq).toBe(2);
  });

  it("reads again when the first read was stopped on its way", async () => {
    const snapshot = live();
    fault = HANG;
    snapshot.start();
    await clock.advance(0);
    fault = undefined;
    clock.jump(5000);
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(0);
    expect(snapshot.snapshot()?.seq).toBe(1);
  });

  it("reads when the clock has been set back", async () => {
    const snapshot = await warm();
    await publish(2);
    clock.jump(-3_600_000);
    await waited(snapshot.refresh(DEADLINE));
    expect(snapshot.snapshot()?.seq).toBe(2);
  });

  it("reads once, and serves what it has, when the clock jumps ahead by a year", async () => {
    const snapshot = await warm();
    const before = store.calls().GetParameters ?? 0;
    latency = 2 * DEADLINE;
    clock.jump(365 * 86_400_000);
    expect(snapshot.isStale()).toBe(true);
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(DEADLINE / 4);
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(0);
    expect(snapshot.snapshot()?.seq).toBe(1);
    expect((store.calls().GetParameters ?? 0) - before).toBe(1);
  });
});

describe("snapshotCache() with nothing in memory", () => {
  it("takes one call when all is well, begun before the first request", async () => {
    latency = 20;
    const snapshot = live();
    snapshot.start();
    await clock.advance(5);
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(15);
    expect([snapshot.snapshot()?.seq, calls()]).toEqual([1, 1]);
  });

  it("tries again until the budget is spent when the store throttles", async () => {
    fault = THROTTLED;
    const snapshot = live();
    snapshot.start();
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(7000);
    expect(snapshot.lastError()?.code).toBe("store-unavailable");
    expect(calls()).toBeGreaterThan(5);
    expect(calls()).toBeLessThan(20);
  });

  it("is there as soon as the store is", async () => {
    fault = THROTTLED;
    const snapshot = live();
    snapshot.start();
    const waiting = snapshot.refresh(DEADLINE);
    await clock.advance(3000);
    fault = undefined;
    expect(await waited(waiting)).toBeLessThan(2000);
    expect(snapshot.snapshot()?.seq).toBe(1);
  });

  it("tries again when a call is not answered", async () => {
    fault = HANG;
    const snapshot = live();
    snapshot.start();
    const waiting = snapshot.refresh(DEADLINE);
    await clock.advance(1000);
    fault = undefined;
    expect(await waited(waiting)).toBeLessThan(1200);
    expect(snapshot.snapshot()?.seq).toBe(1);
  });

  it("does not wait when waiting cannot help", async () => {
    fault = DENIED;
    const snapshot = live();
    snapshot.start();
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(0);
    expect([snapshot.lastError()?.code, calls()]).toEqual(["store-denied", 1]);
    expect(snapshot.refresh(DEADLINE)).toBeUndefined();
  });

  it("waits a quarter of the deadline, once per TTL, when the budget has been spent", async () => {
    fault = HANG;
    const snapshot = live();
    snapshot.start();
    await waited(snapshot.refresh(DEADLINE));
    await clock.advance(1000); // the last try of the budget has its time
    expect(snapshot.refresh(DEADLINE)).toBeUndefined();
    await clock.advance(2 * TTL);
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(2500);
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(0);
  });

  it("lets a caller in a hurry not spend the budget of the others", async () => {
    fault = HANG;
    const snapshot = live();
    snapshot.start();
    expect(await waited(snapshot.refresh(1000))).toBe(700);
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(7000);
  });

  it("spends the whole budget each time when nothing can be served instead", async () => {
    fault = HANG;
    const snapshot = live({ insistent: true });
    snapshot.start();
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(7000);
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(7000);
  });

  it("shares its reads when many requests wait", async () => {
    latency = 50;
    const snapshot = live();
    snapshot.start();
    const requests = Array.from({ length: 100 }, () => snapshot.refresh(DEADLINE));
    expect(await waited(Promise.all(requests).then(() => {}))).toBe(50);
    expect(calls()).toBe(1);
  });

  it("waits no longer than API Gateway does, whatever a caller says", async () => {
    fault = HANG;
    const snapshot = live();
    snapshot.start();
    expect(await waited(snapshot.refresh(1e9))).toBe(21_000);
  });
});

describe("confirm()", () => {
  it("reads once a TTL at most, and waits for it", async () => {
    const snapshot = await warm();
    expect(snapshot.confirm(DEADLINE)).toBeUndefined();
    await clock.advance(1.3 * TTL);
    await publish(2);
    latency = 300;
    const two = [snapshot.confirm(DEADLINE), snapshot.confirm(DEADLINE)];
    // One read is two calls: the head and what it names.
    expect(await waited(Promise.all(two).then(() => {}))).toBe(600);
    expect([snapshot.snapshot()?.seq, calls()]).toEqual([2, 2]);
    latency = 0;
    store.forgetCalls();
    for (let second = 0; second < 180; second++) {
      for (let call = 0; call < 100; call++) void snapshot.confirm(DEADLINE);
      await clock.advance(1000);
    }
    expect(calls()).toBeLessThanOrEqual(180 / 10);
  });

  it("waits for half of the deadline at most", async () => {
    const snapshot = await warm();
    await clock.advance(1.3 * TTL);
    fault = HANG;
    expect(await waited(snapshot.confirm(DEADLINE))).toBe(DEADLINE / 2);
  });

  it("reads nothing when there is nothing in memory", async () => {
    expect(live().confirm(DEADLINE)).toBeUndefined();
    await clock.advance(0);
    expect(calls()).toBe(0);
  });
});

describe("snapshotCache() before a store that is slower than a read is given", () => {
  it("takes the answer that was on its way, as soon as it comes", async () => {
    latency = 2200;
    const snapshot = live();
    snapshot.start();
    expect(await waited(snapshot.refresh(DEADLINE))).toBe(2200);
    expect(snapshot.snapshot()?.seq).toBe(1);
    // One read more was begun next to it.
    expect(calls()).toBeLessThanOrEqual(2);
  });

  it("takes the answer of the second read where the first one hangs", async () => {
    let count = 0;
    const reader: ParameterReader = {
      ...store,
      getParameters: (...call) => (count++ === 0 ? new Promise(() => {}) : store.getParameters(...call)),
    };
    const snapshot = live({ reader });
    snapshot.start();
    expect(await waited(snapshot.refresh(DEADLINE))).toBeLessThanOrEqual(2200);
    expect(snapshot.snapshot()?.seq).toBe(1);
  });
});

describe("snapshotCache() when waiting could not help", () => {
  it("waits a quarter of the deadline only, once something may help again", async () => {
    fault = DENIED;
    const image = live();
    expect(await waited(image.refresh(2000))).toBe(0);
    await clock.advance(2 * TTL);
    fault = HANG;
    expect(await waited(image.refresh(8000))).toBe(2000);
  });
});
