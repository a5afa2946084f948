// Containers that start while snapshots are committed, before a store whose readings are behind its writes, each parameter by
// a time of its own: what each container serves, and how long its first request waits.

import type { ParametersByName } from "@outrigger/aws";
import { fakeParameterStore, seededRandom } from "@outrigger/fake-aws";
import { describe, expect, it } from "vitest";
import { sleep } from "../../../test/support/sleep.ts";
import { LAYOUT, snapshotOf, writeSnapshot } from "../../../test/support/stored-snapshot.ts";
import { virtualClock } from "../../../test/support/virtual-clock.ts";
import { snapshotCache } from "../snapshot/snapshot-cache.ts";

const LATENCY = 20;
const DEADLINE = 10_000;
const COMMITS = 6;
/** Milliseconds between two commits, and between two containers. */
const PACE = 700;
const CONTAINERS = 30;

/** A snapshot in parts enough for the mirror to be seen half written. */
function snapshotNumbered(seq: number) {
  const random = seededRandom(seq);
  const noise = Array.from({ length: 900 }, () => Math.floor(random() * 1e9).toString(36)).join("");
  return snapshotOf({ seq, releases: { [`r${seq}`]: { format: 1, noise } as never } });
}

async function startDuringCommits(lag: number, hidesNew: boolean) {
  const clock = virtualClock();
  const random = seededRandom(lag + 1);
  let isLagging = false;
  const store = fakeParameterStore({
    now: clock.now,
    hidesNew,
    lag: () => (isLagging ? Math.floor(random() * (lag + 1)) : 0),
    around: async ({ operation }, perform) => {
      if (operation === "PutParameter") await sleep(LATENCY, clock);
      return perform();
    },
  });
  /** A reader for which each name is answered by another replica. */
  const reader: ParametersByName = {
    objects: store.objects,
    getParameters: async (names, options) => {
      await sleep(LATENCY, clock);
      return (await Promise.all(names.map((name) => store.getParameters([name], options)))).flat();
    },
  };
  const committedAt: number[] = [];
  const commit = async (seq: number) => {
    await writeSnapshot(store, snapshotNumbered(seq));
    committedAt[seq] = clock.now();
  };
  const commits = async () => {
    for (let seq = 2; seq <= COMMITS; seq++) {
      await sleep(PACE, clock);
      await commit(seq);
    }
  };
  const start = async (index: number) => {
    await sleep((index * COMMITS * (PACE + 500)) / CONTAINERS, clock);
    const began = clock.now();
    const options = { reader, layout: LAYOUT, clock, random, ttl: 10_000, insistent: false, report: () => undefined };
    const cache = snapshotCache(options);
    cache.start();
    await cache.refresh(DEADLINE);
    const seq = cache.snapshot()?.seq;
    const oldest = committedAt.findLastIndex((at) => at !== undefined && at <= began - lag);
    return { seq: seq ?? "bundled", isOldEnough: seq !== undefined && seq >= oldest, waited: clock.now() - began };
  };
  await clock.settle(commit(1));
  await clock.advance(10_000);
  isLagging = true;
  const all = Promise.all([commits(), ...Array.from({ length: CONTAINERS }, (_, index) => start(index))]);
  return (await clock.settle(all)).slice(1) as Awaited<ReturnType<typeof start>>[];
}

describe.each([0, 300, 1200, 2000])(
  "containers that start during commits, with readings up to %i ms behind writes,",
  (lag) => {
    it("serve what is stored, after two calls at most, where old values are shown", async () => {
      const started = await startDuringCommits(lag, false);
      expect(started.filter(({ isOldEnough }) => !isOldEnough)).toEqual([]);
      expect(Math.max(...started.map(({ waited }) => waited))).toBeLessThanOrEqual(2 * LATENCY);
    });

    it("serve what is stored, where new parameters are missing too", async () => {
      const started = await startDuringCommits(lag, true);
      expect(started.filter(({ isOldEnough }) => !isOldEnough)).toEqual([]);
      expect(Math.max(...started.map(({ waited }) => waited))).toBeLessThanOrEqual(lag + 1000);
    });
  },
);
