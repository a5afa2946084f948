// Asking AWS about a deployment: its functions, alarms and logs, and what CloudFormation says of its stack. Reads only; judges nothing.
import { type CloudFormationClient, DescribeStacksCommand, type Stack } from "@aws-sdk/client-cloudformation";
import { type CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import { type CloudWatchLogsClient, DescribeMetricFiltersCommand } from "@aws-sdk/client-cloudwatch-logs";
import { GetFunctionConfigurationCommand, type LambdaClient } from "@aws-sdk/client-lambda";
import { awsFailure, stackNames } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { allOf, learn } from "../fact.ts";

export interface DeploymentClients extends StackClients {
  readonly cloudWatch: CloudWatchClient;
  readonly logs: CloudWatchLogsClient;
}

/** The functions by the last part of their names (`inject`, …), and what the alias `live` of `inject` points at: calls reach that. */
async function readFunctions({ lambda, region }: DeploymentClients, deployment: string) {
  const read = async (name: string, Qualifier?: string) => {
    const command = new GetFunctionConfigurationCommand({ FunctionName: name, ...defined({ Qualifier }) });
    const call = { doing: `read function "${name}"`, action: "lambda:GetFunctionConfiguration", region };
    return unlessMissing(lambda.send(command)).catch(awsFailure(call));
  };
  const found = stackNames.functions.map(async (part) => {
    const name = `outrigger-${deployment}-${part}`;
    const [latest, live] = await Promise.all([read(name), part === "inject" ? read(name, "live") : undefined]);
    if (latest === undefined) return [part, undefined] as const;
    const { State: state = "", LastUpdateStatus: lastUpdate = "", CodeSha256: codeSha256 = "" } = latest;
    const code: Readonly<Record<"state" | "lastUpdate" | "codeSha256", string>> = { state, lastUpdate, codeSha256 };
    const seen = defined({
      /**
       * The guardrails of what an injection may add to a pod, as the setting has them. If it is empty, an injection may
       * add anything.
       */
      guardrails: latest.Environment?.Variables?.["OUTRIGGER_GUARDRAILS"],
      live: live && { version: live.Version ?? "", codeSha256: live.CodeSha256 ?? "" },
      logGroup: latest.LoggingConfig?.LogGroup,
    });
    return [part, { ...code, ...seen }] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** Every alarm of the deployment, those of its clusters included. */
async function readAlarms({ cloudWatch, region }: DeploymentClients, deployment: string) {
  const alarms: { name: string; state: string; hasActions: boolean; isEnabled: boolean }[] = [];
  const call = { doing: "read the alarms", action: "cloudwatch:DescribeAlarms", region };
  let NextToken: string | undefined;
  do {
    const question = { AlarmNamePrefix: `outrigger-${deployment}-`, ...defined({ NextToken }) };
    const page = await cloudWatch.send(new DescribeAlarmsCommand(question)).catch(awsFailure(call));
    const { MetricAlarms = [] } = page;
    for (const { AlarmName: name = "", StateValue: state = "", ActionsEnabled, AlarmActions = [] } of MetricAlarms) {
      const isEnabled = ActionsEnabled !== false;
      alarms.push({ name, state, hasActions: isEnabled && AlarmActions.length > 0, isEnabled });
    }
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return alarms;
}

/** The deployment's log groups with their metric filters, or undefined for a group that does not exist. */
async function readLogs(clients: DeploymentClients, deployment: string) {
  const groups = stackNames.logGroups(deployment);
  const read = groups.map(async (group) => [group, await readFilters(clients, group)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** One page holds 50 filters, and a group takes 100: those of the deployment are three. */
async function readFilters({ logs, region }: DeploymentClients, logGroupName: string) {
  const call = { doing: `read log group "${logGroupName}"`, action: "logs:DescribeMetricFilters", region };
  const asked = logs.send(new DescribeMetricFiltersCommand({ logGroupName }));
  const found = await unlessMissing(asked).catch(awsFailure(call));
  if (found === undefined) return undefined;
  return (found.metricFilters ?? []).flatMap(({ filterPattern: pattern = "", metricTransformations = [] }) =>
    metricTransformations.map(({ metricName: metric = "", metricNamespace, metricValue, dimensions = {} }) => {
      const labels = Object.entries(dimensions).map(([key, value]) => `${key}=${value}`);
      // `Outrigger 1 Stage=$.stage`: the namespace, what a line counts, the dimensions.
      return { metric, pattern, as: [metricNamespace, metricValue, ...labels].join(" ") };
    }),
  );
}

function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === "ResourceNotFoundException") return undefined;
    throw cause;
  });
}

/** Reads of a deployment what needs no person's rights. */
export async function readDeployed(aws: DeploymentClients, deployment: string) {
  return allOf({
    stack: learn(() => readStack(aws, deployment)),
    functions: learn(() => readFunctions(aws, deployment)),
    alarms: learn(() => readAlarms(aws, deployment)),
    logs: learn(() => readLogs(aws, deployment)),
  });
}

interface StackClients {
  readonly cloudFormation: CloudFormationClient;
  readonly lambda: LambdaClient;
  readonly region: string;
}

export interface StackFacts {
  /** `outrigger-prod`, unless a StackSet has named it. */
  readonly name: string;
  /** `UPDATE_COMPLETE` */
  readonly status: string;
  readonly url?: string;
  /** The role with which CloudFormation changes it, where it has one. */
  readonly serviceRole?: string;
  /** The time at which CloudFormation last looked for drift and found some, as ISO 8601. */
  readonly drifted?: string;
}

async function readStack(
  { cloudFormation, lambda, region }: StackClients,
  deployment: string,
): Promise<StackFacts | undefined> {
  const usual = `outrigger-${deployment}`;
  const stack = (await stackOfFunction(lambda, `${usual}-publish`)) ?? usual;
  try {
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }));
    const found: Partial<Stack> = Stacks?.[0] ?? {};
    const { StackName: name = usual, StackStatus: status = "unknown" } = found;
    const { RoleARN: serviceRole, Outputs, DriftInformation } = found;
    const url = Outputs?.find(({ OutputKey }) => OutputKey === "Url")?.OutputValue;
    const { StackDriftStatus, LastCheckTimestamp } = DriftInformation ?? {};
    const drifted = StackDriftStatus === "DRIFTED" ? (LastCheckTimestamp?.toISOString() ?? "") : undefined;
    return { name, status, ...defined({ url, drifted, serviceRole }) };
  } catch (cause) {
    if (cause instanceof Error && cause.name === "ValidationError") return undefined;
    return awsFailure({ doing: `read stack "${stack}"`, action: "cloudformation:DescribeStacks", region })(cause);
  }
}

/** The function has the ARN of its stack, whatever the stack is called; undefined where it cannot be asked. */
async function stackOfFunction(client: LambdaClient, name: string): Promise<string | undefined> {
  const asked = client.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
  const { Environment } = await asked.catch(() => ({ Environment: undefined }));
  return Environment?.Variables?.["OUTRIGGER_STACK"];
}

/**
 * The webhook's base URL, from the outputs of the deployment's stack: `https://….execute-api.eu-west-1.amazonaws.com`.
 *
 * @param deployment its stage: `prod`
 * @throws OutriggerError `aws-unavailable` where there is no stack with that output, or `aws-denied`
 */
export async function findWebhookUrl(clients: StackClients, deployment: string): Promise<string> {
  const url = (await readStack(clients, deployment))?.url;
  if (url !== undefined) return url;
  const stack = `outrigger-${deployment}`;
  const message = `There is no stack "${stack}" with the webhook's URL in ${clients.region}: deploy first (outrigger deploy --stage ${deployment}), or give the URL with --url`;
  throw new OutriggerError("aws-unavailable", message, { path: stack });
}
