import type {
  CloudWatchClient,
  GetMetricDataCommandInput,
  GetMetricDataCommandOutput,
} from "@aws-sdk/client-cloudwatch";
import { describe, expect, it } from "vitest";
import { metricSums, type Period, periodSeconds } from "./metric-sums.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 26, 12);
const HOUR_AGO = { since: NOW - 60 * MINUTE, now: NOW };
const METRICS = ["Injected", "Failed"].map((name) => ({ name, dimensions: { Stage: "prod", Release: "0a1b" } }));
const DENIED = Object.assign(new Error("User arn:aws:iam::111122223333:user/ann is not allowed"), {
  name: "AccessDenied",
});

type Page = Partial<GetMetricDataCommandOutput>;

const at = (...minutes: readonly number[]) => minutes.map((minute) => new Date(NOW + minute * MINUTE));
const complete = (Id: string, times: readonly Date[] = [], Values: readonly number[] = []) => ({
  Id,
  Timestamps: [...times],
  Values: [...Values],
  StatusCode: "Complete" as const,
});

/** Reads both metrics from a CloudWatch that answers with these pages, one after the other. */
async function read(pages: readonly (Page | Error)[], period: Period = HOUR_AGO) {
  const asked: GetMetricDataCommandInput[] = [];
  const send = async ({ input }: { readonly input: GetMetricDataCommandInput }) => {
    const page = pages[asked.push(input) - 1];
    if (page instanceof Error) throw page;
    return page;
  };
  const sums = await metricSums({ send } as unknown as CloudWatchClient, "eu-west-1", METRICS, period);
  return { sums: sums.map((one) => [...one]), asked };
}

const WHOLE: Page = { MetricDataResults: [complete("m0"), complete("m1")] };

describe("metricSums()", () => {
  it("reads all metrics by one request, in their order, and none where CloudWatch has no data", async () => {
    const { sums, asked } = await read([{ MetricDataResults: [complete("m1"), complete("m0", at(-2, -1), [3, 4])] }]);
    expect(sums).toEqual([
      [
        [NOW - 2 * MINUTE, 3],
        [NOW - MINUTE, 4],
      ],
      [],
    ]);
    const Dimensions = [
      { Name: "Stage", Value: "prod" },
      { Name: "Release", Value: "0a1b" },
    ];
    expect(asked).toEqual([
      {
        MetricDataQueries: ["Injected", "Failed"].map((MetricName, index) => ({
          Id: `m${index}`,
          MetricStat: { Metric: { Namespace: "Outrigger", MetricName, Dimensions }, Period: 60, Stat: "Sum" },
        })),
        StartTime: new Date(HOUR_AGO.since),
        EndTime: new Date(NOW),
      },
    ]);
  });

  it("reads all pages, each by the same request, and what two of them have once", async () => {
    const partial = (Id: string, times: readonly Date[], Values: number[]) => ({
      ...complete(Id, times, Values),
      StatusCode: "PartialData" as const,
    });
    const { sums, asked } = await read([
      { MetricDataResults: [partial("m0", at(-1), [1])], NextToken: "second" },
      { MetricDataResults: [complete("m0", at(-2, -1), [2, 1]), partial("m1", at(-1), [5])], NextToken: "third" },
      { MetricDataResults: [complete("m1", at(-3), [7])] },
    ]);
    expect(sums.map((points) => points.map(([, sum]) => sum))).toEqual([
      [1, 2],
      [5, 7],
    ]);
    const [first] = asked;
    expect(asked).toEqual([first, { ...first, NextToken: "second" }, { ...first, NextToken: "third" }]);
  });

  it("takes what failed on one page from the next one, as CloudWatch says", async () => {
    const failed = { Id: "m0", StatusCode: "InternalError" as const };
    const { sums } = await read([
      { MetricDataResults: [failed, complete("m1")], NextToken: "again" },
      { MetricDataResults: [complete("m0", at(-1), [6])] },
    ]);
    expect(sums).toEqual([[[NOW - MINUTE, 6]], []]);
  });

  const counted = complete("m0", at(-1), [100]);
  it.each<[string, Page, string, string]>([
    [
      "of which CloudWatch fails",
      { MetricDataResults: [counted, { Id: "m1", StatusCode: "InternalError", Timestamps: [], Values: [] }] },
      "aws-unavailable",
      "the metric Failed is not complete (status InternalError)",
    ],
    [
      "of which the answer ends in the middle",
      { MetricDataResults: [counted, { ...complete("m1", at(-1), [1]), StatusCode: "PartialData" }] },
      "aws-unavailable",
      "the metric Failed is not complete (status PartialData)",
    ],
    [
      "that the caller may not read",
      { MetricDataResults: [counted, { Id: "m1", StatusCode: "Forbidden" }] },
      "aws-denied",
      "(status Forbidden); ask for the permission cloudwatch:GetMetricData",
    ],
    [
      "about which there is a message",
      {
        MetricDataResults: [
          counted,
          { Id: "m1", StatusCode: "InternalError", Messages: [{ Code: "Busy", Value: "arn:aws:iam::1:user/ann" }] },
        ],
        Messages: [{ Code: "MaxMetricsExceeded", Value: "Maximum number of allowed metrics exceeded" }],
      },
      "aws-unavailable",
      "(status InternalError, Busy, MaxMetricsExceeded); wait a moment and run it again",
    ],
    [
      "that has no result",
      { MetricDataResults: [counted] },
      "aws-unavailable",
      "the metric Failed is not complete (status none)",
    ],
    [
      "whose result says no status",
      { MetricDataResults: [counted, { Id: "m1", Timestamps: [], Values: [] }] },
      "aws-unavailable",
      "(status none)",
    ],
    ["of an empty answer", {}, "aws-unavailable", "the metric Injected is not complete (status none)"],
  ])("counts no zero for a metric %s: it fails", async (_what, page, code, message) => {
    await expect(read([page])).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    await expect(read([page])).rejects.not.toThrow(/user\/ann|Maximum/);
  });

  it.each([
    [DENIED, "aws-denied", "Cannot count calls: the credentials do not allow cloudwatch:GetMetricData"],
    [Object.assign(new Error("slow down"), { name: "Throttling" }), "aws-unavailable", "the service is throttling"],
  ])("fails where a later page is refused: %s", async (refusal, code, message) => {
    const first = { ...WHOLE, NextToken: "second" };
    await expect(read([first, refusal])).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it.each([
    ["no time at all", NOW, NOW, NOW, NOW + MINUTE],
    ["a time that begins later by the clock here", NOW + MINUTE, NOW, NOW + MINUTE, NOW + 2 * MINUTE],
    ["less than a minute", NOW + 1, NOW + 2, NOW, NOW + MINUTE],
    ["a time from within a minute on", NOW - 5 * MINUTE - 1, NOW, NOW - 6 * MINUTE, NOW],
    // Three minutes a period: the hour is one of them, and the minute before is not.
    ["three days, from within a period on", NOW - 3 * DAY - MINUTE, NOW, NOW - 3 * DAY - 4 * MINUTE, NOW],
  ])("asks about %s from the beginning of a period on, and to a later time", async (_what, since, now, start, end) => {
    const { asked } = await read([WHOLE], { since, now });
    expect([asked[0]?.StartTime, asked[0]?.EndTime]).toEqual([new Date(start), new Date(end)]);
  });
});

describe("periodSeconds()", () => {
  it.each([
    ["no time at all", 0, 60],
    ["less than a minute", 1, 60],
    ["a day", DAY, 60],
    // The time begins with its whole minute: that is a period more.
    ["a day, from within a minute on", DAY + 1, 120],
    ["two days and a minute", 2 * DAY + MINUTE, 180],
    ["the days of which CloudWatch has minutes", 14 * DAY, 14 * 60],
    // Of 16 minutes a period, it would answer that there is no data.
    ["more of them", 16 * DAY, 20 * 60],
    ["the days of which it has five minutes", 62 * DAY, 65 * 60],
    ["more of them", 64 * DAY, 2 * 60 * 60],
    ["a year", 365 * DAY, 7 * 60 * 60],
  ])("of %s is one that CloudWatch has", (_what, length, seconds) => {
    expect(periodSeconds({ since: NOW - length, now: NOW })).toBe(seconds);
  });
});
