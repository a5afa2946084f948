// What CloudWatch counted of a deployment: calls with a token, calls without a review, and what releases did.
import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import type { CallOptions } from "@outrigger/aws";
import type { ReleaseCounts } from "@outrigger/publisher";
import { type Metric, metricSums, type Period, periodSeconds, type Sums } from "./metric-sums.ts";

/**
 * Returns what CloudWatch counted of a deployment between two times, each in milliseconds since 1970. Each function makes one request.
 *
 * - `countTokenCalls()`: a cluster's calls with its first or second token.
 * - `lostCalls()`: when calls of any cluster got no review: 429, 5xx, 4xx on the webhook's routes, or an answer too late.
 * - `countReleases()`: what each of some releases did, by their digests, in their order.
 *
 * @param deployment its stage: `prod`
 * @throws OutriggerError each function, `aws-denied` or `aws-unavailable`, also where CloudWatch answers without all counts
 */
export function deploymentMetrics(client: CloudWatchClient, deployment: string, region: string) {
  const read = (metrics: readonly Metric[], period: Period, options?: CallOptions) =>
    metricSums(client, region, metrics, period, options);
  const metric = (name: string, dimensions: Metric["dimensions"] = {}): Metric => ({
    name,
    dimensions: { Stage: deployment, ...dimensions },
  });
  return {
    async countTokenCalls(question: Period & { readonly cluster: string; readonly slot: 1 | 2 }): Promise<number> {
      const { cluster, slot, now } = question;
      // From the next whole minute on: CloudWatch counts by minutes.
      const since = Math.ceil(question.since / MINUTE) * MINUTE;
      if (since >= now) return 0;
      const calls = metric("TokenCalls", { Cluster: cluster, TokenSlot: String(slot) });
      return (await read([calls], { since, now })).reduce((sum, one) => sum + sumOf(one), 0);
    },
    /** The lost calls by minute or, of a long time, by a few minutes. */
    async lostCalls(period: Period) {
      const found = await read(
        LOST.map((name) => metric(name)),
        period,
      );
      const length = periodSeconds(period) * 1000;
      const sums = new Map<number, number>();
      for (const [since, sum] of found.flatMap((one) => [...one])) {
        if (sum > 0) sums.set(since, (sums.get(since) ?? 0) + sum);
      }
      const lost = [...sums].map(([since, calls]) => ({ since, until: since + length, calls }));
      return lost.sort((one, other) => one.since - other.since);
    },
    async countReleases<const Releases extends readonly string[]>(
      question: Period & { readonly releases: Releases; readonly isTimed?: boolean },
      options?: CallOptions,
    ) {
      const { releases, isTimed = true, ...period } = question;
      const names = ["Injected", "Denied", "Failed", "Regressed", ...(isTimed ? ["Late"] : [])];
      const metrics = releases.flatMap((Release) => names.map((name) => metric(name, { Release })));
      const found = await read(metrics, period, options);
      const counts = releases.map((_, at) => countsOf(found.slice(at * names.length, (at + 1) * names.length)));
      return counts as { readonly [Index in keyof Releases]: ReleaseCounts };
    },
  };
}

const MINUTE = 60_000;

/** The metrics of the alarm `burst`. */
const LOST = ["GatewayThrottled", "GatewayFailed", "GatewayRejected", "Late"];

/** The counts of a release, of its metrics in the order in which they are asked. */
function countsOf(found: readonly Sums[]): ReleaseCounts {
  const [injected, denied, failed, regressed, late = NONE] = found as [Sums, Sums, Sums, Sums, Sums?];
  const calledIn = [...new Set([injected, denied, failed].flatMap(timesOf))];
  const counts = { injected: sumOf(injected), denied: sumOf(denied), failed: sumOf(failed) };
  return { ...counts, regressed: sumOf(regressed), late: sumOf(late), calledIn, lateIn: timesOf(late) };
}

const NONE: Sums = new Map();

function sumOf(sums: Sums): number {
  return [...sums.values()].reduce((sum, one) => sum + one, 0);
}

function timesOf(sums: Sums): readonly number[] {
  return [...sums].flatMap(([time, sum]) => (sum === 0 ? [] : [time]));
}
