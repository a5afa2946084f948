// Ten incidents: the metrics that the functions, the gateway and AWS write in each, which alarm fires within how many minutes,
// and that its runbook begins with what helps. An incident that no metric shows is seen by the command that causes it.
import { readFileSync } from "node:fs";
import { type AdmissionRecord, logAdmission, metricLine } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { reportDrift } from "../../functions/canary/report-drift.ts";
import { eventsLine } from "../../functions/publish/log-lines.ts";
import { RUNBOOKS } from "../support/runbooks.ts";
import { INJECTED_CALL } from "./support/emitted-metrics.ts";
import { firing, type Measured, metricsOf, ofAccess, ofLine, ofService } from "./support/simulated-metrics.ts";
import { goldenTemplate } from "./support/template.ts";

const template = goldenTemplate("domain");
const certificate = "arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555";
const MINUTE = 60;
/** The incident begins in the 10th minute. */
const START = 10 * MINUTE;
const ROUTE = "POST /t/{token}/inject/{proxy+}";
const minutes = (count: number, from = START / MINUTE) =>
  Array.from({ length: count }, (_, index) => (from + index) * MINUTE);

function lineOf(record: AdmissionRecord): string {
  const written: string[] = [];
  logAdmission(record, {
    write: (line) => void written.push(line),
    metrics: { stage: "dev", now: () => 1, clusterLatency: false },
  });
  return written.join("");
}

const canaryLine = (metrics: NonNullable<Parameters<typeof metricLine>[0]["metrics"]>) =>
  metricLine({ level: "info", event: "canary", stage: "dev", timestamp: 1, metrics, fields: {} });

/** Returns the line that the canary writes when it looks at a stack that takes no deploy. */
async function driftLine(): Promise<string> {
  const written: string[] = [];
  const look = async () => ({
    found: ["stack: outrigger-dev is UPDATE_ROLLBACK_FAILED: it takes no deploy"],
    unseen: [],
  });
  await reportDrift({ stage: "dev", look, write: (line) => void written.push(line), now: () => 1 });
  return written.join("");
}

/** Returns what every minute has: the canary's call, in both logs. */
function background(at: number, lost: readonly ("metrics" | "access" | "canary")[] = []): readonly Measured[] {
  return [
    ...(lost.includes("metrics") ? [] : ofLine(lineOf({ ...INJECTED_CALL, cluster: "canary" }), at)),
    ...(lost.includes("access") ? [] : ofAccess(template, { status: "200", route: ROUTE }, at)),
    ...ofLine(canaryLine(lost.includes("canary") ? { CanaryFailed: 1 } : { CanarySucceeded: 1 }), at),
    ofService("AWS/CertificateManager", "DaysToExpiry", ["CertificateArn", certificate], { at, value: 200 }),
  ];
}

const quiet = minutes(10, 0).flatMap((at) => background(at));
const gateway = (status: string, times: number, at: number) => ofAccess(template, { status, route: ROUTE }, at, times);
const lambda = (name: string, value: number, at: number) =>
  ofService("AWS/Lambda", name, ["FunctionName", { Ref: "InjectLambdaFunction" }], { at, value });
const during = (each: (at: number) => readonly Measured[]) =>
  minutes(10).flatMap((at) => [...background(at), ...each(at)]);

interface Incident {
  readonly what: string;
  readonly metrics: readonly Measured[];
  readonly alarm: string;
  readonly within: number;
  /** A text that the first sentences of the runbook's fix, or its table of causes, must have. */
  readonly firstStep: string;
}

const INCIDENTS: readonly Incident[] = [
  {
    what: "the gateway throttles a cluster in a crash loop, three calls a minute",
    metrics: during((at) => gateway("429", 3, at)),
    alarm: "gateway-throttled",
    within: 2,
    firstStep: "stop its workload and give it its own routes",
  },
  {
    what: "Lambda throttles",
    metrics: during((at) => [...gateway("503", 2, at), lambda("Throttles", 2, at)]),
    alarm: "throttles",
    within: 2,
    firstStep: "`reserved: 300`",
  },
  {
    what: "a node group of 5,000 pods starts within ten seconds, and 3,901 calls are refused",
    metrics: [...during(() => []), ...gateway("429", 3901, START)],
    alarm: "burst",
    within: 1,
    firstStep: "`outrigger pods --state missing --cluster NAME`",
  },
  {
    what: "5,000 pods wait for a slow function, and their API server gives up",
    metrics: [
      ...during(() => []),
      ...ofLine(lineOf({ ...INJECTED_CALL, late: true, milliseconds: 11_000 }), START, 300),
    ],
    alarm: "burst",
    within: 1,
    firstStep: "`outrigger pods --state missing --cluster NAME`",
  },
  {
    what: "the Region is down: no function runs",
    metrics: [],
    alarm: "canary",
    within: 5,
    firstStep: "replica.md#while-the-first-region-is-down",
  },
  {
    what: "Parameter Store throttles",
    metrics: during((at) =>
      ofLine(lineOf({ ...INJECTED_CALL, served: "stale", storeError: "store-unavailable" }), at, 20),
    ),
    alarm: "serving-stale",
    within: 3,
    firstStep: "[quotas](../operations.md#quotas)",
  },
  {
    what: "the inject function's log group is deleted",
    metrics: minutes(10).flatMap((at) => background(at, ["metrics"])),
    alarm: "metrics-silent",
    within: 5,
    firstStep: "outrigger_restore_log",
  },
  {
    what: "the gateway's log group is deleted",
    metrics: minutes(10).flatMap((at) => background(at, ["access"])),
    alarm: "access-log-silent",
    within: 5,
    firstStep: "outrigger_restore_log",
  },
  {
    what: "the certificate ends in 29 days",
    metrics: during((at) => [
      ofService("AWS/CertificateManager", "DaysToExpiry", ["CertificateArn", certificate], { at, value: 29 }),
    ]),
    alarm: "certificate",
    within: 24 * 60,
    firstStep: "Import a new certificate in ACM, under the same ARN",
  },
  {
    what: "the bus of the events of changes was deleted",
    metrics: during((at) =>
      ofLine(eventsLine({ error: new Error("gone") }, { stage: "dev", time: 1, started: 1 }), at),
    ),
    alarm: "events-failed",
    within: 3,
    firstStep: "create the bus again",
  },
  {
    what: "a deploy and its rollback failed: UPDATE_ROLLBACK_FAILED, nobody looks, and calls continue",
    // The look comes once an hour: here, as late as it can.
    metrics: [...minutes(60).flatMap((at) => background(at)), ...ofLine(await driftLine(), START + 58 * MINUTE)],
    alarm: "drift",
    within: 60,
    firstStep: "deploy.md#when-a-deploy-fails",
  },
  {
    what: "a leaked token was retired, and its holder keeps calling",
    metrics: during((at) => gateway("404", 20, at)),
    alarm: "burst",
    within: 1,
    firstStep: "[gateway-rejected](#gateway-rejected)",
  },
  {
    what: "other functions use up the account's concurrency, and `reserved` is 0",
    metrics: minutes(10).flatMap((at) => [
      ...background(at, ["canary", "metrics"]),
      ...gateway("503", 5, at),
      lambda("Throttles", 5, at),
    ]),
    alarm: "throttles",
    within: 2,
    firstStep: "get-account-settings",
  },
];

/** The actions of an alarm: the topics that it notifies. */
function actionsOf(name: string): unknown {
  const alarms = Object.values(template.Resources).map(({ Properties = {} }) => Properties);
  return alarms.find(({ AlarmName }) => AlarmName === `outrigger-dev-${name}`)?.["AlarmActions"];
}

/** The section of the runbook, without its meaning and effect. */
function runbook(name: string): string {
  const section = new RegExp(`^## ${name}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, "m").exec(RUNBOOKS)?.[1] ?? "";
  return section.slice(section.indexOf("**Confirm.**"));
}

describe("an incident", () => {
  it("fires no alarm while there is none", () => {
    expect([...firing(template, metricsOf(quiet), 0, START)]).toEqual([]);
  });

  it.each(INCIDENTS)("$what: $alarm within $within minutes", ({ metrics, alarm, within, firstStep }) => {
    const end = Math.max(START + 10 * MINUTE, ...metrics.map(([, { at }]) => at + MINUTE));
    const fired = firing(template, metricsOf([...quiet, ...metrics]), START, end);
    expect([...fired.keys()]).toContain(alarm);
    expect(fired.get(alarm)).toBeLessThanOrEqual(within);
    expect(actionsOf(alarm)).toEqual([{ Ref: "AlarmTopic" }, "arn:aws:sns:us-east-1:123456789012:pager"]);
    expect(runbook(alarm)).toContain(firstStep);
  });

  it("a token was leaked: no metric shows it, and the first step revokes it while its holder keeps calling", () => {
    expect(runbook("leaked-token")).toMatch(
      /\*\*Fix\.\*\*[^`]*```sh aws cluster\noutrigger token rotate --cluster NAME --now /,
    );
    expect(RUNBOOKS).toMatch(/^\| a token is .* \| `outrigger token rotate .*--now`/m);
  });

  it("that stops a deploy half way is seen by who deploys, and has the one command that CloudFormation takes", () => {
    const page = readFileSync("docs/failed-deploy.md", "utf8");
    const [row = ""] = /^\| `UPDATE_ROLLBACK_FAILED`.*$/m.exec(page) ?? [];
    expect(row).toContain("aws cloudformation continue-update-rollback");
  });
});
