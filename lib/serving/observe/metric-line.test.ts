import { describe, expect, it } from "vitest";
import { readMetrics } from "../../../test/support/read-metrics.ts";
import { metricLine } from "./metric-line.ts";

const LINE = { level: "info", event: "publish", timestamp: 1_800_000_000_000 } as const;

describe("metricLine()", () => {
  it("carries metrics by stage in addition to its fields if there is a stage", () => {
    const line = metricLine({ ...LINE, stage: "dev", metrics: { Published: 1 }, fields: { channel: "stable" } });
    expect(JSON.parse(line)).toMatchObject({ level: "info", event: "publish", channel: "stable", Published: 1 });
    expect(readMetrics(line)).toEqual([{ name: "Published", unit: undefined, value: 1, dimensions: { Stage: "dev" } }]);
  });

  it("says milliseconds when a metric is a latency", () => {
    const line = metricLine({ ...LINE, stage: "dev", metrics: { CanarySucceeded: 1, CanaryLatency: 12.5 } });
    expect(readMetrics(line).map(({ name, unit, value }) => [name, unit, value])).toEqual([
      ["CanarySucceeded", undefined, 1],
      ["CanaryLatency", "Milliseconds", 12.5],
    ]);
  });

  it("is a line without metrics when there is no stage or nothing to count", () => {
    expect(metricLine({ ...LINE, metrics: { Published: 1 } })).toBe('{"level":"info","event":"publish"}\n');
    expect(metricLine({ ...LINE, stage: "dev" })).toBe('{"level":"info","event":"publish"}\n');
  });

  it("stays one line that CloudWatch reads when texts in it are long or hostile", () => {
    const fields = { why: "x".repeat(1_000_000), by: 'a\n"},"_aws":{}', nested: { message: "y".repeat(1_000_000) } };
    const line = metricLine({ ...LINE, stage: "dev", metrics: { PublishFailed: 1 }, fields });
    expect(readMetrics(line)).toHaveLength(1);
    expect(line.length).toBeLessThan(6000);
  });
});
