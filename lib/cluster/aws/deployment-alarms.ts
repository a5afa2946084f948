// The alarms of a deployment in CloudWatch: whether its canary fails, and the alarm for a cluster that does not call.
import {
  type CloudWatchClient,
  DeleteAlarmsCommand,
  DescribeAlarmsCommand,
  PutMetricAlarmCommand,
  type PutMetricAlarmCommandInput,
} from "@aws-sdk/client-cloudwatch";
import { awsError } from "@outrigger/aws";
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

// The alarm for a cluster that is registered and does not call. Pure: what CloudWatch is asked for, as its API takes it.
interface NoCallsAlarm {
  /** The deployment's stage. */
  readonly stage: string;
  /** The cluster's name in its record. */
  readonly cluster: string;
  /** Hours without a call after which it is raised, 1 to 24: a cluster that makes no pods for that long is not quiet. */
  readonly quietHours?: number;
}

/** A cluster makes pods at least once a day, if only for a CronJob or a node that is replaced. */
const QUIET_HOURS = 24;

function noCallsAlarmName({ stage, cluster }: Pick<NoCallsAlarm, "stage" | "cluster">): string {
  return `outrigger-${stage}-no-calls-${cluster}`;
}

/** Raised when there was no call in any of the last hours; a metric that is not there is no call. */
function noCallsAlarm({ stage, cluster, quietHours = QUIET_HOURS }: NoCallsAlarm): PutMetricAlarmCommandInput {
  return {
    AlarmName: noCallsAlarmName({ stage, cluster }),
    AlarmDescription: `Cluster ${cluster} has not called for ${quietHours} hours. docs/runbooks/endpoint.md#no-calls`,
    Namespace: "Outrigger",
    MetricName: "Calls",
    Dimensions: [
      { Name: "Stage", Value: stage },
      { Name: "Cluster", Value: cluster },
    ],
    Statistic: "Sum",
    Period: 3600,
    EvaluationPeriods: quietHours,
    DatapointsToAlarm: quietHours,
    Threshold: 1,
    ComparisonOperator: "LessThanThreshold",
    TreatMissingData: "breaching",
  };
}

// Reading the states of CloudWatch alarms, for rollouts. Most deployments have no rollout under way: the client is made late.
/** @throws OutriggerError `aws-denied` or `aws-unavailable` */
export function alarmStates(connect: () => CloudWatchClient): (names: readonly string[]) => Promise<AlarmStates> {
  let client: CloudWatchClient | undefined;
  return async (names) => {
    client ??= connect();
    const command = new DescribeAlarmsCommand({
      AlarmNames: [...names],
      AlarmTypes: ["MetricAlarm", "CompositeAlarm"],
    });
    const { MetricAlarms = [], CompositeAlarms = [] } = await client.send(command).catch((cause: unknown) => {
      const region = process.env["AWS_REGION"] ?? "this Region";
      throw awsError(cause, { doing: "read the alarms of a rollout", action: "cloudwatch:DescribeAlarms", region });
    });
    const alarms = [...MetricAlarms, ...CompositeAlarms].flatMap(({ AlarmName: name, StateValue: state }) => {
      return name === undefined ? [] : [[name, state as AlarmStates[string]] as const];
    });
    return Object.fromEntries(alarms);
  };
}
