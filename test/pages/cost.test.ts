// The figures of docs/cost.md: what is counted in the code, and what follows from the prices and assumptions that the page names.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CloudWatchClient, GetMetricDataCommandInput } from "@aws-sdk/client-cloudwatch";
import { deploymentMetrics } from "@outrigger/cluster";
import { type AdmissionRecord, logAdmission, metricLine } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { publishLine, settledLine } from "../../functions/publish/log-lines.ts";
import { DEFAULTS } from "../../infra/settings/schema.ts";
import { readMetrics } from "../support/read-metrics.ts";
import { ROOT, textOf } from "./code-blocks.ts";

const PAGE = textOf("docs/cost.md");

/** AWS's list prices in dollars, us-east-1: https://aws.amazon.com/pricing has the truth. */
const HTTP_CALL = 1 / 1e6;
const REST_CALL = 3.5 / 1e6;
const LAMBDA_CALL = 0.2 / 1e6;
const LAMBDA_SECOND = 0.0000133334;
const WARM_SECOND = 0.0000033334;
const DATA_OUT = 0.09 / 1024 ** 3;
const ENDPOINT_DATA = 0.01 / 1024 ** 3;
const LOGS = 0.5 / 1024 ** 3;
const METRIC = 0.3;
const ALARM = 0.1;
const DASHBOARD = 3;
const [METRIC_READ, ALARM_READ] = [0.01 / 1e3, 0.01 / 1e3];
const STORE_CALL = 0.05 / 1e4;
const [OBJECT_WRITE, OBJECT_READ, OBJECT_STORAGE] = [0.005 / 1e3, 0.0004 / 1e3, 0.023];
const MONTH = 730 * 3600;

/** The assumptions of the page: calls of a million pods, a call's seconds, a container's size in GB. */
const CALLS = 1_200_000;
const [WARM, COLD] = [0.002, 0.25];
const MEMORY = 1769 / 1024;
/** The patch of a typical pod in base64, with its review. */
const ANSWER = Math.ceil(7700 / 3) * 4 + 400;
/** Lambda's own lines, the gateway's, and what CloudWatch counts for each of five events. */
const OTHER_LOGS = 350 + 330 + 5 * 26;
const CANARY_CALLS = 43_800;
/** The objects of an edit, and their bytes together: a release, a snapshot with it, and the pointer. */
const [OBJECTS, EDIT_BYTES] = [3, 30_000];
/** The publish function's, each minute and each fifth minute: seconds that one is billed, and Lambda's own lines. */
const LOOKS = MONTH / 60 + MONTH / 300;
const [LOOK, LOOK_LOGS] = [0.3, 350];

const counted = countMetrics();
const logBytes = counted.lineBytes + OTHER_LOGS;
const callOf = (gateway: number) => gateway + LAMBDA_CALL + WARM * MEMORY * LAMBDA_SECOND + logBytes * LOGS;
const canaryOf = (gateway: number) =>
  CANARY_CALLS * (callOf(gateway) + ANSWER * DATA_OUT + LAMBDA_CALL + 0.1 * 0.25 * LAMBDA_SECOND);

const looksCost = LOOKS * (LAMBDA_CALL + LOOK * MEMORY * LAMBDA_SECOND + (counted.lookBytes + LOOK_LOGS) * LOGS);

describe("docs/cost.md", () => {
  it("has what a million pods cost", () => {
    const of = (price: number) => price * CALLS;
    expect(table("per million pods")).toEqual([
      ["API Gateway, calls", ...[HTTP_CALL, REST_CALL, REST_CALL].map(of).map(money)],
      ["data out", ...[DATA_OUT, DATA_OUT, ENDPOINT_DATA].map((price) => money(of(price * ANSWER)))],
      ["Lambda, requests", ...three(of(LAMBDA_CALL))],
      ["Lambda, warm calls", ...three(of(WARM * MEMORY * LAMBDA_SECOND))],
      ["Lambda, cold starts", ...three(of(0.01 * COLD * MEMORY * LAMBDA_SECOND))],
      ["log lines", ...three(of(logBytes * LOGS))],
      ["**together**", ...together("per million pods")],
    ]);
    const million = together("per million pods")[0]?.replaceAll("*", "");
    expect(textOf("docs/compare-with-istio.md")).toContain(`About ${million} for a million pods`);
  });

  it("has what fleets cost in a month", () => {
    const fleets = [1, 1, 10, 10, 100, 100].map((clusters, at) => ({
      clusters,
      gateway: at % 2 === 0 ? HTTP_CALL : REST_CALL,
      million: dollars(together("per million pods")[at % 2]),
    }));
    const row = (of: (fleet: (typeof fleets)[number]) => number) => fleets.map((fleet) => money(of(fleet)));
    const rows = table("a month");
    expect(rows.slice(1)).toEqual([
      ["metrics of the deployment", ...row(() => counted.shared * METRIC)],
      ["metrics of clusters", ...row(({ clusters }) => clusters * counted.perCluster * METRIC)],
      ["alarms of the deployment", ...row(() => alarmedMetrics() * ALARM)],
      ["alarms of clusters", ...row(({ clusters }) => clusters * ALARM)],
      ["dashboard", ...row(() => DASHBOARD)],
      ["canary", ...row(({ gateway }) => canaryOf(gateway))],
      ["looks of the publish function", ...row(() => looksCost)],
      ["**together**", ...together("a month")],
    ]);
    // 100,000 pods a cluster: a tenth of the table above.
    for (const [at, { clusters, million }] of fleets.entries())
      expect(Math.abs(dollars(rows[0]?.[at + 1]) - (clusters * million) / 10)).toBeLessThanOrEqual(
        clusters * 0.001 + 0.006,
      );
  });

  it("has the sum of each column", () => {
    for (const heading of ["per million pods", "a month"]) {
      const rows = table(heading).slice(0, -1);
      for (const [at, sum] of together(heading).entries()) {
        const added = rows.reduce((total, row) => total + dollars(row[at + 1]), 0);
        // Each is rounded, and sums from $100 on to whole dollars.
        expect(Math.abs(dollars(sum) - added), `${heading}, column ${at + 1}`).toBeLessThan(added < 100 ? 0.035 : 0.54);
      }
    }
  });

  it("has what warm containers, reads and a flood cost", () => {
    const warm = MONTH * MEMORY * WARM_SECOND;
    expect(table("containers of 1769 MB")).toEqual([1, 2, 5, 10].map((each) => [`${each}`, money(each * warm)]));
    expect(
      table("containers never idle").map(([containers, perSecond, , cost]) => [containers, perSecond, cost]),
    ).toEqual(
      [1, 10, 100, 400, 1000].map((each) => [`${each}`, `${each / 10}`, money((each / 10) * MONTH * STORE_CALL)]),
    );
    expect(table("edits a day").map(([edits, written, , cost]) => [edits, written, cost])).toEqual(
      [1, 100, 1000].map((edits) => {
        const written = edits * OBJECTS * 30.5;
        const cost = written * OBJECT_WRITE + (edits * 30.5 * EDIT_BYTES * OBJECT_STORAGE) / 1e9;
        return [`${edits}`, Math.round(written).toLocaleString("en-US"), money(cost)];
      }),
    );
    expect(PAGE).toContain(`two reads at most, ${money(2e6 * OBJECT_READ)} for a\nmillion starts`);
    const rate = Number(DEFAULTS["rate"]);
    const flood = [1, 4].map((routes) => {
      const calls = rate * routes * MONTH;
      return [
        `${routes}`,
        `${rate * routes}`,
        ...[HTTP_CALL, REST_CALL].map((gateway) => money(calls * callOf(gateway))),
      ];
    });
    expect(table("routes")).toEqual(flood);
    expect(PAGE).toContain(`\n${rate} a second) or of the four shared routes`);
  });

  it("has what watching a release costs, of the metrics that the code reads", async () => {
    const [day, month] = [24 * 60, MONTH / 60];
    const row = async (isTimed: boolean) => {
      const metrics = await metricsOfLook(isTimed);
      return [`${metrics}`, ...[day, month].map((looks) => money(metrics * looks * METRIC_READ))];
    };
    expect(table("while it lasts")).toEqual([
      ["a rollout", ...(await row(true))],
      ["a ring whose next release is due, and waits", ...(await row(false))],
    ]);
    expect(PAGE).toContain(`one request more, ${money(month * ALARM_READ)} a month at most`);
  });

  it("names what the code counts", () => {
    const { shared, perCluster, perClusterWithLatency, lineBytes } = counted;
    for (const sentence of [
      `A deployment makes ${shared} of them in ordinary hours, including its canary's, and ${perCluster} for\neach cluster`,
      `it would be ${perClusterWithLatency - perCluster} more for each cluster`,
      `The ${alarmedMetrics()} alarmed metrics of a deployment are ${money(alarmedMetrics() * ALARM)}`,
      `Log lines are ${(logBytes / 1000).toFixed(1)} KB a call. Outrigger writes ${(lineBytes / 1000).toFixed(1)} of them`,
    ])
      expect(PAGE).toContain(sentence);
  });
});

/** The cells of the rows of the table whose first column has the heading. */
function table(heading: string): readonly (readonly string[])[] {
  const [, rows = ""] = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-:|]+\\|\\n((?:\\|.*\\n)+)`, "m").exec(PAGE) ?? [];
  return rows
    .trim()
    .split("\n")
    .map((row) => row.slice(2, -2).split(" | "));
}

function together(heading: string): readonly string[] {
  return table(heading).at(-1)?.slice(1) ?? [];
}

function dollars(cell = ""): number {
  return Number(cell.replaceAll(/[*$,]/g, ""));
}

function money(sum: number): string {
  return sum < 100 ? `$${sum.toFixed(2)}` : `$${Math.round(sum).toLocaleString("en-US")}`;
}

function three(sum: number): readonly string[] {
  return Array(3).fill(money(sum));
}

/** Counts the metrics that a look reads of two releases, with their late calls or without. */
async function metricsOfLook(isTimed: boolean): Promise<number> {
  let metrics = 0;
  const send = async ({ input }: { readonly input: GetMetricDataCommandInput }) => {
    const MetricDataResults = (input.MetricDataQueries ?? []).map(({ Id }) => ({ Id, StatusCode: "Complete" }));
    metrics += MetricDataResults.length;
    return { MetricDataResults };
  };
  const { countReleases } = deploymentMetrics({ send } as unknown as CloudWatchClient, "prod", "us-east-1");
  await countReleases({ releases: ["0123456789ab", "ba9876543210"], since: 0, now: 60_000, isTimed });
  return metrics;
}

/** Counts the metrics that alarms look at, without those of a setting's own alarm: each one is paid for. */
function alarmedMetrics(): number {
  const alarms = readFileSync(join(ROOT, "infra/alarms.yml"), "utf8").split(/^(?= {2}\w+:$)/m);
  const yaml = alarms.filter((alarm) => !/^ {4}Condition: SendsEvents$/m.test(alarm)).join("");
  const count = (pattern: RegExp) => (yaml.match(pattern) ?? []).length;
  return count(/^ {6}MetricName:/gm) + count(/^ {12}Metric:$/gm);
}

/**
 * Counts the metrics in the lines that the product writes in ordinary hours: those of the deployment with its canary,
 * and of a cluster.
 */
function countMetrics() {
  const injected = { decision: "injected", templates: ["sidecar"] } as const;
  const usual: readonly Partial<AdmissionRecord>[] = [
    { ...injected, cold: true },
    ...(["opted-out", "host-network", "system-namespace"] as const).map(
      (reason) => ({ decision: "skipped", reason }) as const,
    ),
  ];
  const now = () => 1_800_000_000_000;
  const linesOf = (cluster: string, call: Partial<AdmissionRecord>, clusterLatency = false) => {
    const lines: string[] = [];
    const sent = {
      cluster,
      decision: "skipped",
      uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
      namespace: "shop",
    } as const;
    const served = { release: "0123456789ab", milliseconds: 0.812, served: "current", tokenSlot: 1 } as const;
    logAdmission(
      { ...sent, name: "web-7d9f8c6b5-*", status: 200, ...served, ...call },
      { write: (line) => lines.push(line), metrics: { stage: "production", now, clusterLatency } },
    );
    return lines;
  };
  const fleet = (clusters: readonly string[], clusterLatency?: boolean) =>
    clusters.flatMap((name) => usual.flatMap((call) => linesOf(name, call, clusterLatency)));
  const canary = [
    ...linesOf("canary", { ...injected, cold: true }),
    ...[{ CanarySucceeded: 1, CanaryLatency: 1 }, { DeploymentDrift: 0 }].map((metrics) =>
      metricLine({ level: "info", event: "canary", stage: "production", timestamp: now(), metrics }),
    ),
  ];
  const look = { stage: "production", time: now(), started: now() };
  const nothing = { ok: true, message: "stable was made of the source tree as it is", seq: 0 } as const;
  const looks = [
    settledLine({ channels: {}, numbers: {}, edits: "stable", lastChange: 0, age: 0, problems: [] }, look),
    publishLine({ ...look, trigger: "schedule", age: 0, result: { ...nothing, changed: false, warnings: [] } }),
  ];
  const count = (lines: readonly string[]) =>
    new Set(
      lines.flatMap((line) => readMetrics(line).map(({ name, dimensions }) => JSON.stringify([name, dimensions]))),
    ).size;
  const perCluster = count(fleet(["a", "b"])) - count(fleet(["a"]));
  return {
    perCluster,
    shared: count([...fleet(["a"]), ...canary, ...looks]) - perCluster,
    lookBytes: Buffer.byteLength(looks[0] as string),
    perClusterWithLatency: count(fleet(["a", "b"], true)) - count(fleet(["a"], true)),
    lineBytes: Buffer.byteLength(linesOf("production-east", injected).join("")),
  };
}
