// A storm of cold starts, with the real store code on a clock of its own: so many processes of the function that start
// at once, each with a request and then one more every two seconds until what is stored serves it, before a Parameter
// Store and a bucket that answer so many calls a second.

import { once } from "@outrigger/base";
import type { ObjectTable, ParameterTable } from "@outrigger/fake-aws";
import { fakeObjectStore, fakeParameterStore, seededRandom } from "@outrigger/fake-aws";
import type { Release } from "@outrigger/injector";
import { loadRelease } from "@outrigger/injector";
import { serveStore } from "@outrigger/serving";
import { sleep } from "../../test/support/sleep.ts";
import type { Clock } from "../../test/support/virtual-clock.ts";

export interface StormOptions {
  readonly containers: number;
  /** Calls a second that Parameter Store answers. */
  readonly rate: number;
  /** Calls a second that the bucket answers. */
  readonly reads: number;
  /** Milliseconds in which the containers start, evenly. */
  readonly spread: number;
  /** The webhook's timeout in milliseconds. */
  readonly timeout: number;
  /** Milliseconds that a call takes. */
  readonly latency: number;
  /** Milliseconds from the start of a process to its first request: INIT. */
  readonly init: number;
  readonly table: ParameterTable;
  readonly objects: ObjectTable;
  readonly prefix: string;
  readonly token: string;
  readonly bundled: Release;
  readonly clock: Clock;
}

export interface StormReport {
  /** The number of requests by what they were served. */
  readonly served: Readonly<Record<string, number>>;
  /** Milliseconds from a request's arrival to its answer, INIT included. */
  readonly longest: number;
  readonly median: number;
  /** The shortest wait of a request that was served the bundled release. */
  readonly earliestBundled: number | undefined;
  /** Milliseconds until every container served what is stored. */
  readonly allCurrent: number;
  readonly calls: number;
  readonly throttled: number;
  readonly objectCalls: number;
}

/** Milliseconds between two requests to a container. */
const PACE = 2000;

/** A request arrives when its container starts, and is looked at when INIT is over. The clock has to be kept going. */
export async function simulateStorm(options: StormOptions): Promise<StormReport> {
  const { containers, rate, reads, spread, latency, clock, table } = options;
  const bucket = fakeObjectStore({ objects: options.objects, rate: reads, now: clock.now });
  const store = fakeParameterStore({
    table,
    rate,
    now: clock.now,
    objects: {
      ...bucket,
      getObject: async (key, call) => {
        await sleep(latency, clock);
        return bucket.getObject(key, call);
      },
    },
    around: async (_call, perform) => {
      await sleep(latency, clock);
      return perform();
    },
  });
  const began = clock.now();
  const starts = Array.from({ length: containers }, (_, index) => (index * spread) / containers);
  const answers = await Promise.all(
    starts.map(async (start, index) => {
      await sleep(start, clock);
      const arrived = clock.now();
      const random = seededRandom(index + 1);
      const { find, live } = serveStore({
        prefix: options.prefix,
        ttl: 10_000,
        bundled: once(() => ({ digest: "bundled", injector: loadRelease(options.bundled) })),
        reader: store,
        clock,
        random,
        report: () => undefined,
      });
      live.start();
      await sleep(options.init, clock);
      const request = async () =>
        (await find({ token: options.token, revision: "default", timeout: options.timeout }))?.served ?? "refused";
      const served = await request();
      const wait = clock.now() - arrived;
      for (let now = served; now !== "current"; now = await request()) await sleep(PACE, clock);
      return { served, wait, currentAt: clock.now() - began };
    }),
  );
  const waits = answers.map(({ wait }) => wait).sort((a, b) => a - b);
  const bundled = answers.filter(({ served }) => served === "bundled").map(({ wait }) => wait);
  return {
    served: Object.fromEntries(
      [...new Set(answers.map(({ served }) => served))].map((kind) => [
        kind,
        answers.filter(({ served }) => served === kind).length,
      ]),
    ),
    longest: waits.at(-1) ?? 0,
    median: waits[Math.floor(waits.length / 2)] ?? 0,
    earliestBundled: bundled.length === 0 ? undefined : Math.min(...bundled),
    allCurrent: Math.max(...answers.map(({ currentAt }) => currentAt)),
    calls: store.calls().GetParameters ?? 0,
    throttled: store.throttled(),
    objectCalls: bucket.objectCalls().GetObject ?? 0,
  };
}
