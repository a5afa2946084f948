// What CloudWatch counted of a deployment: calls with a token, calls without a review, and what a release did.
import { type CloudWatchClient, type Datapoint, GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { awsFailure, type CallOptions } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import type { PublisherDependencies } from "@outrigger/publisher";

type ReleaseCounts = Awaited<ReturnType<NonNullable<PublisherDependencies["countRelease"]>>>;

/** The start and the end of a time, in milliseconds since 1970. */
interface Period {
  readonly since: number;
  readonly now: number;
}

/**
 * Returns what CloudWatch counted of a deployment between two times, each in milliseconds since 1970.
 *
 * - `countTokenCalls()`: a cluster's calls with its first or second token.
 * - `lostCalls()`: when calls of any cluster got no review: 429, 5xx, 4xx on the webhook's routes, or an answer too late.
 * - `countRelease()`: what the release of a digest did.
 *
 * @param deployment its stage: `prod`
 * @throws OutriggerError each function, `aws-denied` or `aws-unavailable`
 */
export function deploymentMetrics(client: CloudWatchClient, deployment: string, region: string) {
  const points = async (
    MetricName: string,
    period: Period,
    dimensions: Dimensions = {},
    { signal }: CallOptions = {},
  ): Promise<Points> => {
    const command = new GetMetricStatisticsCommand({
      Namespace: "Outrigger",
      MetricName,
      Dimensions: Object.entries({ Stage: deployment, ...dimensions }).map(([Name, Value]) => ({ Name, Value })),
      StartTime: new Date(Math.floor(period.since / MINUTE) * MINUTE),
      EndTime: new Date(period.now),
      Period: secondsOf(period),
      Statistics: ["Sum"],
    });
    const call = { doing: "count calls", action: "cloudwatch:GetMetricStatistics", region };
    const { Datapoints = [] } = await client.send(command, defined({ abortSignal: signal })).catch(awsFailure(call));
    return Datapoints;
  };
  return {
    async countTokenCalls(question: Period & { readonly cluster: string; readonly slot: 1 | 2 }): Promise<number> {
      const { cluster, slot, now } = question;
      // From the next whole minute on: CloudWatch counts by minutes.
      const since = Math.ceil(question.since / MINUTE) * MINUTE;
      if (since >= now) return 0;
      return sumOf(await points("TokenCalls", { since, now }, { Cluster: cluster, TokenSlot: String(slot) }));
    },
    /** The lost calls by minute or, of a long time, by a few minutes. */
    async lostCalls(period: Period) {
      const found = (await Promise.all(LOST.map((metric) => points(metric, period)))).flat();
      const length = secondsOf(period) * 1000;
      const sums = new Map<number, number>();
      for (const { Timestamp, Sum = 0 } of found) {
        const since = Timestamp?.getTime() ?? 0;
        if (Sum > 0) sums.set(since, (sums.get(since) ?? 0) + Sum);
      }
      const lost = [...sums].map(([since, calls]) => ({ since, until: since + length, calls }));
      return lost.sort((one, other) => one.since - other.since);
    },
    async countRelease(
      { release, ...period }: Period & { readonly release: string },
      options?: CallOptions,
    ): Promise<ReleaseCounts> {
      const names = ["Injected", "Denied", "Failed", "Regressed", "Late"];
      const reads = names.map((metric) => points(metric, period, { Release: release }, options));
      const found = (await Promise.all(reads)) as [Points, Points, Points, Points, Points];
      const [injected, denied, failed, regressed, late] = found;
      const calledIn = [...new Set([injected, denied, failed].flatMap(timesOf))];
      const counts = { injected: sumOf(injected), denied: sumOf(denied), failed: sumOf(failed) };
      return { ...counts, regressed: sumOf(regressed), late: sumOf(late), calledIn, lateIn: timesOf(late) };
    },
  };
}

type Dimensions = Readonly<Record<string, string>>;

const MINUTE = 60_000;

/** The metrics of the alarm `burst`. */
const LOST = ["GatewayThrottled", "GatewayFailed", "GatewayRejected", "Late"];

/** The data points that CloudWatch puts into one answer, at most. */
const MAX_POINTS = 1440;

type Points = readonly Datapoint[];

function sumOf(found: Points): number {
  return found.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
}

function timesOf(found: Points): readonly number[] {
  return found.flatMap(({ Timestamp, Sum = 0 }) => (Timestamp === undefined || Sum === 0 ? [] : [Timestamp.getTime()]));
}

/** The shortest period, in seconds, in which one answer holds all data points: from the minute in which the time begins. */
function secondsOf({ since, now }: Period): number {
  const minutes = Math.ceil(now / MINUTE) - Math.floor(since / MINUTE);
  return 60 * Math.max(1, Math.ceil(minutes / MAX_POINTS));
}
