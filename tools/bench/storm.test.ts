import { readRelease } from "outrigger:bundled-release";
import { compileRelease, type Release } from "@outrigger/injector";
import { beforeAll, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../../test/support/in-turn.ts";
import { runStorm, type Storm } from "./run-storm.ts";

const timeout = 10_000;

/** On a virtual clock a release is read in no time, whatever its size. For 2,000 containers, reading the shipped one is most of the work. */
const SMALL = compileRelease([{ "templates/sidecar": "spec: {}" }]);

describe("a storm of cold starts, on a virtual clock", () => {
  const isServed = async (containers: number, rate: number, bundled: Release) => {
    const { report } = await runStorm({ containers, rate, spread: 1000, timeout, bundled });
    expect(report.served).toEqual({ current: containers });
    expect(report.longest).toBeLessThan(2000);
    // Parameter Store is asked once a container, and the bucket at most for the head and its object.
    expect(report.calls).toBe(containers);
    expect(report.objectCalls).toBe(2 * report.throttled);
    return report;
  };

  const RATES = [40, 5, 0];
  const itInTurn = inTurn(it, turnOf("Storms of cold starts", RATES.length));
  for (const rate of RATES)
    itInTurn(`serves all of 2,000 the published release where Parameter Store answers ${rate} a second`, async () => {
      await isServed(2000, rate, SMALL);
    });

  it("asks as often for the shipped release, whether Parameter Store answers or the bucket", async () => {
    const { throttled } = await isServed(60, 10, readRelease());
    expect(throttled).toBeGreaterThan(10);
    expect(throttled).toBeLessThan(50);
  });
});

describe("a storm of cold starts before a bucket that does not answer either", () => {
  let storm: Storm;

  beforeAll(async () => {
    const stores = { rate: 4, reads: 0 };
    storm = await runStorm({ containers: 100, ...stores, spread: 1000, timeout, bundled: readRelease() });
  }, 60_000);

  it("answers every request before its deadline", () => {
    expect(storm.report.longest).toBeLessThan(timeout);
    expect(Object.keys(storm.report.served).sort()).toEqual(["bundled", "current"]);
  });

  it("serves as many as the store lets through what is stored", () => {
    expect(storm.report.served["current"]).toBeGreaterThanOrEqual(4 * 7);
  });

  it("serves nobody the bundled release before the waiting budget is spent", () => {
    expect(storm.report.earliestBundled).toBeGreaterThanOrEqual(0.7 * timeout);
  });

  it("is over soon after the store could have answered every caller", () => {
    expect(storm.report.allCurrent).toBeGreaterThanOrEqual(24_000);
    expect(storm.report.allCurrent).toBeLessThan(60_000);
  });
});
