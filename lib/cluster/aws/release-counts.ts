// What CloudWatch counted of a release: pods that it injected, that it denied, and calls that failed.
import { type CloudWatchClient, GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { awsError } from "@outrigger/aws";

export interface ReleaseCounts {
  readonly injected: number;
  readonly denied: number;
  readonly failed: number;
}

interface Question {
  readonly stage: string;
  readonly region: string;
  readonly release: string;
  /** Milliseconds since 1970, both. */
  readonly since: number;
  readonly now: number;
}

/** @throws OutriggerError `aws-denied` or `aws-unavailable` */
export async function countRelease(client: CloudWatchClient, question: Question): Promise<ReleaseCounts> {
  const [injected, denied, failed] = await Promise.all(
    ["Injected", "Denied", "Failed"].map((metric) => count(client, metric, question)),
  );
  return { injected: injected as number, denied: denied as number, failed: failed as number };
}

const MINUTE = 60_000;

/** At most this many data points come with one answer. */
const MAX_POINTS = 1440;

async function count(client: CloudWatchClient, MetricName: string, question: Question): Promise<number> {
  const { stage, region, release, since, now } = question;
  const minutes = Math.max(1, Math.ceil((now - since) / MINUTE));
  const command = new GetMetricStatisticsCommand({
    Namespace: "Outrigger",
    MetricName,
    Dimensions: [
      { Name: "Stage", Value: stage },
      { Name: "Release", Value: release },
    ],
    StartTime: new Date(Math.floor(since / MINUTE) * MINUTE),
    EndTime: new Date(now),
    Period: 60 * Math.ceil(minutes / MAX_POINTS),
    Statistics: ["Sum"],
  });
  const { Datapoints = [] } = await client.send(command).catch((cause: unknown) => {
    throw awsError(cause, { doing: "count what releases did", action: "cloudwatch:GetMetricStatistics", region });
  });
  return Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
}
