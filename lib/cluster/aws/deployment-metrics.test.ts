import type { CloudWatchClient, GetMetricStatisticsCommandInput } from "@aws-sdk/client-cloudwatch";
import { describe, expect, it } from "vitest";
import { deploymentMetrics } from "./deployment-metrics.ts";

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 26, 12);

describe("deploymentMetrics()", () => {
  it.each([
    ["no time at all", NOW, 60],
    ["less than a minute", NOW - 1, 60],
    ["as many minutes as one answer holds", NOW - 1440 * MINUTE, 60],
    // The time begins with its whole minute: that is a data point more.
    ["as many, from within a minute on", NOW - 1440 * MINUTE - 1, 120],
    ["two days and a minute", NOW - 2881 * MINUTE, 180],
  ])("asks of %s in the shortest periods that fit into one answer", async (_what, since, seconds) => {
    const asked: GetMetricStatisticsCommandInput[] = [];
    const send = async ({ input }: { readonly input: GetMetricStatisticsCommandInput }) => {
      asked.push(input);
      return { Datapoints: [{ Timestamp: new Date(since), Sum: 2 }] };
    };
    const client = { send } as unknown as CloudWatchClient;
    const lost = await deploymentMetrics(client, "prod", "eu-west-1").lostCalls({ since, now: NOW });
    expect([...new Set(asked.map(({ Period }) => Period))]).toEqual([seconds]);
    expect(lost).toEqual([{ since, until: since + seconds * 1000, calls: 8 }]);
  });
});
