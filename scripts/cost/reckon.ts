// The sums: what calls, metrics and warm containers cost by the prices and assumptions that are passed in.
import type { ASSUMED, MEASURED } from "./assumptions.ts";
import type { MetricCounts } from "./count-metrics.ts";
import type { PRICES } from "./prices.ts";

type Numbers<T> = { readonly [Key in keyof T]: number };

export type Prices = Numbers<typeof PRICES>;
export type Measured = Numbers<typeof MEASURED>;
export type Assumed = Numbers<typeof ASSUMED>;

/** The kinds of API that a deployment can have. */
export type Api = "http" | "rest" | "private";

export interface CostContext {
  readonly prices: Prices;
  readonly measured: Measured;
  readonly assumed: Assumed;
  /** Of a usual line of ours. */
  readonly lineBytes: number;
  /** Bytes in what is charged as a GB. */
  readonly gigabyte: number;
  /** In a month. */
  readonly hours: number;
  readonly metrics: Pick<MetricCounts, "shared" | "perCluster">;
  readonly alarms: { readonly shared: number; readonly perCluster: number };
}

/** Dollars, by what they are paid for. */
export type Costs = Readonly<Record<string, number>>;

/** What `calls` calls of clusters cost, by what it is paid for. */
export function costOfCalls(
  calls: number,
  api: Api,
  { prices, measured, assumed, lineBytes, gigabyte }: Omit<CostContext, "hours" | "metrics" | "alarms">,
): Costs {
  const seconds = billedSeconds(measured, assumed);
  const memory = assumed.memory / 1024;
  const answers = (calls * answerBytes(measured)) / gigabyte;
  return {
    "API Gateway, calls": calls * (api === "http" ? prices.httpCall : prices.restCall),
    "data out": answers * (api === "private" ? prices.endpointData : prices.dataOut),
    "Lambda, requests": calls * prices.lambdaRequest,
    "Lambda, warm calls": calls * seconds.warm * memory * prices.lambdaSecond,
    "Lambda, cold starts": calls * assumed.coldShare * seconds.cold * memory * prices.lambdaSecond,
    "log lines": ((calls * logBytes(assumed, lineBytes)) / gigabyte) * prices.logs,
  };
}

/** What a deployment costs in a month with nobody calling it, and what its clusters add by being there. */
export function fixedCosts(
  clusters: number,
  api: Api,
  { prices, assumed, metrics, alarms, hours, ...rest }: CostContext,
): Costs {
  const canary = sum(costOfCalls(assumed.canaryCalls, api, { prices, assumed: { ...assumed, coldShare: 0 }, ...rest }));
  const canarySeconds = assumed.canaryCalls * (assumed.canaryMilliseconds / 1000) * (assumed.canaryMemory / 1024);
  return {
    "metrics of the deployment": metrics.shared * prices.metric,
    "metrics of clusters": clusters * metrics.perCluster * prices.metric,
    "alarms of the deployment": alarms.shared * prices.alarm,
    "alarms of clusters": clusters * alarms.perCluster * prices.alarm,
    dashboard: prices.dashboard,
    canary: canary + assumed.canaryCalls * prices.lambdaRequest + canarySeconds * prices.lambdaSecond,
    ...(api === "private" ? { "interface endpoint": assumed.zones * hours * prices.endpointHour } : {}),
  };
}

/** A container that is kept warm for a month. */
export function costOfWarmContainer({ prices, assumed, hours }: CostContext): number {
  return hours * 3600 * (assumed.memory / 1024) * prices.provisionedSecond;
}

/** Calls to Parameter Store of containers that are never idle: one each TTL. */
export function storeCalls(containers: number, { assumed, hours }: Pick<CostContext, "assumed" | "hours">) {
  return { perSecond: containers / assumed.ttlSeconds, perMonth: (containers * hours * 3600) / assumed.ttlSeconds };
}

/** Whole milliseconds are billed. */
export function billedSeconds(measured: Measured, assumed: Assumed) {
  const warm = Math.ceil(measured.handlerMilliseconds + assumed.runtimeMilliseconds) / 1000;
  return { warm, cold: Math.ceil(measured.loadMilliseconds + assumed.startMilliseconds) / 1000 };
}

/** The patch in base64, and the review around it. */
export function answerBytes({ patchBytes }: Measured): number {
  return Math.ceil(patchBytes / 3) * 4 + 400;
}

/** Our line, Lambda's three and the gateway's. */
export function logBytes({ platformLogBytes, accessLogBytes, logEventBytes }: Assumed, lineBytes: number): number {
  return lineBytes + platformLogBytes + accessLogBytes + 5 * logEventBytes;
}

export function sum(parts: Costs): number {
  return Object.values(parts).reduce((total, part) => total + part, 0);
}
