// Asking AWS about a deployment's functions, alarms and logs. Reads only; judges nothing.
import { type CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import { type CloudWatchLogsClient, DescribeMetricFiltersCommand } from "@aws-sdk/client-cloudwatch-logs";
import { GetFunctionConfigurationCommand } from "@aws-sdk/client-lambda";
import { awsFailure, stackNames } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import { readStack, type StackClients } from "../aws/read-stack.ts";
import { learn } from "./finding.ts";

/** Clients of AWS that read a deployment's stack, functions, alarms and logs. */
export interface DeploymentClients extends StackClients {
  readonly cloudWatch: CloudWatchClient;
  readonly logs: CloudWatchLogsClient;
}

/** The deployment's functions, and of the inject function what its alias `live` points at: calls reach that. */
export async function readFunctions({ lambda, region }: DeploymentClients, deployment: string) {
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
      /** What an injection may add to a pod, as the setting has it; empty: anything. */
      guardrails: latest.Environment?.Variables?.["OUTRIGGER_GUARDRAILS"],
      live: live && { version: live.Version ?? "", codeSha256: live.CodeSha256 ?? "" },
      logGroup: latest.LoggingConfig?.LogGroup,
    });
    return [part, { ...code, ...seen }] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** Every alarm of the deployment, those of its clusters included. */
export async function readAlarms({ cloudWatch, region }: DeploymentClients, deployment: string) {
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
export async function readLogs(clients: DeploymentClients, deployment: string) {
  const groups = stackNames.logGroups(deployment);
  const read = groups.map(async (group) => [group, await readFilters(clients, group)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** One page holds 50 filters, and a group takes 100: those of the deployment are three. */
async function readFilters({ logs, region }: DeploymentClients, logGroupName: string): Promise<Filters | undefined> {
  const call = { doing: `read log group "${logGroupName}"`, action: "logs:DescribeMetricFilters", region };
  const asked = logs.send(new DescribeMetricFiltersCommand({ logGroupName }));
  const found = await unlessMissing(asked).catch(awsFailure(call));
  if (found === undefined) return undefined;
  return (found.metricFilters ?? []).flatMap(({ filterPattern: pattern = "", metricTransformations = [] }) =>
    metricTransformations.map(({ metricName: metric = "", metricNamespace, metricValue, dimensions = {} }) => {
      const labels = Object.entries(dimensions).map(([key, value]) => `${key}=${value}`);
      return { metric, pattern, as: [metricNamespace, metricValue, ...labels].join(" ") };
    }),
  );
}

/** `as` is `Outrigger 1 Stage=$.stage`: the namespace, what a line counts, the dimensions. */
type Filters = readonly { readonly metric: string; readonly pattern: string; readonly as: string }[];

function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === "ResourceNotFoundException") return undefined;
    throw cause;
  });
}

/** What is read of a deployment without a person's rights. */
export async function readDeployed(aws: DeploymentClients, deployment: string) {
  const [stack, functions, alarms, logs] = await Promise.all([
    learn(() => readStack(aws, deployment)),
    learn(() => readFunctions(aws, deployment)),
    learn(() => readAlarms(aws, deployment)),
    learn(() => readLogs(aws, deployment)),
  ]);
  return { stack, functions, alarms, logs };
}
