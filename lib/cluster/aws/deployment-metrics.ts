// What CloudWatch counted of a deployment: calls with a token, calls without a review, and what a release did.
import { type CloudWatchClient, type Datapoint, GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { awsError } from "@outrigger/aws";
import type { PublisherDependencies } from "@outrigger/publisher";

/** What a release did, as a rollout is judged by it. */
type ReleaseCounts = Awaited<ReturnType<NonNullable<PublisherDependencies["countRelease"]>>>;

/** From when to when, in milliseconds since 1970. */
interface Period {
  readonly since: number;
  readonly now: number;
}

interface Place {
  readonly deployment: string;
  readonly region: string;
}

interface TokenQuestion extends Place, Period {
  readonly cluster: string;
  readonly slot: 1 | 2;
}

interface ReleaseQuestion extends Place, Period {
  readonly release: string;
}

/**
 * What CloudWatch counted of a deployment between two times, each in milliseconds since 1970.
 *
 * - `countTokenCalls()`: a cluster's calls with its first or second token.
 * - `lostCalls()`: when calls of any cluster got no review: 429, 5xx, 4xx on the webhook's routes, or an answer too late.
 * - `countRelease()`: what the release of a digest did.
 *
 * @param deployment its stage: `prod`
 * @throws OutriggerError each function, `aws-denied` or `aws-unavailable`
 */
export function deploymentMetrics(client: CloudWatchClient, deployment: string, region: string) {
  const place = { deployment, region };
  return {
    countTokenCalls: (question: Omit<TokenQuestion, keyof Place>): Promise<number> =>
      countTokenCalls(client, { ...place, ...question }),
    lostCalls: (period: Period): Promise<readonly LostCalls[]> => lostCalls(client, { ...place, ...period }),
    countRelease: (question: Omit<ReleaseQuestion, keyof Place>): Promise<ReleaseCounts> =>
      countRelease(client, { ...place, ...question }),
  };
}

const MINUTE = 60_000;

/** Calls that got no review, in a minute or, of a long time, in a few. Milliseconds since 1970. */
export interface LostCalls {
  readonly since: number;
  readonly until: number;
  readonly calls: number;
}

/** The metrics of the alarm `burst`. */
const LOST = ["GatewayThrottled", "GatewayFailed", "GatewayRejected", "Late"];

async function lostCalls(client: CloudWatchClient, question: Place & Period): Promise<readonly LostCalls[]> {
  const found = (await Promise.all(LOST.map((metric) => points(client, metric, question)))).flat();
  const length = secondsOf(question) * 1000;
  const sums = new Map<number, number>();
  for (const { Timestamp, Sum = 0 } of found) {
    const since = Timestamp?.getTime() ?? 0;
    if (Sum > 0) sums.set(since, (sums.get(since) ?? 0) + Sum);
  }
  const lost = [...sums].map(([since, calls]) => ({ since, until: since + length, calls }));
  return lost.sort((one, other) => one.since - other.since);
}

/** From the next whole minute on: CloudWatch counts by minutes. */
async function countTokenCalls(
  client: CloudWatchClient,
  { deployment, cluster, region, slot, since, now }: TokenQuestion,
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
  const { Datapoints = [] } = await client.send(command).catch((cause: unknown) => {
    throw awsError(cause, { doing: "count calls", action: "cloudwatch:GetMetricStatistics", region });
  });
  return sumOf(Datapoints);
}

async function countRelease(client: CloudWatchClient, question: ReleaseQuestion): Promise<ReleaseCounts> {
  const names = ["Injected", "Denied", "Failed", "Regressed", "Late"];
  const [injected, denied, failed, regressed, late] = (await Promise.all(
    names.map((metric) => points(client, metric, question)),
  )) as [Points, Points, Points, Points, Points];
  const calledIn = [...new Set([injected, denied, failed].flatMap(timesOf))];
  const counts = { injected: sumOf(injected), denied: sumOf(denied), failed: sumOf(failed) };
  return { ...counts, regressed: sumOf(regressed), late: sumOf(late), calledIn, lateIn: timesOf(late) };
}

/** At most this many data points come with one answer. */
const MAX_POINTS = 1440;

type Points = readonly Datapoint[];

function sumOf(found: Points): number {
  return found.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
}

function timesOf(found: Points): readonly number[] {
  return found.flatMap(({ Timestamp, Sum = 0 }) => (Timestamp === undefined || Sum === 0 ? [] : [Timestamp.getTime()]));
}

/** The shortest period, in seconds, in which one answer holds all data points. */
function secondsOf({ since, now }: Period): number {
  return 60 * Math.ceil(Math.max(1, Math.ceil((now - since) / MINUTE)) / MAX_POINTS);
}

async function points(
  client: CloudWatchClient,
  MetricName: string,
  question: Place & Period & { readonly release?: string },
): Promise<Points> {
  const { deployment, region, release, since, now } = question;
  const command = new GetMetricStatisticsCommand({
    Namespace: "Outrigger",
    MetricName,
    Dimensions: [
      { Name: "Stage", Value: deployment },
      ...(release === undefined ? [] : [{ Name: "Release", Value: release }]),
    ],
    StartTime: new Date(Math.floor(since / MINUTE) * MINUTE),
    EndTime: new Date(now),
    Period: secondsOf(question),
    Statistics: ["Sum"],
  });
  const { Datapoints = [] } = await client.send(command).catch((cause: unknown) => {
    throw awsError(cause, { doing: "count calls", action: "cloudwatch:GetMetricStatistics", region });
  });
  return Datapoints;
}
