import type { CloudWatchClient, GetMetricDataCommandInput, MetricStat } from "@aws-sdk/client-cloudwatch";
import { describe, expect, it } from "vitest";
import { deploymentMetrics } from "./deployment-metrics.ts";

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 26, 12);
const SINCE = NOW - 30 * MINUTE;

/** A deployment of whose metrics CloudWatch has these points: minutes from the beginning on, and sums. And what it was asked. */
function counted(points: (metric: string, of: Readonly<Record<string, string>>) => readonly (readonly number[])[]) {
  const asked: string[][] = [];
  const describe = ({ Metric: { MetricName = "", Dimensions = [] } = {} }: Partial<MetricStat> = {}) => {
    const of = Object.fromEntries(Dimensions.map(({ Name = "", Value = "" }) => [Name, Value]));
    return { name: MetricName, of };
  };
  const send = async ({ input }: { readonly input: GetMetricDataCommandInput }) => {
    const queries = (input.MetricDataQueries ?? []).map(({ Id, MetricStat }) => ({ Id, ...describe(MetricStat) }));
    asked.push(queries.map(({ name, of }) => [name, ...Object.values(of)].join(" ")));
    const MetricDataResults = queries.map(({ Id, name, of }) => ({
      Id,
      Timestamps: points(name, of).map(([minute = 0]) => new Date(SINCE + minute * MINUTE)),
      Values: points(name, of).map(([, sum]) => sum),
      StatusCode: "Complete",
    }));
    return { MetricDataResults };
  };
  return { ...deploymentMetrics({ send } as unknown as CloudWatchClient, "prod", "eu-west-1"), asked };
}

describe("deploymentMetrics()", () => {
  it("counts both releases of a rollout by one request", async () => {
    const { countReleases, asked } = counted((metric, { Release }) => {
      if (Release === "bbbb") return metric === "Injected" ? [[0, 0]] : [];
      return (
        {
          Injected: [
            [3, 5],
            [1, 2],
          ],
          Denied: [[1, 1]],
          Failed: [[2, 4]],
          Regressed: [[3, 6]],
          Late: [
            [1, 9],
            [2, 0],
          ],
        }[metric] ?? []
      );
    });
    const [next, own] = await countReleases({ releases: ["aaaa", "bbbb"], since: SINCE, now: NOW });
    const [one, two, three] = [1, 2, 3].map((minute) => SINCE + minute * MINUTE);
    const counts = { injected: 7, denied: 1, failed: 4, regressed: 6, late: 9 };
    expect(next).toEqual({ ...counts, calledIn: [three, one, two], lateIn: [one] });
    expect(own).toEqual({ injected: 0, denied: 0, failed: 0, regressed: 0, late: 0, calledIn: [], lateIn: [] });
    const names = ["Injected", "Denied", "Failed", "Regressed", "Late"];
    expect(asked).toEqual([["aaaa", "bbbb"].flatMap((release) => names.map((name) => `${name} prod ${release}`))]);
  });

  it("leaves the late calls of releases out where nobody asks for them", async () => {
    const { countReleases, asked } = counted((metric) => [[0, metric === "Failed" ? 3 : 1]]);
    const found = await countReleases({ releases: ["aaaa", "bbbb"], since: SINCE, now: NOW, isTimed: false });
    expect(found.map(({ failed, late, lateIn }) => [failed, late, lateIn])).toEqual([
      [3, 0, []],
      [3, 0, []],
    ]);
    expect(asked.flat().filter((name) => name.startsWith("Late"))).toEqual([]);
    expect(asked[0]).toHaveLength(8);
  });

  it("says when calls were lost, for whatever reason, the earliest first, by one request", async () => {
    const { lostCalls, asked } = counted((metric) =>
      metric === "Late"
        ? [
            [2, 1],
            [4, 0],
          ]
        : [
            [2, 2],
            [1, 1],
          ],
    );
    const minute = (at: number) => ({ since: SINCE + at * MINUTE, until: SINCE + (at + 1) * MINUTE });
    expect(await lostCalls({ since: SINCE, now: NOW })).toEqual([
      { ...minute(1), calls: 3 },
      { ...minute(2), calls: 7 },
    ]);
    expect(asked).toEqual([["GatewayThrottled prod", "GatewayFailed prod", "GatewayRejected prod", "Late prod"]]);
  });

  it("counts the calls of a cluster with a token from the next whole minute on, and asks for none before it", async () => {
    const { countTokenCalls, asked } = counted(() => [
      [1, 2],
      [2, 3],
    ]);
    const token = { cluster: "shop", slot: 2, now: NOW } as const;
    expect(await countTokenCalls({ ...token, since: NOW - 1 })).toBe(0);
    expect(asked).toEqual([]);
    expect(await countTokenCalls({ ...token, since: NOW - MINUTE - 1 })).toBe(5);
    expect(asked).toEqual([["TokenCalls prod shop 2"]]);
  });
});
