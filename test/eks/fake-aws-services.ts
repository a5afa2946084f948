// The fake's EKS, CloudFormation and CloudWatch for tests of registering: with faults, metrics, and what IAM would judge.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { answerService, type FakeServices, fakeServices, refuseOperation, signedFor } from "@outrigger/fake-aws";
import { bodyOf, closing, listening } from "../support/loopback.ts";

/** A call as IAM judges it: `eks:DescribeCluster` of an ARN. */
export interface AwsCall {
  readonly action: string;
  readonly resource: string;
}

/** The Region of the laboratory. */
const HOME = "eu-west-1";

/** The ARN of something in the account and Region of these services. */
export function arnOf(service: string, resource: string): string {
  return `arn:aws:${service}:${HOME}:111122223333:${resource}`;
}

export type FakeAwsServices = Awaited<ReturnType<typeof startFakeAwsServices>>;

export async function startFakeAwsServices() {
  const state = Object.assign(fakeServices(HOME), {
    /** Names of alarms that notify nobody. */
    silent: new Set<string>(),
    /** Names of alarms whose actions are switched off. */
    switchedOff: new Set<string>(),
    /** Answered instead, by service. */
    faults: new Map<
      "eks" | "cloudformation" | "monitoring" | "lambda" | "logs",
      { readonly status: number; readonly type: string }
    >(),
    /** Access keys with which EKS was asked. */
    eksCallers: [] as string[],
    /** Sum of TokenCalls by slot. */
    tokenCalls: new Map<string, number>(),
    /** Metric of lost calls → minutes, in milliseconds since 1970, and how many calls were lost in each. */
    lostCalls: new Map<string, readonly (readonly [time: number, calls: number])[]>(),
    /** The sum of a metric of a release, by both: `1f2e3d4c5b6a Injected` */
    releaseCounts: new Map<string, number>(),
    /** Every call, as IAM sees it. */
    asked: [] as AwsCall[],
  });
  state.alarmFields = (name) => ({
    ActionsEnabled: !state.switchedOff.has(name),
    ...(state.silent.has(name) && { AlarmActions: [] }),
  });
  state.datapoints = (metric, start) => datapoints(state, metric, start);
  const answer = (request: IncomingMessage, body: string, response: ServerResponse) => {
    const { key, service } = signedFor(request);
    if (service === "eks") state.eksCallers.push(key);
    state.asked.push(...callsOf(service, request, body));
    const fault = state.faults.get(service as "eks");
    if (fault === undefined) {
      if (!answerService(state, request, body, response)) refuseOperation(request, body, response);
      return;
    }
    response.writeHead(fault.status, { "x-amzn-errortype": fault.type });
    response.end(
      service === "cloudformation"
        ? `<ErrorResponse><Error><Code>${fault.type}</Code><Message>no</Message></Error></ErrorResponse>`
        : JSON.stringify({ __type: fault.type }),
    );
  };
  const server = createServer(async (request, response) => answer(request, await bodyOf(request), response));
  const url = `http://127.0.0.1:${await listening(server)}`;
  /** The environment that sends the SDK here. */
  const env: Readonly<Record<string, string>> = {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: HOME,
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  return Object.assign(state, { url, env, close: () => closing(server) });
}

/**
 * Returns the calls that IAM judges in a request. A list of alarms by prefix is a list of all: IAM wants `alarm:*` for
 * it.
 */
function callsOf(service: string, { url = "", headers }: IncomingMessage, body: string): readonly AwsCall[] {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const last = decodeURIComponent(pathname.split("/").at(-1) ?? "");
  if (service === "eks") return [{ action: "eks:DescribeCluster", resource: arnOf("eks", `cluster/${last}`) }];
  if (service === "cloudformation") {
    const form = new URLSearchParams(body);
    const resource = arnOf(service, `stack/${form.get("StackName")}/1`);
    return [{ action: `cloudformation:${form.get("Action")}`, resource }];
  }
  if (service === "lambda") {
    const qualifier = searchParams.get("Qualifier");
    const name = `function:${decodeURIComponent(pathname.split("/").at(-2) ?? "")}`;
    const resource = arnOf(service, qualifier === null ? name : `${name}:${qualifier}`);
    return [{ action: "lambda:GetFunctionConfiguration", resource }];
  }
  if (service === "logs") {
    const { logGroupName } = JSON.parse(body) as { readonly logGroupName: string };
    return [{ action: "logs:DescribeMetricFilters", resource: arnOf(service, `log-group:${logGroupName}`) }];
  }
  if (service !== "monitoring") return [];
  const [, operation] = String(headers["x-amz-target"]).split(".");
  const { AlarmName, AlarmNames } = JSON.parse(body) as {
    readonly AlarmName?: string;
    readonly AlarmNames?: readonly string[];
  };
  const names = AlarmNames ?? [AlarmName ?? "*"];
  const isAboutAlarms = operation?.includes("Alarm") === true;
  return names.map((name) => ({
    action: `cloudwatch:${operation}`,
    resource: isAboutAlarms ? arnOf("cloudwatch", `alarm:${name}`) : "*",
  }));
}

interface Metrics {
  readonly tokenCalls: ReadonlyMap<string, number>;
  readonly lostCalls: ReadonlyMap<string, readonly (readonly [time: number, calls: number])[]>;
  readonly releaseCounts: ReadonlyMap<string, number>;
}

function datapoints(
  { tokenCalls, lostCalls, releaseCounts }: Metrics,
  { MetricName, Dimensions }: Parameters<FakeServices["datapoints"]>[0],
  start: number,
): ReturnType<FakeServices["datapoints"]> {
  const release = Dimensions.find(({ Name }) => Name === "Release")?.Value;
  if (release !== undefined) {
    const count = releaseCounts.get(`${release} ${MetricName}`);
    return count === undefined ? [] : [[start, count]];
  }
  const minutes = lostCalls.get(MetricName);
  if (minutes !== undefined) return minutes.map(([time, calls]) => [time / 1000, calls]);
  const slot = Dimensions.find(({ Name }) => Name === "TokenSlot")?.Value ?? "";
  return [[start, tokenCalls.get(slot) ?? 0]];
}
