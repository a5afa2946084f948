import { beforeEach, describe, expect, it } from "vitest";
import { imageOf, LAYOUT, writeSnapshot } from "../../test/support/stored-snapshot.ts";
import { type VirtualClock, virtualClock } from "../../test/support/virtual-clock.ts";
import type { OutriggerError } from "../errors.ts";
import { fakeParameterStore } from "../parameter-store/fake/fake-parameter-store.ts";
import type { Fault } from "../parameter-store/fake/fake-service.ts";
import type { ParameterReader } from "../parameter-store/parameter-store.ts";
import { sleep } from "./clock.ts";
import { type SnapshotCache, type SnapshotCacheOptions, snapshotCache } from "./snapshot-cache.ts";

const TTL = 10_000;
const DEADLINE = 10_000;
const THROTTLED: Fault = { kind: "error", name: "ThrottlingException" };
const HANG: Fault = { kind: "hang" };
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
  await writeSnapshot(store, imageOf({ seq, releases: {} }));
  ({ latency, fault } = before);
  store.forgetCalls();
}

function live(options: Partial<SnapshotCacheOptions> = {}): SnapshotCache {
  const report = (error: OutriggerError) => void reported.push(error);
  const usual = { reader: store, layout: LAYOUT, clock, random: () => 0.5, ttl: TTL, insistent: false, report };
  return snapshotCache({ ...usual, ...options });
}

/** One with the image in memory, and no call counted yet. */
async function warm(options?: Partial<SnapshotCacheOptions>): Promise<SnapshotCache> {
  const image = live(options);
  image.start();
  await clock.advance(0);
  expect(image.image()?.seq).toBe(1);
  store.forgetCalls();
  return image;
}

const calls = () => store.calls().GetParameters ?? 0;

/** How long a request waits, in milliseconds. */
async function waited(promise: Promise<void> | undefined): Promise<number> {
  const started = clock.now();
  if (promise !== undefined) await clock.settle(promise);
  return clock.now() - started;
}

describe("snapshotCache() with an image in memory", () => {
  it("neither reads nor waits when the TTL has not passed", async () => {
    const image = await warm();
    await clock.advance(TTL);
    expect(image.refresh(DEADLINE)).toBeUndefined();
    expect(calls()).toBe(0);
  });

  it("reads once per TTL, however many requests there are", async () => {
    const image = await warm();
    for (let second = 0; second < 120; second += 0.5) {
      await clock.advance(500);
      await waited(image.refresh(DEADLINE));
    }
    // 120 seconds, jittered: every 11.
    expect(calls()).toBeLessThanOrEqual(12);
    expect(calls()).toBeGreaterThanOrEqual(10);
  });

  it("never reads earlier than a TTL after the last read, whatever the jitter", async () => {
    for (const random of [0, 0.999]) {
      const image = await warm({ random: () => random });
      await clock.advance(TTL - 1);
      expect(image.refresh(DEADLINE)).toBeUndefined();
      await clock.advance(TTL / 5 + 1);
      expect(image.refresh(DEADLINE)).toBeDefined();
      await clock.advance(0);
    }
  });

  it("takes two calls more for a change, and serves it at once", async () => {
    const image = await warm();
    await clock.advance(2 * TTL);
    await publish(2);
    expect(await waited(image.refresh(DEADLINE))).toBe(0);
    expect(image.image()?.seq).toBe(2);
    expect(calls()).toBe(2);
  });

  it.each([
    [100, 100],
    [150, 150],
    [151, 150],
    [4000, 150],
  ])("waits 150 ms at most when the store takes %i ms", async (milliseconds, expected) => {
    const image = await warm();
    await clock.advance(2 * TTL);
    latency = milliseconds;
    expect(await waited(image.refresh(DEADLINE))).toBe(expected);
    expect(image.isStale()).toBe(false);
  });

  it("waits a quarter of the deadline at most when what is in memory is older than a minute", async () => {
    const image = await warm();
    await clock.advance(60_001);
    fault = HANG;
    expect(image.isStale()).toBe(true);
    expect(await waited(image.refresh(8000))).toBe(2000);
    expect(image.image()?.seq).toBe(1);
    expect(image.isStale()).toBe(true);
  });

  it("waits no longer than a quarter of a short deadline", async () => {
    const image = await warm();
    await clock.advance(2 * TTL);
    fault = HANG;
    expect(await waited(image.refresh(200))).toBe(50);
  });

  it("reads to the end when the caller who began it is in a hurry", async () => {
    const image = await warm();
    await clock.advance(2 * TTL);
    await publish(2);
    latency = 300;
    expect(await waited(image.refresh(1))).toBeLessThan(1);
    await clock.advance(600);
    expect(image.image()?.seq).toBe(2);
  });

  it("counts the patience from the beginning of the read when requests share it", async () => {
    const image = await warm();
    await clock.advance(2 * TTL);
    fault = HANG;
    const first = image.refresh(DEADLINE);
    await clock.advance(100);
    const second = image.refresh(DEADLINE);
    expect(await waited(Promise.all([first, second]).then(() => {}))).toBe(50);
    expect(image.refresh(DEADLINE)).toBeUndefined();
    expect(calls()).toBe(1);
  });

  it("asks a store in trouble no more often than a healthy one", async () => {
    for (const trouble of [THROTTLED, DENIED, HANG]) {
      const image = await warm();
      fault = trouble;
      await clock.advance(2 * TTL);
      for (let second = 0; second < 60; second += 0.5) {
        await waited(image.refresh(DEADLINE));
        await clock.advance(500);
      }
      expect(calls()).toBeLessThanOrEqual(7);
      fault = undefined;
      await clock.advance(2 * TTL);
      await waited(image.refresh(DEADLINE));
      expect(image.isStale()).toBe(false);
    }
  });

  it("keeps what it has when the next image cannot be used, and reads again after the TTL", async () => {
    const image = await warm();
    await clock.advance(2 * TTL);
    const put = (value: string) => store.putParameter({ name: LAYOUT.head, value, overwrite: true, tier: "Standard" });
    await put("garbage");
    store.forgetCalls();
    await waited(image.refresh(DEADLINE));
    expect(image.refresh(DEADLINE)).toBeUndefined();
    expect([image.image()?.seq, image.lastError()?.code, calls()]).toEqual([1, "store-corrupt", 1]);
    await publish(2);
    await clock.advance(2 * TTL);
    await waited(image.refresh(DEADLINE));
    expect([image.image()?.seq, image.lastError()]).toEqual([2, undefined]);
  });

  it("keeps what it has when the store shows an earlier commit, and calls it stale in the end", async () => {
    const image = await warm();
    await publish(2);
    await clock.advance(2 * TTL);
    await waited(image.refresh(DEADLINE));
    await publish(1);
    for (let minute = 0; minute < 7; minute++) {
      await clock.advance(2 * TTL);
      await waited(image.refresh(DEADLINE));
      expect(image.image()?.seq).toBe(2);
    }
    expect(image.isStale()).toBe(true);
  });

  it("gives each failure once to be counted, and reports what is new", async () => {
    const image = await warm();
    fault = THROTTLED;
    for (let round = 0; round < 3; round++) {
      await clock.advance(2 * TTL);
      await waited(image.refresh(DEADLINE));
      expect(image.takeError()?.code).toBe("store-unavailable");
      expect(image.takeError()).toBeUndefined();
    }
    expect(reported).toHaveLength(1);
    fault = DENIED;
    await clock.advance(2 * TTL);
    await waited(image.refresh(DEADLINE));
    expect(reported.map(({ code }) => code)).toEqual(["store-unavailable", "store-denied"]);
  });
});

describe("snapshotCache() in a process that is stopped between requests", () => {
  it("begins anew when a read has been on its way for longer than a read is given", async () => {
    const image = await warm();
    await clock.advance(2 * TTL);
    fault = HANG;
    await waited(image.refresh(DEADLINE));
    clock.jump(3_600_000);
    fault = undefined;
    expect(await waited(image.refresh(DEADLINE))).toBe(0);
    expect(image.isStale()).toBe(false);
    expect(calls()).toBe(2);
  });

  it("is as old as its read when the answer comes after the pause", async () => {
    const image = await warm();
    await clock.advance(2 * TTL);
    latency = 4000;
    await waited(image.refresh(DEADLINE));
    clock.jump(3_600_000);
    await clock.advance(0);
    expect(image.isStale()).toBe(true);
  });

  it("keeps the newer image when an older one comes after it", async () => {
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
    const image = live({ reader: { ...store, getParameters } });
    image.start();
    await clock.advance(0);
    await open(0);
    await publish(2);
    await clock.advance(2 * TTL);
    image.refresh(DEADLINE);
    await clock.advance(0);
    await open(1); // the head names the second image; the answer with the image itself is on its way
    clock.jump(3_600_000);
    await publish(3);
    image.refresh(DEADLINE);
    await clock.advance(0);
    await open(3);
    await open(4);
    expect(image.image()?.seq).toBe(3);
    await open(2);
    expect([image.image()?.seq, gates.length]).toEqual([3, 5]);
  });

  it("reads before its first answer when it was made ready long before", async () => {
    const image = await warm();
    await publish(2);
    clock.jump(3_600_000);
    await waited(image.refresh(DEADLINE));
    expect(image.image()?.seq).toBe(2);
  });

  it("reads again when the first read was stopped on its way", async () => {
    const image = live();
    fault = HANG;
    image.start();
    await clock.advance(0);
    fault = undefined;
    clock.jump(5000);
    expect(await waited(image.refresh(DEADLINE))).toBe(0);
    expect(image.image()?.seq).toBe(1);
  });

  it("reads when the clock has been set back", async () => {
    const image = await warm();
    await publish(2);
    clock.jump(-3_600_000);
    await waited(image.refresh(DEADLINE));
    expect(image.image()?.seq).toBe(2);
  });
});

describe("snapshotCache() with nothing in memory", () => {
  it("takes one call when all is well, begun before the first request", async () => {
    latency = 20;
    const image = live();
    image.start();
    await clock.advance(5);
    expect(await waited(image.refresh(DEADLINE))).toBe(15);
    expect([image.image()?.seq, calls()]).toEqual([1, 1]);
  });

  it("tries again until the budget is spent when the store throttles", async () => {
    fault = THROTTLED;
    const image = live();
    image.start();
    expect(await waited(image.refresh(DEADLINE))).toBe(7000);
    expect(image.lastError()?.code).toBe("store-unavailable");
    expect(calls()).toBeGreaterThan(5);
    expect(calls()).toBeLessThan(20);
  });

  it("is there as soon as the store is", async () => {
    fault = THROTTLED;
    const image = live();
    image.start();
    const waiting = image.refresh(DEADLINE);
    await clock.advance(3000);
    fault = undefined;
    expect(await waited(waiting)).toBeLessThan(2000);
    expect(image.image()?.seq).toBe(1);
  });

  it("tries anew when a call is not answered", async () => {
    fault = HANG;
    const image = live();
    image.start();
    const waiting = image.refresh(DEADLINE);
    await clock.advance(1000);
    fault = undefined;
    expect(await waited(waiting)).toBeLessThan(1200);
    expect(image.image()?.seq).toBe(1);
  });

  it("does not wait when waiting cannot help", async () => {
    fault = DENIED;
    const image = live();
    image.start();
    expect(await waited(image.refresh(DEADLINE))).toBe(0);
    expect([image.lastError()?.code, calls()]).toEqual(["store-denied", 1]);
    expect(image.refresh(DEADLINE)).toBeUndefined();
  });

  it("waits a quarter of the deadline, once per TTL, when the budget has been spent", async () => {
    fault = HANG;
    const image = live();
    image.start();
    await waited(image.refresh(DEADLINE));
    await clock.advance(1000); // the last try of the budget has its time
    expect(image.refresh(DEADLINE)).toBeUndefined();
    await clock.advance(2 * TTL);
    expect(await waited(image.refresh(DEADLINE))).toBe(2500);
    expect(await waited(image.refresh(DEADLINE))).toBe(0);
  });

  it("lets a caller in a hurry not spend the budget of the others", async () => {
    fault = HANG;
    const image = live();
    image.start();
    expect(await waited(image.refresh(1000))).toBe(700);
    expect(await waited(image.refresh(DEADLINE))).toBe(7000);
  });

  it("spends the whole budget each time when nothing can be served instead", async () => {
    fault = HANG;
    const image = live({ insistent: true });
    image.start();
    expect(await waited(image.refresh(DEADLINE))).toBe(7000);
    expect(await waited(image.refresh(DEADLINE))).toBe(7000);
  });

  it("shares its reads when many requests wait", async () => {
    latency = 50;
    const image = live();
    image.start();
    const requests = Array.from({ length: 100 }, () => image.refresh(DEADLINE));
    expect(await waited(Promise.all(requests).then(() => {}))).toBe(50);
    expect(calls()).toBe(1);
  });

  it("waits no longer than API Gateway does, whatever a caller says", async () => {
    fault = HANG;
    const image = live();
    image.start();
    expect(await waited(image.refresh(1e9))).toBe(21_000);
  });
});

describe("suspect()", () => {
  it("reads at most once a minute and never within the TTL, and does not wait", async () => {
    const image = await warm();
    image.suspect(DEADLINE);
    expect(calls()).toBe(0);
    await publish(2);
    for (let second = 0; second < 180; second++) {
      await clock.advance(1000);
      image.suspect(DEADLINE);
    }
    expect(image.image()?.seq).toBe(2);
    // Two for the change, one for each further minute.
    expect(calls()).toBeLessThanOrEqual(4);
  });

  it("reads nothing when there is nothing in memory", async () => {
    const image = live();
    image.suspect(DEADLINE);
    await clock.advance(0);
    expect(calls()).toBe(0);
  });
});
