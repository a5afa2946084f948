// The alarm for a cluster that is registered and does not call. Pure: what CloudWatch is asked for, as its API takes it.
import type { PutMetricAlarmCommandInput } from "@aws-sdk/client-cloudwatch";

export interface NoCallsAlarm {
  /** The deployment's stage. */
  readonly stage: string;
  /** The cluster's name in its record. */
  readonly cluster: string;
  /** Hours without a call after which it is raised, 1 to 24: a cluster that makes no pods for that long is not quiet. */
  readonly quietHours?: number;
}

/** A cluster makes pods at least once a day, if only for a CronJob or a node that is replaced. */
const QUIET_HOURS = 24;

export function noCallsAlarmName({ stage, cluster }: Pick<NoCallsAlarm, "stage" | "cluster">): string {
  return `outrigger-${stage}-no-calls-${cluster}`;
}

/** Raised when there was no call in any of the last hours; a metric that is not there is no call. */
export function noCallsAlarm({ stage, cluster, quietHours = QUIET_HOURS }: NoCallsAlarm): PutMetricAlarmCommandInput {
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
