// The alarms of a deployment in CloudWatch: whether its canary fails, and the alarm for a cluster that does not call.
import {
  type CloudWatchClient,
  DeleteAlarmsCommand,
  DescribeAlarmsCommand,
  PutMetricAlarmCommand,
  type PutMetricAlarmCommandInput,
} from "@aws-sdk/client-cloudwatch";
import { awsError } from "@outrigger/aws";
import { noCallsAlarm, noCallsAlarmName } from "./no-calls-alarm.ts";

/**
 * The alarms of a deployment.
 *
 * - `isCanaryFailing()`: whether the canary's alarm is up; false for callers who may not read alarms.
 * - `noCalls`: puts or removes the alarm for a registered cluster, named by its record, that has not called for a day. It
 *   notifies whom the canary's alarm notifies.
 *
 * @param deployment its stage: `prod`
 * @throws OutriggerError each function, `aws-denied` or `aws-unavailable`
 */
export function deploymentAlarms(client: CloudWatchClient, deployment: string, region: string) {
  return {
    isCanaryFailing: () => isCanaryFailing(client, deployment, region),
    noCalls: {
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
    },
  };
}

async function isCanaryFailing(client: CloudWatchClient, deployment: string, region: string): Promise<boolean> {
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
