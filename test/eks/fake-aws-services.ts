// EKS, CloudFormation and CloudWatch for tests of registering, over HTTP on loopback, as far as the unmodified SDK asks them.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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

export interface FakeAwsServices {
  readonly url: string;
  /** The environment that sends the SDK here. */
  readonly env: Readonly<Record<string, string>>;
  /** Name, or `region/name` of one in another Region than the laboratory's → what DescribeCluster says. */
  readonly clusters: Map<string, object>;
  /** Outputs of the deployment's stack, and of others by `region/name`. */
  readonly outputs: Map<string, string>;
  /** Names of the alarms that there are, and their states. */
  readonly alarms: Map<string, string>;
  /** Names of alarms that notify nobody. */
  readonly silent: Set<string>;
  /** Names of alarms whose actions are switched off. */
  readonly switchedOff: Set<string>;
  /** Log group → its metric filters, as DescribeMetricFilters says. */
  readonly logGroups: Map<string, readonly object[]>;
  /** Function, or `function:alias` → its configuration. */
  readonly functions: Map<string, object>;
  /** Answered instead, by service. */
  readonly faults: Map<
    "eks" | "cloudformation" | "monitoring" | "lambda" | "logs",
    { readonly status: number; readonly type: string }
  >;
  /** Access keys with which EKS was asked. */
  readonly eksCallers: string[];
  /** Sum of TokenCalls by slot. */
  readonly tokenCalls: Map<string, number>;
  /** Metric of lost calls → minutes, in milliseconds since 1970, and how many calls were lost in each. */
  readonly lostCalls: Map<string, readonly (readonly [time: number, calls: number])[]>;
  /** `1f2e3d4c5b6a Injected` → the sum of that metric of a release. */
  readonly releaseCounts: Map<string, number>;
  /** Every call, as IAM sees it. */
  readonly asked: AwsCall[];
  close(): Promise<void>;
}

export async function startFakeAwsServices(): Promise<FakeAwsServices> {
  const state = {
    clusters: new Map<string, object>(),
    outputs: new Map<string, string>(),
    alarms: new Map<string, string>(),
    silent: new Set<string>(),
    switchedOff: new Set<string>(),
    logGroups: new Map<string, readonly object[]>(),
    functions: new Map<string, object>(),
    faults: new Map(),
    eksCallers: [] as string[],
    tokenCalls: new Map<string, number>(),
    lostCalls: new Map<string, readonly (readonly [number, number])[]>(),
    releaseCounts: new Map<string, number>(),
    asked: [] as AwsCall[],
  };
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    answer(state as unknown as FakeAwsServices, request, Buffer.concat(chunks).toString(), response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: HOME,
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  return Object.assign(state, {
    url,
    env,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function answer(state: FakeAwsServices, request: IncomingMessage, body: string, response: ServerResponse): void {
  const [, key = "", region = "", service = ""] =
    /Credential=(\w+)\/\d+\/([a-z0-9-]+)\/([a-z]+)\/aws4_request/.exec(request.headers.authorization ?? "") ?? [];
  if (service === "eks") state.eksCallers.push(key);
  state.asked.push(...callsOf(service, request, body));
  const fault = state.faults.get(service as "eks");
  if (fault !== undefined) {
    response.writeHead(fault.status, { "x-amzn-errortype": fault.type });
    response.end(service === "cloudformation" ? errorXml(fault.type) : JSON.stringify({ __type: fault.type }));
  } else if (service === "eks") describeCluster(state, region, request.url ?? "", response);
  else if (service === "cloudformation") describeStacks(state, region, body, response);
  else if (service === "lambda") functionConfiguration(state, request.url ?? "", response);
  else if (service === "logs") metricFilters(state, body, response);
  else if (service === "sts") assumeRole(body, response);
  else cloudWatch(state, request, JSON.parse(body) as Record<string, unknown>, response);
}

/** What IAM judges of a request. A list of alarms by prefix is a list of all: IAM wants `alarm:*` for it. */
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

function describeCluster({ clusters }: FakeAwsServices, region: string, url: string, response: ServerResponse): void {
  const cluster = ofRegion(clusters, region, decodeURIComponent(url.replace("/clusters/", "")));
  if (cluster !== undefined) return void response.end(JSON.stringify({ cluster }));
  response.writeHead(404, { "x-amzn-errortype": "ResourceNotFoundException" });
  response.end(JSON.stringify({ message: "No cluster found" }));
}

function functionConfiguration({ functions }: FakeAwsServices, url: string, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const [, name = ""] = /\/functions\/([^/]+)\/configuration$/.exec(pathname) ?? [];
  const alias = searchParams.get("Qualifier");
  const found = functions.get(alias === null ? name : `${name}:${alias}`);
  if (found !== undefined) return void response.end(JSON.stringify(found));
  response.writeHead(404, { "x-amzn-errortype": "ResourceNotFoundException" });
  response.end(JSON.stringify({ Message: "Function not found" }));
}

/** What is listed for no Region is in the laboratory's own. */
function ofRegion<Value>(values: ReadonlyMap<string, Value>, region: string, name: string): Value | undefined {
  return region === HOME ? values.get(name) : values.get(`${region}/${name}`);
}

function describeStacks({ outputs }: FakeAwsServices, region: string, body: string, response: ServerResponse): void {
  const name = new URLSearchParams(body).get("StackName") ?? "";
  const value = ofRegion(outputs, region, name);
  if (value === undefined) {
    response.writeHead(400);
    response.end(errorXml("ValidationError"));
    return;
  }
  response.end(
    `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>${name.split("/")[1] ?? name}</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs><member><OutputKey>Url</OutputKey><OutputValue>${value}</OutputValue></member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  );
}

/** The access key that is lent says which role it is of. */
function assumeRole(body: string, response: ServerResponse): void {
  const role = new URLSearchParams(body).get("RoleArn")?.split("/").at(-1);
  response.end(
    `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ROLE${role}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
  );
}

function errorXml(code: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`;
}

/** JSON 1.0: the operation is in a header. */
function cloudWatch(
  { alarms, silent, switchedOff, tokenCalls, lostCalls, releaseCounts }: FakeAwsServices,
  request: IncomingMessage,
  body: Record<string, unknown>,
  response: ServerResponse,
): void {
  const [, operation] = String(request.headers["x-amz-target"]).split(".");
  response.setHeader("content-type", "application/x-amz-json-1.0");
  if (operation === "PutMetricAlarm") alarms.set(String(body["AlarmName"]), "INSUFFICIENT_DATA");
  if (operation === "DeleteAlarms") for (const name of body["AlarmNames"] as readonly string[]) alarms.delete(name);
  if (operation === "DescribeAlarms") {
    const { AlarmNames: asked, AlarmNamePrefix: prefix } = body as {
      readonly AlarmNames?: readonly string[];
      readonly AlarmNamePrefix?: string;
    };
    const names = asked ?? [...alarms.keys()].filter((name) => name.startsWith(prefix ?? ""));
    const MetricAlarms = names.flatMap((AlarmName) => {
      const StateValue = alarms.get(AlarmName);
      const AlarmActions = silent.has(AlarmName) ? [] : ["arn:aws:sns:eu-west-1:111122223333:alarms"];
      return StateValue === undefined
        ? []
        : [{ AlarmName, StateValue, ActionsEnabled: !switchedOff.has(AlarmName), AlarmActions }];
    });
    response.end(JSON.stringify({ MetricAlarms }));
    return;
  }
  if (operation === "GetMetricStatistics") {
    const dimensions = body["Dimensions"] as readonly { readonly Name: string; readonly Value: string }[];
    const release = dimensions.find(({ Name }) => Name === "Release")?.Value;
    if (release !== undefined) {
      const Sum = releaseCounts.get(`${release} ${body["MetricName"]}`);
      response.end(JSON.stringify({ Datapoints: Sum === undefined ? [] : [{ Sum }] }));
      return;
    }
    const minutes = lostCalls.get(String(body["MetricName"]));
    if (minutes !== undefined) {
      response.end(JSON.stringify({ Datapoints: minutes.map(([time, Sum]) => ({ Timestamp: time / 1000, Sum })) }));
      return;
    }
    const slot = dimensions.find(({ Name }) => Name === "TokenSlot")?.Value ?? "";
    response.end(JSON.stringify({ Datapoints: [{ Sum: tokenCalls.get(slot) ?? 0 }] }));
    return;
  }
  response.end("{}");
}

function metricFilters({ logGroups }: FakeAwsServices, body: string, response: ServerResponse): void {
  const { logGroupName } = JSON.parse(body) as { readonly logGroupName: string };
  const metricFilters = logGroups.get(logGroupName);
  const type = "ResourceNotFoundException";
  if (metricFilters === undefined)
    response.writeHead(400, { "x-amzn-errortype": type }).end(JSON.stringify({ __type: type }));
  else response.end(JSON.stringify({ metricFilters }));
}
