import { describe, expect, it } from "vitest";
import { readMetrics } from "../../test/support/read-metrics.ts";
import { type DriftOptions, reportDrift } from "./report-drift.ts";

async function lineOf(drift: Awaited<ReturnType<DriftOptions["look"]>>): Promise<string> {
  const lines: string[] = [];
  await reportDrift({ stage: "dev", look: async () => drift, write: (line) => void lines.push(line), now: () => 1 });
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

describe("reportDrift()", () => {
  it.each([
    [{ found: [], unseen: [] }, "info", 0],
    [{ found: [], unseen: ["logs: no way there"] }, "warn", 0],
    [{ found: ["alarms: missing: burst", "stack: gone"], unseen: [] }, "error", 2],
  ] as const)("writes %j as level %s and counts %i", async (drift, level, count) => {
    const line = await lineOf(drift);
    expect(JSON.parse(line)).toMatchObject({ level, event: "drift", ...drift });
    expect(readMetrics(line)).toEqual([expect.objectContaining({ name: "DeploymentDrift", value: count })]);
  });

  it("writes no metric while the deployment is being changed", async () => {
    const line = await lineOf(undefined);
    expect(readMetrics(line)).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ level: "info", event: "drift" });
  });
});
