// The alarms of registered clusters, which are not in the stack and follow its own alarms.
import type { JsonObject } from "@outrigger/base";
import { type AwsRequest, objectsIn } from "./aws-request.ts";

/**
 * Gives the alarm of each registered cluster the actions of the deployment's own alarms, which a deploy that changes `email` or `topic`
 * changes. Returns how many changed.
 */
export async function notifyForClusters(request: AwsRequest, stage: string): Promise<number> {
  const [own] = await alarmsNamed(request, `outrigger-${stage}-canary`);
  const clusters = await alarmsNamed(request, `outrigger-${stage}-no-calls-`);
  const actions = { AlarmActions: own?.["AlarmActions"] ?? [], OKActions: own?.["OKActions"] ?? [] };
  const outdated = clusters.filter((alarm) => ACTIONS.some((key) => !isSame(alarm[key], actions[key])));
  for (const alarm of outdated) {
    const kept = KEPT.flatMap((key) => (alarm[key] === undefined ? [] : [[key, alarm[key]] as const]));
    await request("cloudwatch:PutMetricAlarm", { Alarm: JSON.stringify({ ...Object.fromEntries(kept), ...actions }) });
  }
  return outdated.length;
}

const ACTIONS = ["AlarmActions", "OKActions"] as const;

/** The members of an alarm that describe it: what CloudWatch adds (state, times, ARN) is refused when it is put. */
const KEPT = [
  "AlarmName",
  "AlarmDescription",
  // Left out, it is true: an alarm that a person has muted would notify again.
  "ActionsEnabled",
  "Namespace",
  "MetricName",
  "Dimensions",
  "Statistic",
  "Period",
  "EvaluationPeriods",
  "DatapointsToAlarm",
  "Threshold",
  "ComparisonOperator",
  "TreatMissingData",
] as const;

async function alarmsNamed(request: AwsRequest, AlarmNamePrefix: string): Promise<readonly JsonObject[]> {
  return objectsIn(await request("cloudwatch:DescribeAlarms", { AlarmNamePrefix }), "MetricAlarms");
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? []) === JSON.stringify(other);
}
