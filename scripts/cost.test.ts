import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { countMetrics } from "./cost/count-metrics.ts";
import { alarmedMetrics, costPage } from "./cost/page.ts";
import { costOfCalls, costOfWarmContainer, fixedCosts, storeCalls } from "./cost/reckon.ts";

/** Round numbers, so that sums can be done by hand. */
const CONTEXT = {
  prices: {
    lambdaRequest: 2,
    lambdaSecond: 3,
    provisionedSecond: 5,
    httpCall: 7,
    restCall: 11,
    dataOut: 13,
    endpointHour: 17,
    endpointData: 19,
    logs: 23,
    metric: 29,
    alarm: 31,
    dashboard: 37,
    provisionedRunSecond: 41,
    interaction: 43,
    advancedParameter: 47,
    eksHour: 53,
  },
  measured: { handlerMilliseconds: 400.5, loadMilliseconds: 1500, patchBytes: 300 },
  assumed: {
    runtimeMilliseconds: 599.5,
    startMilliseconds: 500,
    coldShare: 0.1,
    podsPerCluster: 1,
    callsPerPod: 1,
    memory: 2048,
    platformLogBytes: 100,
    accessLogBytes: 200,
    logEventBytes: 10,
    canaryCalls: 0,
    canaryMilliseconds: 1000,
    canaryMemory: 1024,
    ttlSeconds: 10,
    zones: 2,
  },
  lineBytes: 650,
  gigabyte: 1000,
  hours: 100,
  metrics: { shared: 4, perCluster: 3 },
  alarms: { shared: 5, perCluster: 1 },
};

describe("costOfCalls()", () => {
  it("adds up what calls are paid for when they come through an HTTP API", () => {
    expect(costOfCalls(10, "http", CONTEXT)).toEqual({
      "API Gateway, calls": 70,
      "data out": 104, // 800 bytes each
      "Lambda, requests": 20,
      "Lambda, warm calls": 60, // one second at 2 GB each
      "Lambda, cold starts": 12, // two seconds at 2 GB for one of them
      "log lines": 230, // 1,000 bytes each
    });
  });

  it("pays for other gateways and other ways out when the API is another", () => {
    expect(costOfCalls(10, "rest", CONTEXT)).toMatchObject({ "API Gateway, calls": 110, "data out": 104 });
    expect(costOfCalls(10, "private", CONTEXT)).toMatchObject({ "API Gateway, calls": 110, "data out": 152 });
  });
});

describe("fixedCosts()", () => {
  it("counts metrics and alarms by cluster when nobody calls", () => {
    expect(fixedCosts(10, "http", CONTEXT)).toEqual({
      "metrics of the deployment": 116,
      "metrics of clusters": 870,
      "alarms of the deployment": 155,
      "alarms of clusters": 310,
      dashboard: 37,
      canary: 0,
    });
  });

  it("pays for the endpoint's hours in each zone when the API is private", () => {
    expect(fixedCosts(0, "private", CONTEXT)).toMatchObject({ "interface endpoint": 3400 });
  });

  it("pays for the canary's calls and for what it runs itself when it calls", () => {
    const { canary } = fixedCosts(0, "http", { ...CONTEXT, assumed: { ...CONTEXT.assumed, canaryCalls: 10 } });
    expect(canary).toBeCloseTo(70 + 104 + 20 + 60 + 230 + 20 + 30);
  });
});

describe("costOfWarmContainer()", () => {
  it("pays for every second when a container is kept warm", () => {
    expect(costOfWarmContainer(CONTEXT)).toBe(3_600_000);
  });
});

describe("storeCalls()", () => {
  it("counts one call each TTL when containers are never idle", () => {
    expect(storeCalls(400, CONTEXT)).toEqual({ perSecond: 40, perMonth: 14_400_000 });
  });
});

describe("alarmedMetrics()", () => {
  it("counts each metric that an alarm looks at when it looks at several", () => {
    const yaml = readFileSync("infra/alarms.yml", "utf8");
    const simple = yaml.match(/^ {6}MetricName:/gm)?.length ?? 0;
    const several = yaml.match(/^ {12}Metric:$/gm)?.length ?? 0;
    expect(several).toBeGreaterThan(0);
    expect(alarmedMetrics(yaml)).toBe(simple + several);
  });
});

describe("countMetrics()", () => {
  it("finds what each cluster adds when it counts on the product's own lines", () => {
    expect(countMetrics()).toMatchObject({ perCluster: 3, perClusterWithLatency: 4 });
  });
});

describe("npm run cost", () => {
  it("gives the page of the docs when it is asked nothing else: run npm run cost -- --write", () => {
    expect(readFileSync("docs/cost.md", "utf8")).toBe(costPage());
  });

  it("reckons with the numbers that it is given, and refuses what is no number", () => {
    const run = (...options: string[]) =>
      execFileSync("node", ["--import", "tsx", resolve("scripts/cost.ts"), ...options], {
        encoding: "utf8",
        stdio: "pipe",
      });
    expect(run("--clusters", "3", "--pods", "0")).toMatch(/\| calls \(table above\) \| \$0\.00 \| \$0\.00 \|/);
    expect(() => run("--clusters", "many")).toThrow('Cannot take "many" for --clusters');
  });
});
