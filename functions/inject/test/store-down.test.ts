// What the author of a pod sees when the store is in trouble and nothing may be served in its place: the reason, within the
// deadline, and never the URL with its token. An API server repeats calls as it is asked to. Time is the test's own.
import { type Fault, fakeParameterStore } from "@outrigger/fake-aws";
import { serveStore } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { eventOf } from "../../../test/support/gateway-event.ts";
import { sleep } from "../../../test/support/sleep.ts";
import { PREFIX } from "../../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../../test/support/tokens.ts";
import { virtualClock } from "../../../test/support/virtual-clock.ts";
import { handlerOf } from "../api-gateway.ts";

const TOKEN = tokenOf("c1-");

/** Calls the handler as an API server does: again after `Retry-After`, up to ten times, until its deadline. */
async function callAsApiServer(timeout: number, latency: number, fault: Fault | undefined) {
  const clock = virtualClock();
  const store = fakeParameterStore({
    now: clock.now,
    fault: () => fault,
    around: async (_call, perform) => {
      if (latency > 0) await sleep(latency, clock);
      return perform();
    },
  });
  const lines: string[] = [];
  const report = () => {};
  const options = { prefix: PREFIX, ttl: 10_000, bundled: undefined, reader: store, clock, random: () => 0.5, report };
  const { find, live } = serveStore(options);
  live.start();
  const handler = handlerOf({ find, now: clock.now }, (line) => void lines.push(line));
  const event = { ...eventOf({ object: { spec: { containers: [] } }, namespace: "shop", path: `/t/${TOKEN}/inject` }) };
  const deadline = clock.now() + timeout;
  for (let call = 0; ; call++) {
    const query = { timeout: `${timeout}ms` };
    const result = await clock.settle(handler({ ...event, queryStringParameters: query }));
    const retryAfter = result.headers["retry-after"];
    if (clock.now() >= deadline) return { calls: call + 1, isTimeout: true, result, lines };
    if (retryAfter === undefined || call === 10) return { calls: call + 1, isTimeout: false, result, lines };
    await clock.advance(Number(retryAfter) * 1000);
    if (clock.now() >= deadline) return { calls: call + 1, isTimeout: true, result, lines };
  }
}

const error = (name: string): Fault => ({ kind: "error", name, status: 500 });

/** Matches the reasons that are given before the first read has failed, and afterwards. */
const REASON = /Parameter Store has not been read|Cannot read \S+: /;

describe("a call while the store is in trouble and the fallback is off", () => {
  const troubles: readonly (readonly [string, number, Fault | undefined, RegExp])[] = [
    ["hangs", 10, { kind: "hang" }, REASON],
    ["cuts connections", 10, { kind: "reset" }, /Cannot read/],
    ["fails", 10, error("InternalServerError"), /Cannot read/],
    ["throttles", 10, error("ThrottlingException"), /Cannot read/],
    ["is denied", 10, error("AccessDeniedException"), /Cannot read/],
    ["is slower than any deadline", 60_000, undefined, REASON],
    ["is slow and has nothing", 1500, undefined, /publish first/],
  ];
  const cases = troubles.flatMap((trouble) =>
    [1000, 3000, 10_000, 30_000].map((timeout) => [timeout, ...trouble] as const),
  );

  it.each(cases)("within %d ms: shows the reason when the store %s", async (timeout, _what, latency, fault, reason) => {
    const { isTimeout, result, lines } = await callAsApiServer(timeout, latency, fault);
    expect(isTimeout).toBe(false);
    expect(result.statusCode).toBe(500);
    expect(result.body).toMatch(timeout === 1000 && latency === 1500 ? REASON : reason);
    expect(JSON.stringify([result, lines])).not.toContain(TOKEN);
  });
});
