// Owns which metrics a request makes. Dimensions have values of ours only: the deployment's stage, names of registered
// clusters, releases, reasons from a closed list; nothing that a caller could choose, for each value is a metric to pay.
import type { ErrorCode } from "../errors.ts";
import { directiveText, isDimensionValue, type MetricName, metadataText } from "./embedded-metrics.ts";
import type { AdmissionRecord, Decision } from "./log.ts";

export interface AdmissionMetricsOptions {
  /** The deployment that the metrics are about: `dev`. */
  readonly stage: string;
  /** Latency by cluster too: one metric more for each of them. */
  readonly clusterLatency?: boolean;
  /** Milliseconds since 1970: metrics are stamped with it. */
  readonly now: () => number;
}

/**
 * The members that make a request's log line carry its metrics, as JSON text without braces.
 *
 * | dimensions                | metrics                                                        | when                     |
 * |---------------------------|----------------------------------------------------------------|--------------------------|
 * | Stage                     | the decision's own, Latency, and what was out of the ordinary  | always; Latency: a review |
 * | Stage, Reason             | Decisions                                                      | always                   |
 * | Stage, Cluster            | Calls, and Latency where it is asked for                       | the cluster is registered |
 * | Stage, Cluster, TokenSlot | TokenCalls                                                     | the cluster is registered |
 * | Stage, Cluster, Release   | Served                                                         | and a release was asked  |
 *
 * What did not happen is left out, not counted as nothing: a metric is paid for by the hours in which there is one.
 */
export function admissionMetricsText(
  record: AdmissionRecord,
  { stage, clusterLatency = false, now }: AdmissionMetricsOptions,
): string {
  const { cluster, tokenSlot, decision, reason = "injected", release } = record;
  const counts = countsOf(record);
  const latency = `"Latency":${roundedMilliseconds(record.milliseconds)}`;
  const stageCounts = counts.map((name) => `"${name}":1`).join(",");
  let directives = `${directiveText(["Stage"], decision === "refused" ? counts : ["Latency", ...counts])},${BY_REASON}`;
  let members = `"Stage":${JSON.stringify(stage)},"Reason":"${reason}",${latency},${stageCounts},"Decisions":1`;
  if (tokenSlot !== undefined && isDimensionValue(cluster)) {
    directives += `,${clusterLatency ? BY_CLUSTER_WITH_LATENCY : BY_CLUSTER},${BY_TOKEN_SLOT}`;
    members += `,"Cluster":${JSON.stringify(cluster)},"TokenSlot":"${tokenSlot}","Calls":1,"TokenCalls":1`;
    if (decision !== "refused" && isDimensionValue(release)) {
      directives += `,${BY_RELEASE}`;
      members += `,"Release":${JSON.stringify(release)},"Served":1`;
    }
  }
  return `${metadataText(now(), directives)},${members}`;
}

/** Microseconds are as fine as anybody reads them. */
export function roundedMilliseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

const BY_REASON = directiveText(["Stage", "Reason"], ["Decisions"]);
const BY_CLUSTER = directiveText(["Stage", "Cluster"], ["Calls"]);
const BY_CLUSTER_WITH_LATENCY = directiveText(["Stage", "Cluster"], ["Calls", "Latency"]);
const BY_TOKEN_SLOT = directiveText(["Stage", "Cluster", "TokenSlot"], ["TokenCalls"]);
const BY_RELEASE = directiveText(["Stage", "Cluster", "Release"], ["Served"]);

const DECISIONS: Readonly<Record<Decision, MetricName>> = {
  injected: "Injected",
  skipped: "Skipped",
  denied: "Denied",
  refused: "Refused",
  failed: "Failed",
};

/** These say that the store could not be asked; every other error of it, that what it holds cannot be used. */
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
