// Sums of CloudWatch's metrics, as many as are wanted in one request. What cannot be read is an error, and never zero.
import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type GetMetricDataCommandOutput,
  type MessageData,
} from "@aws-sdk/client-cloudwatch";
import { awsFailure, type CallOptions } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";

/** The start and the end of a time, in milliseconds since 1970. */
export interface Period {
  readonly since: number;
  readonly now: number;
}

/** A metric of the namespace `Outrigger`. */
export interface Metric {
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** The sums of a metric by period, of which each is named by its beginning in milliseconds since 1970. Periods without data are left out. */
export type Sums = ReadonlyMap<number, number>;

/**
 * Reads the sums of metrics in periods of {@link periodSeconds}, from the period on in which the time begins: one request, and one more for
 * each further page of the answer.
 *
 * @param metrics 500 at most; a metric that CloudWatch does not have has no sums
 * @returns the sums of each metric, in the order of the metrics
 * @throws OutriggerError `aws-denied` or `aws-unavailable`, also where CloudWatch answers without all of the sums
 */
export async function metricSums(
  client: CloudWatchClient,
  region: string,
  metrics: readonly Metric[],
  period: Period,
  { signal }: CallOptions = {},
): Promise<readonly Sums[]> {
  const seconds = periodSeconds(period);
  const length = seconds * 1000;
  const start = Math.floor(period.since / length) * length;
  const request = {
    MetricDataQueries: metrics.map((metric, index) => ({
      Id: idOf(index),
      MetricStat: { Metric: described(metric), Period: seconds, Stat: "Sum" },
    })),
    StartTime: new Date(start),
    // A time that has just begun, or begins later by the clock of another machine, is refused if it does not end after its start.
    EndTime: new Date(Math.max(period.now, start + length)),
  };
  const pages: GetMetricDataCommandOutput[] = [];
  do {
    const NextToken = pages.at(-1)?.NextToken;
    const command = new GetMetricDataCommand({ ...request, ...defined({ NextToken }) });
    pages.push(await client.send(command, defined({ abortSignal: signal })).catch(awsFailure({ ...CALL, region })));
  } while (pages.at(-1)?.NextToken);
  const messages = pages.flatMap(({ Messages = [] }) => Messages);
  const results = pages.flatMap(({ MetricDataResults = [] }) => MetricDataResults);
  return metrics.map(({ name }, index) => {
    const own = results.filter(({ Id }) => Id === idOf(index));
    // Pages before the last one are partial.
    const { StatusCode, Messages = [] } = own.at(-1) ?? {};
    if (StatusCode !== "Complete") throw incomplete(name, StatusCode, [...Messages, ...messages]);
    const points = own.flatMap(({ Timestamps = [], Values = [] }) =>
      Timestamps.map((time, at) => [time.getTime(), Values[at] ?? 0] as const),
    );
    return new Map(points);
  });
}

const CALL = { doing: "count calls", action: "cloudwatch:GetMetricData" };

/** CloudWatch wants a lowercase letter first. */
function idOf(index: number): string {
  return `m${index}`;
}

function described({ name, dimensions }: Metric) {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  return { Namespace: "Outrigger", MetricName: name, Dimensions };
}

/** Codes only, as of every error of AWS: the text of a message may quote the request. */
function incomplete(name: string, status = "none", messages: readonly MessageData[]): OutriggerError {
  const codes = messages.flatMap(({ Code = [] }) => Code);
  const why = `CloudWatch's answer about the metric ${name} is not complete (${[`status ${status}`, ...codes].join(", ")})`;
  return status === "Forbidden"
    ? new OutriggerError("aws-denied", `Cannot ${CALL.doing}: ${why}; ask for the permission ${CALL.action}`)
    : new OutriggerError("aws-unavailable", `Cannot ${CALL.doing}: ${why}; wait a moment and run it again`);
}

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;

/**
 * The seconds of a period: a minute for a day, and for longer times so many minutes that a metric has about as many periods as a day has
 * minutes.
 *
 * | the time begins      | CloudWatch still has | the period is a multiple of |
 * |----------------------|----------------------|-----------------------------|
 * | within 14 days       | minutes              | a minute                    |
 * | within 62 days       | five minutes         | five minutes                |
 * | earlier              | hours                | an hour                     |
 *
 * With any other period it answers that there is no data. It forgets minutes and five minutes a day later than the table: the start is
 * rounded down, and clocks differ.
 */
export function periodSeconds({ since, now }: Period): number {
  const minutes = Math.ceil(now / MINUTE) - Math.floor(since / MINUTE);
  const kept = minutes <= 14 * DAY_MINUTES ? 1 : minutes <= 62 * DAY_MINUTES ? 5 : 60;
  return 60 * kept * Math.max(1, Math.ceil(minutes / DAY_MINUTES / kept));
}
