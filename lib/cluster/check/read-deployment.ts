// Asking AWS about a deployment's functions, alarms and logs. Reads only; judges nothing.
import { type CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import { type CloudWatchLogsClient, DescribeMetricFiltersCommand } from "@aws-sdk/client-cloudwatch-logs";
import { GetFunctionConfigurationCommand, type LambdaClient } from "@aws-sdk/client-lambda";
import { awsError, stackNames } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import type { AlarmFacts, FilterFacts, FunctionFacts } from "./facts.ts";

/** The deployment's functions, and of the inject function what its alias `live` points at. */
export async function readFunctions(
  client: LambdaClient,
  deployment: string,
  region: string,
): Promise<Readonly<Record<string, FunctionFacts | undefined>>> {
  const read = async (name: string, Qualifier?: string) => {
    const command = new GetFunctionConfigurationCommand({ FunctionName: name, ...defined({ Qualifier }) });
    return client.send(command).catch((cause: unknown) => {
      if (cause instanceof Error && cause.name === "ResourceNotFoundException") return undefined;
      throw awsError(cause, { doing: `read function "${name}"`, action: "lambda:GetFunctionConfiguration", region });
    });
  };
  const found = await Promise.all(
    stackNames.functions.map(async (part) => {
      const name = `outrigger-${deployment}-${part}`;
      const [latest, live] = await Promise.all([read(name), part === "inject" ? read(name, "live") : undefined]);
      if (latest === undefined) return [part, undefined] as const;
      const { State = "", LastUpdateStatus = "", CodeSha256 = "", Environment, LoggingConfig } = latest;
      const guardrails = Environment?.Variables?.["OUTRIGGER_GUARDRAILS"];
      const reached =
        live === undefined ? undefined : { version: live.Version ?? "", codeSha256: live.CodeSha256 ?? "" };
      return [
        part,
        {
          state: State,
          lastUpdate: LastUpdateStatus,
          codeSha256: CodeSha256,
          ...defined({ guardrails, live: reached, logGroup: LoggingConfig?.LogGroup }),
        },
      ] as const;
    }),
  );
  return Object.fromEntries(found);
}

/** Every alarm of the deployment, those of its clusters included. */
export async function readAlarms(
  client: CloudWatchClient,
  deployment: string,
  region: string,
): Promise<readonly AlarmFacts[]> {
  const alarms: AlarmFacts[] = [];
  let NextToken: string | undefined;
  do {
    const command = new DescribeAlarmsCommand({
      AlarmNamePrefix: `outrigger-${deployment}-`,
      ...defined({ NextToken }),
    });
    const page = await client.send(command).catch((cause: unknown) => {
      throw awsError(cause, { doing: "read the alarms", action: "cloudwatch:DescribeAlarms", region });
    });
    for (const { AlarmName = "", StateValue = "", ActionsEnabled, AlarmActions = [] } of page.MetricAlarms ?? []) {
      alarms.push({
        name: AlarmName,
        state: StateValue,
        hasActions: ActionsEnabled !== false && AlarmActions.length > 0,
        isEnabled: ActionsEnabled !== false,
      });
    }
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return alarms;
}

/** The deployment's log groups with their metric filters, or undefined for a group that does not exist. */
export async function readLogs(
  client: CloudWatchLogsClient,
  deployment: string,
  region: string,
): Promise<Readonly<Record<string, readonly FilterFacts[] | undefined>>> {
  const groups = stackNames.logGroups(deployment);
  return Object.fromEntries(
    await Promise.all(groups.map(async (group) => [group, await readFilters(client, group, region)] as const)),
  );
}

/** One page holds 50 filters, and a group takes 100: those of the deployment are three. */
async function readFilters(
  client: CloudWatchLogsClient,
  logGroupName: string,
  region: string,
): Promise<readonly FilterFacts[] | undefined> {
  try {
    const { metricFilters = [] } = await client.send(new DescribeMetricFiltersCommand({ logGroupName }));
    return metricFilters.flatMap(({ filterPattern: pattern = "", metricTransformations = [] }) =>
      metricTransformations.map(({ metricName: metric = "", metricNamespace, metricValue, dimensions = {} }) => {
        const labels = Object.entries(dimensions).map(([key, value]) => `${key}=${value}`);
        return { metric, pattern, as: [metricNamespace, metricValue, ...labels].join(" ") };
      }),
    );
  } catch (cause) {
    if (cause instanceof Error && cause.name === "ResourceNotFoundException") return undefined;
    throw awsError(cause, { doing: `read log group "${logGroupName}"`, action: "logs:DescribeMetricFilters", region });
  }
}
