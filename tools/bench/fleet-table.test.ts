// Holds docs/contributing/scale.md against the command that makes its table.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fleetTable } from "./fleet-table.ts";
import { simulateFleet } from "./simulate-fleet.ts";

const OPTIONS = {
  calls: 100,
  seconds: 1,
  reserved: 10,
  rate: 1000,
  burst: 1000,
  warm: 2,
  cold: 400,
  ttl: 10_000,
  ready: 0,
};

describe("docs/contributing/scale.md", () => {
  it("has the table that `node --import tsx tools/bench/storm.ts --fleet` prints", () => {
    expect(readFileSync("docs/contributing/scale.md", "utf8")).toContain(fleetTable());
  });
});

describe("simulateFleet()", () => {
  it("starts a container for each call while all others start, up to the reserved number", () => {
    const { coldStarts, concurrency, full } = simulateFleet(OPTIONS);
    expect([coldStarts, concurrency]).toEqual([10, 10]);
    expect(full).toBeGreaterThan(0);
  });

  it("starts none where enough are ready, and reads once per container and TTL", () => {
    const report = simulateFleet({ ...OPTIONS, ready: 10 });
    expect(report).toMatchObject({ coldStarts: 0, full: 0, throttled: 0 });
    expect(report.storeCalls).toBeLessThanOrEqual(10);
  });

  it("refuses what is beyond the burst and the rate", () => {
    expect(simulateFleet({ ...OPTIONS, ready: 10, burst: 5, rate: 20 }).throttled).toBeGreaterThan(70);
  });
});
