// What CloudWatch and CloudFormation know of a deployment: where it answers, whether its canary fails, which token calls
// come with, and the alarm for a cluster that does not call.
import { type CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import {
  type CloudWatchClient,
  DeleteAlarmsCommand,
  DescribeAlarmsCommand,
  GetMetricStatisticsCommand,
  PutMetricAlarmCommand,
  type PutMetricAlarmCommandInput,
} from "@aws-sdk/client-cloudwatch";
import { awsError } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { noCallsAlarm, noCallsAlarmName } from "./no-calls-alarm.ts";

/** The webhook's base URL, from the outputs of the deployment's stack. */
export async function findWebhookUrl(client: CloudFormationClient, stack: string, region: string): Promise<string> {
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === "ValidationError") throw noUrl(stack, region, cause);
    throw awsError(cause, { doing: `read stack "${stack}"`, action: "cloudformation:DescribeStacks", region });
  });
  const url = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === "Url")?.OutputValue;
  if (url === undefined) throw noUrl(stack, region);
  return url;
}

function noUrl(stack: string, region: string, cause?: unknown): OutriggerError {
  return new OutriggerError(
    "aws-unavailable",
    `There is no stack "${stack}" with the webhook's URL in ${region}: deploy first (outrigger deploy --stage ${stack.replace(/^outrigger-/, "")}), or give the URL with --url`,
    { path: stack, cause },
  );
}

/** Whether the canary's alarm is up. Callers without permission to read alarms are not blocked by it. */
export async function isCanaryFailing(client: CloudWatchClient, deployment: string, region: string): Promise<boolean> {
  const command = new DescribeAlarmsCommand({ AlarmNames: [`outrigger-${deployment}-canary`] });
  try {
    const { MetricAlarms } = await client.send(command);
    return MetricAlarms?.[0]?.StateValue === "ALARM";
  } catch (cause) {
    const error = awsError(cause, { doing: "read the canary's alarm", action: "cloudwatch:DescribeAlarms", region });
    if (error.code === "aws-denied" && cause instanceof Error && cause.name.startsWith("AccessDenied")) return false;
    throw error;
  }
}

const MINUTE = 60_000;

/** Calls of a cluster with the token of a slot, from the next whole minute on: CloudWatch counts by minutes. */
export async function countTokenCalls(
  client: CloudWatchClient,
  { deployment, cluster, region }: { readonly deployment: string; readonly cluster: string; readonly region: string },
  slot: 1 | 2,
  since: number,
  now: number,
): Promise<number> {
  const start = Math.ceil(since / MINUTE) * MINUTE;
  if (start >= now) return 0;
  const command = new GetMetricStatisticsCommand({
    Namespace: "Outrigger",
    MetricName: "TokenCalls",
    Dimensions: [
      { Name: "Stage", Value: deployment },
      { Name: "Cluster", Value: cluster },
      { Name: "TokenSlot", Value: String(slot) },
    ],
    StartTime: new Date(start),
    EndTime: new Date(now),
    Period: 60,
    Statistics: ["Sum"],
  });
  const { Datapoints } = await client.send(command).catch((cause: unknown) => {
    throw awsError(cause, { doing: "count calls", action: "cloudwatch:GetMetricStatistics", region });
  });
  return (Datapoints ?? []).reduce((sum, { Sum }) => sum + (Sum ?? 0), 0);
}

/** Who is notified of the deployment's alarms: a cluster's alarm notifies the same. */
async function alarmActions(
  client: CloudWatchClient,
  deployment: string,
  region: string,
): Promise<Pick<PutMetricAlarmCommandInput, "AlarmActions" | "OKActions">> {
  const command = new DescribeAlarmsCommand({ AlarmNames: [`outrigger-${deployment}-canary`] });
  const { MetricAlarms } = await client.send(command).catch((cause: unknown) => {
    throw awsError(cause, { doing: "read the canary's alarm", action: "cloudwatch:DescribeAlarms", region });
  });
  const { AlarmActions = [], OKActions = [] } = MetricAlarms?.[0] ?? {};
  return { AlarmActions, OKActions };
}

/** The alarm for a cluster that is registered and does not call. */
export function callsAlarm(client: CloudWatchClient, deployment: string, region: string) {
  return {
    async put(cluster: string): Promise<void> {
      const actions = await alarmActions(client, deployment, region);
      await client
        .send(new PutMetricAlarmCommand({ ...noCallsAlarm({ stage: deployment, cluster }), ...actions }))
        .catch((cause: unknown) => {
          throw awsError(cause, { doing: "set the alarm for calls", action: "cloudwatch:PutMetricAlarm", region });
        });
    },
    async remove(cluster: string): Promise<void> {
      const AlarmNames = [noCallsAlarmName({ stage: deployment, cluster })];
      await client.send(new DeleteAlarmsCommand({ AlarmNames })).catch((cause: unknown) => {
        throw awsError(cause, { doing: "remove the alarm for calls", action: "cloudwatch:DeleteAlarms", region });
      });
    },
  };
}
