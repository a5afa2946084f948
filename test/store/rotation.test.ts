// Rotations against containers that are busy, idle or frozen: a call with a token that was registered a while ago is never
// refused. Time is the test's own.

import { SETTLE_MILLISECONDS } from "@outrigger/cluster";
import { fakeParameterStore } from "@outrigger/fake-aws";
import { serveStore } from "@outrigger/serving";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomOf } from "../support/random.ts";
import { sleep } from "../support/sleep.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../support/stored-snapshot.ts";
import { tokenOf } from "../support/tokens.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const TTL = 10_000;
const ROTATIONS = 200;
const CONTAINERS = 6;

/**
 * The milliseconds that a container sleeps before each rotation, and whether it is called with a known token, or an
 * unknown one, after it.
 */
const idling = fc.record({
  milliseconds: fc.oneof(fc.nat(TTL), fc.nat(600_000)),
  called: fc.constantFrom("not", "known", "guess"),
});

describe("a rotation", () => {
  it(`loses no call of ${CONTAINERS} containers in ${ROTATIONS} rotations`, { timeout: 120_000 }, async () => {
    const clock = virtualClock();
    const delay = async <Result>(_call: unknown, perform: () => Promise<Result>) => {
      await sleep(20, clock);
      return perform();
    };
    const store = fakeParameterStore({ now: clock.now, around: delay as never });
    const publish = (seq: number, tokens: readonly string[]) =>
      clock.settle(writeSnapshot(store, snapshotOf({ seq, releases: {}, clusters: { shop: clusterOf(tokens) } })));
    await publish(1, [tokenOf("r0-")]);
    const containers = Array.from({ length: CONTAINERS }, () =>
      serveStore({
        prefix: PREFIX,
        reader: store,
        ttl: TTL,
        bundled: undefined,
        clock,
        random: randomOf(7),
        report() {},
      }),
    );
    const isServed = async ({ find }: (typeof containers)[number], token: string) =>
      (await clock.settle(Promise.resolve(find({ token, revision: "default", timeout: 10_000 })))) !== undefined;
    for (const { live } of containers) live.start();
    let lost = 0;
    const plans = fc.sample(fc.array(idling, { minLength: CONTAINERS, maxLength: CONTAINERS }), {
      numRuns: ROTATIONS,
      seed: 7,
    });
    for (const [index, plan] of plans.entries()) {
      const [old, next] = [tokenOf(`r${index}-`), tokenOf(`r${index + 1}-`)];
      clock.jump(Math.max(...plan.map(({ milliseconds }) => milliseconds)));
      // Just before the commit: what they have read is as young and as wrong as it can be.
      for (const [place, container] of containers.entries()) {
        const called = plan[place]?.called;
        if (called !== "not") await isServed(container, called === "known" ? old : tokenOf("guess-"));
      }
      await publish(2 * index + 2, [old, next]);
      await clock.advance(SETTLE_MILLISECONDS);
      for (const container of containers) if (!(await isServed(container, next))) lost++;
      await publish(2 * index + 3, [next]);
    }
    expect([plans.length, lost]).toEqual([ROTATIONS, 0]);
  });
});
