// The alarms of a deployment in CloudWatch: whether its canary fails, and the alarm for a cluster that does not call.
import type { CloudWatchClient, PutMetricAlarmCommandInput } from "@aws-sdk/client-cloudwatch";
import { DeleteAlarmsCommand, DescribeAlarmsCommand, PutMetricAlarmCommand } from "@aws-sdk/client-cloudwatch";
import { awsFailure, type OutsideCall } from "@outrigger/aws";
import { defined, ownError } from "@outrigger/base";
import type { AlarmStates } from "@outrigger/publisher";

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
  const failure = (doing: string, action: string) => awsFailure({ doing, action: `cloudwatch:${action}`, region });
  const canaryAlarm = async () => {
    const command = new DescribeAlarmsCommand({ AlarmNames: [`outrigger-${deployment}-canary`] });
    const { MetricAlarms } = await client.send(command).catch(failure("read the canary's alarm", "DescribeAlarms"));
    return MetricAlarms?.[0] ?? {};
  };
  return {
    async isCanaryFailing(): Promise<boolean> {
      try {
        return (await canaryAlarm()).StateValue === "ALARM";
      } catch (error) {
        const { cause } = ownError(error, "aws-denied");
        if (cause instanceof Error && cause.name.startsWith("AccessDenied")) return false;
        throw error;
      }
    },
    noCalls: {
      async put(cluster: string): Promise<void> {
        // Who is notified of the deployment's alarms is notified of a cluster's.
        const { AlarmActions = [], OKActions = [] } = await canaryAlarm();
        const command = new PutMetricAlarmCommand({ ...noCallsAlarm(deployment, cluster), AlarmActions, OKActions });
        await client.send(command).catch(failure("set the alarm for calls", "PutMetricAlarm"));
      },
      async remove(cluster: string): Promise<void> {
        const command = new DeleteAlarmsCommand({ AlarmNames: [noCallsAlarm(deployment, cluster).AlarmName] });
        await client.send(command).catch(failure("remove the alarm for calls", "DeleteAlarms"));
      },
    },
  };
}

/** Hours, 24 at most: a cluster makes pods at least once a day, if only for a CronJob or a node that is replaced. */
const QUIET_HOURS = 24;

/** Raised when there was no call in any of the last hours; a metric that is not there is no call. */
function noCallsAlarm(stage: string, cluster: string): PutMetricAlarmCommandInput & { readonly AlarmName: string } {
  return {
    AlarmName: `outrigger-${stage}-no-calls-${cluster}`,
    AlarmDescription: `Cluster ${cluster} has not called for ${QUIET_HOURS} hours. docs/runbooks/endpoint.md#no-calls`,
    Namespace: "Outrigger",
    MetricName: "Calls",
    Dimensions: [
      { Name: "Stage", Value: stage },
      { Name: "Cluster", Value: cluster },
    ],
    Statistic: "Sum",
    Period: 3600,
    EvaluationPeriods: QUIET_HOURS,
    DatapointsToAlarm: QUIET_HOURS,
    Threshold: 1,
    ComparisonOperator: "LessThanThreshold",
    TreatMissingData: "breaching",
  };
}

// Reading the states of CloudWatch alarms, for rollouts. Most deployments have no rollout under way: the client is made late.
/** @throws OutriggerError `aws-denied` or `aws-unavailable` */
export function alarmStates(connect: () => CloudWatchClient): OutsideCall<readonly string[], AlarmStates> {
  let client: CloudWatchClient | undefined;
  return async (names, { signal } = {}) => {
    client ??= connect();
    const command = new DescribeAlarmsCommand({
      AlarmNames: [...names],
      AlarmTypes: ["MetricAlarm", "CompositeAlarm"],
    });
    const region = process.env["AWS_REGION"] ?? "this Region";
    const call = { doing: "read the alarms of a rollout", action: "cloudwatch:DescribeAlarms", region };
    const { MetricAlarms = [], CompositeAlarms = [] } = await client
      .send(command, defined({ abortSignal: signal }))
      .catch(awsFailure(call));
    const alarms = [...MetricAlarms, ...CompositeAlarms].flatMap(({ AlarmName: name, StateValue: state }) => {
      return name === undefined ? [] : [[name, state as AlarmStates[string]] as const];
    });
    return Object.fromEntries(alarms);
  };
}
