// EKS, CloudFormation, CloudWatch, its logs, STS and Lambda, as far as Outrigger's commands ask them; and what a deployment leaves
// there.
import type { IncomingMessage, ServerResponse } from "node:http";
import { stackNames } from "@outrigger/aws";
import { objectOf, parseJson } from "@outrigger/base";
import { operationOf } from "./refuse-operation.ts";
import { answerConcurrency, answerDeadLetters } from "./runbook-services.ts";
import { signedFor } from "./signed-for.ts";

/** The deployed resources, as the services describe them. */
export type FakeServices = ReturnType<typeof fakeServices>;

/** Services without anything that is deployed. */
export function fakeServices(region: string) {
  return {
    /** The Region of what is named without one. */
    region,
    /** Name, or `region/name` of one in another Region → what DescribeCluster says. */
    clusters: new Map<string, object>(),
    /** Name of a stack, or `region/name` → its output `Url`. */
    outputs: new Map<string, string>(),
    /** Name of an alarm → its state. */
    alarms: new Map<string, string>(),
    /** Log group → its metric filters, as DescribeMetricFilters says. */
    logGroups: new Map<string, readonly object[]>(),
    /** Function, or `function:alias` → its configuration. */
    functions: new Map<string, object>(),
    /** Function → its reserved concurrency. */
    reserved: new Map<string, number>(),
    /** Fields that an alarm has besides. */
    alarmFields: (_name: string): object => ({}),
    /** Returns the sums of a metric, each with its time; that, and the start of what is asked about, in seconds since 1970. */
    datapoints: (_metric: FakeMetric, _start: number): readonly (readonly [time: number, sum: number])[] => [],
  };
}

/** A metric of CloudWatch, as requests name it. */
interface FakeMetric {
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[];
}

/** Answers a request of these services; false where it asks for what they have not. */
export function answerService(
  services: FakeServices,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): boolean {
  const { region, service } = signedFor(request);
  const operation = operationOf(request, body);
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  switch (service) {
    case "eks": {
      const [, name] = /^GET \/clusters\/([^/]+)$/.exec(operation) ?? [];
      if (name === undefined) return false;
      const cluster = services.clusters.get(placed(decodeURIComponent(name), region, services));
      if (cluster === undefined) notFound(response, "No cluster found");
      else response.end(JSON.stringify({ cluster }));
      return true;
    }
    case "cloudformation":
      if (operation !== "DescribeStacks") return false;
      describeStack(services, region, body, response);
      return true;
    case "logs":
      if (operation !== "DescribeMetricFilters") return false;
      metricFilters(services, body, response);
      return true;
    case "sts":
      if (operation !== "GetCallerIdentity" && operation !== "AssumeRole") return false;
      answerSts(body, response);
      return true;
    case "monitoring":
      return answerCloudWatch(services, operation, body, response);
    case "sqs":
      return answerDeadLetters(request, body, response);
    case "lambda": {
      if (answerConcurrency(services, request, body, response)) return true;
      if (!/^GET .*\/functions\/[^/]+\/configuration$/.test(operation)) return false;
      const name = decodeURIComponent(pathname.split("/").at(-2) ?? "");
      const alias = searchParams.get("Qualifier");
      const found = services.functions.get(alias === null ? name : `${name}:${alias}`);
      if (found === undefined) notFound(response, `Function not found: ${name}`);
      else response.end(JSON.stringify(found));
      return true;
    }
    default:
      return false;
  }
}

function notFound(response: ServerResponse, message: string): void {
  response.writeHead(404, { "x-amzn-errortype": "ResourceNotFoundException" }).end(JSON.stringify({ message }));
}

function placed(name: string, region: string, services: FakeServices): string {
  return region === services.region ? name : `${region}/${name}`;
}

function describeStack(services: FakeServices, region: string, body: string, response: ServerResponse): void {
  const name = new URLSearchParams(body).get("StackName") ?? "";
  const value = services.outputs.get(placed(name, region, services));
  if (value === undefined) response.writeHead(400).end(NO_STACK);
  else
    response.end(
      `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>${name.split("/")[1] ?? name}</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs><member><OutputKey>Url</OutputKey><OutputValue>${value}</OutputValue></member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    );
}

const NO_STACK =
  "<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>no</Message></Error></ErrorResponse>";

/** The access key that is lent says which role it is of. */
function answerSts(body: string, response: ServerResponse): void {
  const form = new URLSearchParams(body);
  const answer = (operation: string, result: string) =>
    response.end(
      `<${operation}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${operation}Result>${result}</${operation}Result></${operation}Response>`,
    );
  const role = form.get("RoleArn")?.split("/").at(-1);
  if (form.get("Action") === "GetCallerIdentity")
    answer("GetCallerIdentity", "<Arn>arn:aws:iam::111122223333:user/you</Arn><Account>111122223333</Account>");
  else
    answer(
      "AssumeRole",
      `<Credentials><AccessKeyId>ROLE${role}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>`,
    );
}

/** JSON 1.0. */
function answerCloudWatch(
  { alarms, alarmFields, datapoints }: FakeServices,
  operation: string,
  text: string,
  response: ServerResponse,
): boolean {
  const body = objectOf(parseJson(text)) as Readonly<Record<string, unknown>>;
  const names = body["AlarmNames"] as readonly string[] | undefined;
  const answer = (content: object) => {
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.end(JSON.stringify(content));
    return true;
  };
  switch (operation) {
    case "PutMetricAlarm":
      alarms.set(String(body["AlarmName"]), "INSUFFICIENT_DATA");
      return answer({});
    case "DeleteAlarms":
      for (const name of names ?? []) alarms.delete(name);
      return answer({});
    case "DescribeAlarms": {
      const prefix = String(body["AlarmNamePrefix"] ?? "");
      const asked = names ?? [...alarms.keys()].filter((name) => name.startsWith(prefix));
      const AlarmActions = ["arn:aws:sns:eu-west-1:111122223333:alarms"];
      const MetricAlarms = asked.flatMap((AlarmName) => {
        const StateValue = alarms.get(AlarmName);
        const fields = { AlarmName, StateValue, ActionsEnabled: true, AlarmActions, ...alarmFields(AlarmName) };
        return StateValue === undefined ? [] : [fields];
      });
      return answer({ MetricAlarms });
    }
    case "GetMetricData": {
      const { MetricDataQueries, StartTime, EndTime } = body as unknown as MetricDataRequest;
      const ids = MetricDataQueries.map(({ Id }) => Id);
      const isNamed = ids.every((id) => /^[a-z]\w*$/.test(id)) && new Set(ids).size === ids.length;
      if (!isNamed || StartTime >= EndTime) {
        response.writeHead(400, { "x-amzn-errortype": "ValidationError" });
        return answer({ message: "Each metric needs an Id of its own, and StartTime must be less than EndTime" });
      }
      const MetricDataResults = MetricDataQueries.map(({ Id, MetricStat: { Metric } }) => {
        const points = datapoints(Metric, StartTime).filter(([time]) => time >= StartTime && time < EndTime);
        const [Timestamps, Values] = [points.map(([time]) => time), points.map(([, sum]) => sum)];
        return { Id, Label: Metric.MetricName, Timestamps, Values, StatusCode: "Complete" };
      });
      return answer({ MetricDataResults });
    }
    default:
      return false;
  }
}

/** Times in seconds since 1970. */
interface MetricDataRequest {
  readonly MetricDataQueries: readonly { readonly Id: string; readonly MetricStat: { readonly Metric: FakeMetric } }[];
  readonly StartTime: number;
  readonly EndTime: number;
}

function metricFilters({ logGroups }: FakeServices, body: string, response: ServerResponse): void {
  const found = logGroups.get((JSON.parse(body) as { readonly logGroupName: string }).logGroupName);
  if (found !== undefined) return void response.end(JSON.stringify({ metricFilters: found }));
  const type = "ResourceNotFoundException";
  response.writeHead(400, { "x-amzn-errortype": type }).end(JSON.stringify({ __type: type }));
}

/** Deploys a stage, whose endpoint is the URL: its output, functions, alarms and logs are all as they should be. */
export function putDeployment(services: FakeServices, stage: string, url: string): void {
  const { outputs, functions, alarms, logGroups } = services;
  outputs.set(`outrigger-${stage}`, url);
  for (const name of ["inject", "publish", "register", "canary"]) {
    const configuration = { State: "Active", LastUpdateStatus: "Successful", CodeSha256: `sha-${name}` };
    const latest = { ...configuration, Version: "$LATEST", Environment: { Variables: {} } };
    functions.set(`outrigger-${stage}-${name}`, latest);
    if (name === "inject") functions.set(`outrigger-${stage}-inject:live`, { ...configuration, Version: "7" });
  }
  for (const name of stackNames.alarms) alarms.set(`outrigger-${stage}-${name}`, "OK");
  for (const name of stackNames.logGroups(stage)) logGroups.set(name, name.includes("vendedlogs") ? FILTERS : []);
}

/** The metric filters of the gateway's log, as CloudWatch Logs says them. */
const FILTERS = Object.entries(stackNames.filters).map(([metricName, filterPattern]) => ({
  filterName: metricName,
  filterPattern,
  metricTransformations: [
    { metricName, metricNamespace: "Outrigger", metricValue: "1", dimensions: { Stage: "$.stage" } },
  ],
}));

/**
 * Calls a function and returns its answer. What it throws is the function's error, except for
 * `TooManyRequestsException`, with which the service has no capacity for the call, and `ConnectionReset`, with which
 * the answer is lost. Undefined says that there is no such function.
 *
 * @param name without account, Region and version
 * @param event as the function gets it
 */
export type Invoke = (name: string, event: unknown) => Promise<unknown>;

/** The function that a request calls; undefined where it calls none. */
export function invokedFunction(request: IncomingMessage): string | undefined {
  const { method, url = "" } = request;
  const [path = ""] = url.split("?");
  const [, encoded] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? [];
  if (method !== "POST" || encoded === undefined) return undefined;
  const parts = decodeURIComponent(encoded).split(":");
  // arn:aws:lambda:<region>:<account>:function:<name>[:<version>], <account>:function:<name> or <name>[:<version>]
  const marker = parts.indexOf("function");
  return marker === -1 ? parts[0] : parts[marker + 1];
}

function refuse(response: ServerResponse, status: number, error: string, message: string): void {
  response.setHeader("x-amzn-errortype", error);
  response.writeHead(status).end(JSON.stringify({ Type: "User", Message: message }));
}

interface Invocation {
  readonly name: string;
  readonly body: string;
  readonly invoke: Invoke | undefined;
  readonly services: FakeServices | undefined;
}

export async function answerInvocation(
  request: IncomingMessage,
  response: ServerResponse,
  { name, body, invoke, services }: Invocation,
): Promise<void> {
  response.setHeader("content-type", "application/json");
  const type = request.headers["x-amz-invocation-type"] ?? "RequestResponse";
  const event = body === "" ? null : parseJson(body);
  if (event === undefined)
    return refuse(response, 400, "InvalidRequestContentException", "Could not parse request body into json");
  try {
    if (type === "DryRun") return void response.writeHead(204).end();
    const answer = await invoke?.(name, event);
    // One that is described is there, and what it would do is not: that is no answer of AWS.
    if (answer === undefined && services?.functions.has(name) === true)
      return refuse(response, 400, "UnknownOperationException", `this fake has no lambda Invoke of ${name}`);
    if (answer === undefined) return refuse(response, 404, "ResourceNotFoundException", `Function not found: ${name}`);
    response.setHeader("x-amz-executed-version", "$LATEST");
    if (type === "Event") response.writeHead(202).end();
    else response.end(JSON.stringify(answer));
  } catch (error) {
    const { name: errorType, message } = error instanceof Error ? error : new Error(String(error));
    if (errorType === "TooManyRequestsException") return refuse(response, 429, errorType, message);
    if (errorType === "ConnectionReset") return void response.socket?.resetAndDestroy();
    response.setHeader("x-amz-function-error", "Unhandled");
    response.end(JSON.stringify({ errorMessage: message, errorType }));
  }
}
