// A container before a store that is slow, throttles, or loses answers, over the whole deadline: when the first request is
// answered, with what, and after how many calls. INIT takes 300 ms; the container's first read begins with it.

import type { Call, Fault, ObjectFault } from "@outrigger/fake-aws";
import { fakeObjectStore, fakeParameterStore } from "@outrigger/fake-aws";
import { describe, expect, it } from "vitest";
import { sleep } from "../../../test/support/sleep.ts";
import { LAYOUT, snapshotOf, writeSnapshot } from "../../../test/support/stored-snapshot.ts";
import { type VirtualClock, virtualClock } from "../../../test/support/virtual-clock.ts";
import { snapshotCache } from "../snapshot/snapshot-cache.ts";

type SnapshotCache = ReturnType<typeof snapshotCache>;

const INIT = 300;
const TTL = 10_000;
const THROTTLED: Fault = { kind: "error", name: "ThrottlingException" };
/** What Parameter Store cannot say, nothing says here. */
const FORBIDDEN: ObjectFault = { kind: "error", name: "AccessDenied", status: 403 };
const LOST: Fault = { kind: "hang", after: true };

interface Trouble {
  /** Milliseconds that a call takes, by its number from 0. */
  readonly latency?: (call: number) => number;
  readonly fault?: (call: number, since: number) => Fault | undefined;
  /**
   * Whether the mirror is written. It is not between the head and the mirror of a commit, when reading takes two calls.
   */
  readonly mirror?: boolean;
}

interface Container {
  readonly clock: VirtualClock;
  readonly cache: SnapshotCache;
  readonly calls: () => number;
  /** Asks with a deadline. Returns the milliseconds that it waited, and what it can be served. */
  readonly request: (deadline: number) => Promise<{ readonly waited: number; readonly served: "stored" | "bundled" }>;
}

/** A container that has just started, and has not read anything yet. */
async function container({ latency = () => 20, fault, mirror = true }: Trouble): Promise<Container> {
  const clock = virtualClock();
  const bucket = fakeObjectStore({
    fault: ({ operation, key }) => (operation === "GetObject" && key === LAYOUT.bucketHead ? FORBIDDEN : undefined),
  });
  const stored = fakeParameterStore({ objects: bucket });
  await writeSnapshot(stored, snapshotOf({ seq: 1, releases: {} }), { mirror });
  const began = clock.now();
  let calls = 0;
  const numbers = new WeakMap<Call, number>();
  const store = fakeParameterStore({
    table: stored.table(),
    objects: {
      ...bucket,
      getObject: async (key, options) => {
        if (key !== LAYOUT.bucketHead) await sleep(latency(calls), clock);
        return bucket.getObject(key, options);
      },
    },
    now: clock.now,
    around: async (call, perform) => {
      const number = calls++;
      numbers.set(call, number);
      await sleep(latency(number), clock);
      return perform();
    },
    fault: (call) => fault?.(numbers.get(call) as number, clock.now() - began),
  });
  const options = { reader: store, layout: LAYOUT, clock, random: () => 0.5, ttl: TTL, insistent: false };
  const cache = snapshotCache({ ...options, report: () => undefined });
  cache.start();
  await clock.advance(INIT);
  return {
    clock,
    cache,
    calls: () => calls,
    request: async (deadline) => {
      const asked = clock.now();
      const waiting = cache.refresh(deadline);
      if (waiting !== undefined) await clock.settle(waiting);
      return { waited: clock.now() - asked, served: cache.snapshot() === undefined ? "bundled" : "stored" };
    },
  };
}

describe("the first request of a container when every call of the store takes", () => {
  it.each([
    [0, 10_000, 0, "stored", 1],
    [20, 10_000, 0, "stored", 1],
    [500, 10_000, 200, "stored", 1],
    [1900, 10_000, 1600, "stored", 1],
    [2000, 10_000, 1700, "stored", 1],
    [2200, 10_000, 1900, "stored", 2],
    [3000, 10_000, 2700, "stored", 2],
    [5000, 10_000, 4700, "stored", 3],
    [7000, 10_000, 6700, "stored", 4],
    [7300, 10_000, 7000, "stored", 4],
    [7400, 10_000, 7000, "bundled", 4],
    [10_000, 10_000, 7000, "bundled", 4],
    [10_000, 30_000, 9700, "stored", 5],
    [2200, 3000, 1900, "stored", 2],
    [2500, 3000, 2100, "bundled", 2],
  ] as const)(
    "%i ms, with a deadline of %i ms, waits %i ms and is served what is %s",
    async (latency, deadline, ...expected) => {
      const { request, calls } = await container({ latency: () => latency });
      const { waited, served } = await request(deadline);
      expect([waited, served, calls()]).toEqual(expected);
      expect(waited).toBeLessThanOrEqual(deadline * 0.7);
    },
  );

  it("3,000 ms while a commit is being written, so that reading takes two calls, waits for both", async () => {
    const { request } = await container({ latency: () => 3000, mirror: false });
    expect(await request(10_000)).toEqual({ waited: 5700, served: "stored" });
  });

  it("10,000 ms: the next request is served what is stored as soon as the first read has come, in time or late", async () => {
    const { clock, request } = await container({ latency: () => 10_000 });
    expect(await request(10_000)).toEqual({ waited: 7000, served: "bundled" });
    await clock.advance(2700);
    expect(await request(10_000)).toEqual({ waited: 0, served: "stored" });
  });
});

describe("the first request of a container when the store", () => {
  it("is slow once, waits for the second read and not for the slow one", async () => {
    const { request, calls } = await container({ latency: (call) => (call === 0 ? 9000 : 20) });
    const { waited, served } = await request(10_000);
    expect([served, calls()]).toEqual(["stored", 2]);
    expect(waited).toBeLessThanOrEqual(1700 + 100 + 20);
  });

  it.each([
    [1, 1820],
    [2, 3970],
    [3, 6170],
  ])("loses the first %i answers, waits no longer than %i ms", async (lost, most) => {
    const { request, calls } = await container({ fault: (call) => (call < lost ? LOST : undefined) });
    const { waited, served } = await request(10_000);
    expect([served, calls()]).toEqual(["stored", lost + 1]);
    expect(waited).toBeLessThanOrEqual(most);
  });

  it("loses every answer, is served the bundled release at the end of the budget", async () => {
    const { request, calls } = await container({ fault: () => LOST });
    expect(await request(10_000)).toEqual({ waited: 7000, served: "bundled" });
    expect(calls()).toBe(4);
  });

  it.each([
    [1000, "stored"],
    [3000, "stored"],
    [5000, "stored"],
    [8000, "bundled"],
  ] as const)("throttles for %i ms, is served what is %s", async (until, expected) => {
    const { request, calls } = await container({ fault: (_call, since) => (since < until ? THROTTLED : undefined) });
    const { waited, served } = await request(10_000);
    expect(served).toBe(expected);
    expect(waited).toBeLessThanOrEqual(Math.min(7000, until + 1000 + 20));
    expect(calls()).toBeLessThanOrEqual(14);
  });

  it("throttles every second call and takes 2,200 ms for the others, is served what is stored", async () => {
    const { request } = await container({
      latency: (call) => (call % 2 === 0 ? 20 : 2200),
      fault: (call) => (call % 2 === 0 ? THROTTLED : undefined),
    });
    const { waited, served } = await request(10_000);
    expect(served).toBe("stored");
    expect(waited).toBeLessThan(2500);
  });

  it("is slow for a read that a later one is refused next to, takes the slow one", async () => {
    const { request } = await container({
      latency: (call) => (call === 0 ? 5000 : 20),
      fault: (call) => (call === 0 ? undefined : THROTTLED),
    });
    expect(await request(10_000)).toEqual({ waited: 4700, served: "stored" });
  });
});

describe("a container that has spent its budget", () => {
  it("takes an earlier read that comes while a later one is waited for", async () => {
    const { clock, request } = await container({ latency: (call) => (call === 0 ? 21_000 : 60_000) });
    expect((await request(10_000)).served).toBe("bundled");
    await clock.advance(21_000 - 7300 - 500);
    expect(await request(10_000)).toEqual({ waited: 500, served: "stored" });
  });

  it("gives a read up 22 s after its beginning", async () => {
    const { clock, cache, request } = await container({ latency: (call) => (call === 0 ? 22_500 : 60_000) });
    await request(10_000);
    await clock.advance(30_000);
    expect(cache.snapshot()).toBeUndefined();
  });
});

describe("a container that was stopped during its first read", () => {
  it("takes the read's answer where it comes first after the pause", async () => {
    const { clock, request } = await container({ latency: (call) => (call === 0 ? 2500 : 1000) });
    clock.jump(2000);
    // 2,300 ms have passed, and no timer was called: the second read begins now, and the first answer is 200 ms away.
    expect(await request(10_000)).toEqual({ waited: 200, served: "stored" });
  });
});

describe("a container with a snapshot in memory when every call of the store takes", () => {
  it.each([100, 2200, 4900, 5100, 6000, 10_000])("%i ms, is never stale and reads once per TTL", async (latency) => {
    let slow = 20;
    const { clock, cache, request, calls } = await container({ latency: () => slow });
    await request(10_000);
    slow = latency;
    const before = calls();
    let isEverStale = false;
    for (let second = 0; second < 300; second += 2) {
      await request(10_000);
      isEverStale ||= cache.isStale();
      await clock.advance(2000);
    }
    expect(isEverStale).toBe(false);
    expect(calls() - before).toBeLessThanOrEqual(300 / 10 + 1);
  });

  it("12,000 ms, takes an answer as old as its question, and never an earlier commit", async () => {
    let slow = 20;
    const { clock, cache, request } = await container({ latency: () => slow });
    await request(10_000);
    slow = 12_000;
    await clock.advance(11_000);
    await request(10_000);
    await clock.advance(12_000);
    expect(cache.isStale()).toBe(false);
    // Confirmed as of the question, 12 s before.
    clock.jump(49_000);
    expect(cache.isStale()).toBe(true);
  });
});
