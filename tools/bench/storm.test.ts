import { readRelease } from "outrigger:bundled-release";
import { beforeAll, describe, expect, it } from "vitest";
import { runStorm, type Storm } from "./run-storm.ts";

describe("a storm of cold starts, on a virtual clock", () => {
  let storm: Storm;

  beforeAll(async () => {
    storm = await runStorm({ containers: 100, rate: 4, spread: 1000, timeout: 10_000, bundled: readRelease() });
  }, 60_000);

  it("answers every request before its deadline", () => {
    expect(storm.report.longest).toBeLessThan(10_000);
    expect(Object.keys(storm.report.served).sort()).toEqual(["bundled", "current"]);
  });

  it("serves as many as the store lets through what is stored", () => {
    expect(storm.report.served["current"]).toBeGreaterThanOrEqual(4 * 7);
  });

  it("serves nobody the bundled release before the waiting budget is spent", () => {
    expect(storm.report.earliestBundled).toBeGreaterThanOrEqual(7000);
  });

  it("is over soon after the store could have answered every caller", () => {
    expect(storm.report.allCurrent).toBeGreaterThanOrEqual(24_000);
    expect(storm.report.allCurrent).toBeLessThan(60_000);
  });
});
