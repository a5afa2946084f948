// The metrics of a request. Dimension values are the deployment's stage, names of registered clusters, releases and reasons
// from a closed list. A caller cannot choose any of them, because each value is a metric that costs money.

import type { ErrorCode } from "@outrigger/base";
import type { AdmissionRecord, Decision } from "./admission-record.ts";
import { directiveText, isDimensionValue, type MetricName, metadataText } from "./embedded-metrics.ts";

export interface AdmissionMetricsOptions {
  readonly stage: string;
  /** Whether latency is also measured by cluster, which is one more metric for each cluster. */
  readonly clusterLatency?: boolean;
  /** Milliseconds since 1970, for the timestamp of the metrics. */
  readonly now: () => number;
}

/**
 * The members that make a request's log line carry its metrics, as JSON text without braces.
 *
 * | dimensions                | metrics                                                        | when                     |
 * |---------------------------|----------------------------------------------------------------|--------------------------|
 * | Stage                     | the decision's own, Latency, and exceptions                    | always; Latency: a review |
 * | Stage, Reason             | Decisions                                                      | always                   |
 * | Stage, Cluster            | Calls, and Latency if `clusterLatency` is set                  | the cluster is registered |
 * | Stage, Cluster, TokenSlot | TokenCalls                                                     | the cluster is registered |
 * | Stage, Cluster, Release   | Served                                                         | and a release answered   |
 * | Stage, Release            | Injected, Denied, Failed                                       | and it did one of these  |
 * | Stage, Release            | Late                                                           | and its answer was late  |
 *
 * Events that did not happen are left out, not counted as 0: CloudWatch charges for each hour in which a metric has data.
 */
export function admissionMetricsText(
  record: AdmissionRecord,
  { stage, clusterLatency, now }: AdmissionMetricsOptions,
): string {
  const { cluster, tokenSlot, decision, reason = "injected", release } = record;
  const counts = countsOf(record);
  const latency = `"Latency":${roundedMilliseconds(record.milliseconds)}`;
  const stageCounts = counts.map((name) => `"${name}":1`).join(",");
  let directives = `${byStage(decision, counts)},${BY_REASON}`;
  let members = `"Stage":${JSON.stringify(stage)},"Reason":"${reason}",${latency},${stageCounts},"Decisions":1`;
  if (tokenSlot !== undefined && isDimensionValue(cluster)) {
    directives += `,${clusterLatency ? BY_CLUSTER_WITH_LATENCY : BY_CLUSTER},${BY_TOKEN_SLOT}`;
    members += `,"Cluster":${JSON.stringify(cluster)},"TokenSlot":"${tokenSlot}","Calls":1,"TokenCalls":1`;
    if (decision !== "refused" && isDimensionValue(release)) {
      directives += `,${BY_RELEASE}`;
      members += `,"Release":${JSON.stringify(release)},"Served":1`;
      if (decision !== "skipped") directives += `,${BY_DECISION[decision]}`;
      if (record.late === true) directives += `,${LATE_BY_RELEASE}`;
    }
  }
  return `${metadataText(now(), directives)},${members}`;
}

/** The directive of nearly every request, which counts nothing but its injection. */
const BY_STAGE = directiveText(["Stage"], ["Latency", "Injected"]);

function byStage(decision: Decision, counts: readonly MetricName[]): string {
  if (decision === "injected" && counts.length === 1) return BY_STAGE;
  return directiveText(["Stage"], decision === "refused" ? counts : ["Latency", ...counts]);
}

/** Rounds milliseconds to microseconds. */
export function roundedMilliseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

const BY_REASON = directiveText(["Stage", "Reason"], ["Decisions"]);
const BY_CLUSTER = directiveText(["Stage", "Cluster"], ["Calls"]);
const BY_CLUSTER_WITH_LATENCY = directiveText(["Stage", "Cluster"], ["Calls", "Latency"]);
const BY_TOKEN_SLOT = directiveText(["Stage", "Cluster", "TokenSlot"], ["TokenCalls"]);
const BY_RELEASE = directiveText(["Stage", "Cluster", "Release"], ["Served"]);

/**
 * The metrics by which a rollout is judged (outrigger rollout status, --abort-on). The stage's directive has the count
 * itself.
 */
const BY_DECISION = {
  injected: directiveText(["Stage", "Release"], ["Injected"]),
  denied: directiveText(["Stage", "Release"], ["Denied"]),
  failed: directiveText(["Stage", "Release"], ["Failed"]),
} as const;

const LATE_BY_RELEASE = directiveText(["Stage", "Release"], ["Late"]);
const REGRESSED_BY_RELEASE = directiveText(["Stage", "Release"], ["Regressed"]);

export function regressedMetricText(release: string, { stage, now }: AdmissionMetricsOptions): string {
  const members = `"Stage":${JSON.stringify(stage)},"Release":${JSON.stringify(release)},"Regressed":1`;
  return `${metadataText(now(), REGRESSED_BY_RELEASE)},${members}`;
}

const DECISIONS: Readonly<Record<Decision, MetricName>> = {
  injected: "Injected",
  skipped: "Skipped",
  denied: "Denied",
  refused: "Refused",
  failed: "Failed",
};

/** The codes that mean that the store did not answer. All other errors mean that its contents cannot be used. */
const UNREACHABLE: ReadonlySet<ErrorCode> = new Set(["store-unavailable", "store-denied", "deadline-exceeded"]);

function countsOf({ decision, cold, late, served, storeError }: AdmissionRecord): readonly MetricName[] {
  const counts: MetricName[] = [DECISIONS[decision]];
  if (cold === true) counts.push("ColdStart");
  if (late === true) counts.push("Late");
  if (served === "stale") counts.push("ServingStale");
  if (served === "bundled") counts.push("ServingBundled");
  if (storeError === undefined) return counts;
  counts.push("StoreErrors");
  if (storeError === "release-unsupported") counts.push("ReleaseUnsupported");
  else if (!UNREACHABLE.has(storeError)) counts.push("ImageInvalid");
  return counts;
}
