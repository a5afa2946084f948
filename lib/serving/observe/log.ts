// The log: one JSON line for each request, without pod contents, tokens or secrets. If the deployment has a name, the line
// carries the request's metrics too. The output is passed in.

import { type ErrorCode, OutriggerError } from "@outrigger/base";
import type { InjectResult } from "@outrigger/injector";
import { directiveText, isDimensionValue, type MetricName, metadataText } from "./embedded-metrics.ts";

/** Kubernetes names and uids are shorter; longer texts of a caller must not fill the log. */
const MAX_TEXT = 253;

/** Writes a record as one line of JSON, its line break included. Without the options of metrics, the line has none. */
export function logAdmission(
  record: AdmissionRecord,
  { write, metrics }: { readonly write: (line: string) => void; readonly metrics?: AdmissionMetricsOptions },
): void {
  write(lineOf(formatRecord(record), metrics && admissionMetricsText(record, metrics)));
  const { regressed } = record;
  if (regressed === undefined) return;
  write(lineOf(formatRegressed(record, regressed), metrics && regressedMetricText(regressed.release, metrics)));
}

function lineOf(record: string, metrics: string | undefined): string {
  return metrics === undefined ? `${record}\n` : `${record.slice(0, -1)},${metrics}}\n`;
}

function formatRecord(record: AdmissionRecord): string {
  const { decision, status, reason, release, templates, late, cold, tokenSlot, served, storeError, error } = record;
  return JSON.stringify({
    level: decision === "failed" ? "error" : "info",
    uid: clipped(record.uid),
    requestId: record.requestId,
    traceId: record.traceId,
    cluster: clipped(record.cluster),
    pod: `${clipped(record.namespace)}/${clipped(record.name)}`,
    decision,
    reason,
    status,
    release,
    templates,
    milliseconds: roundedMilliseconds(record.milliseconds),
    late,
    cold,
    tokenSlot,
    served,
    storeError,
    error: error === undefined ? undefined : describeError(error),
  });
}

/** A line of its own: what it counts is of another release than the one that has answered. */
function formatRegressed(
  { uid, cluster, namespace, name, release: own }: AdmissionRecord,
  { release, error }: NonNullable<AdmissionRecord["regressed"]>,
): string {
  return JSON.stringify({
    level: "warn",
    event: "regressed",
    uid: clipped(uid),
    cluster: clipped(cluster),
    pod: `${clipped(namespace)}/${clipped(name)}`,
    release,
    answeredBy: own,
    error: describeError(error),
  });
}

function clipped(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

const MAX_MESSAGE = 2000;

/**
 * An OutriggerError has a form for the log if its message contains pod contents. Of any other error, only the name and
 * the stack are logged: its message may quote the pod.
 */
export function describeError(error: unknown): object {
  if (error instanceof OutriggerError) {
    const { code, line, column } = error;
    const { message, path } = error.logged ?? error;
    return { code, message: message.slice(0, MAX_MESSAGE), path: path?.slice(0, MAX_TEXT), line, column };
  }
  if (!(error instanceof Error)) return { name: typeof error };
  const places = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { name: error.name, stack: places.slice(0, 8).map((line) => line.trim()) };
}

// The metrics of a request. Dimension values are the deployment's stage, names of registered clusters, releases and reasons
// from a closed list. A caller cannot choose any of them, because each value is a metric that costs money.
export interface AdmissionMetricsOptions {
  readonly stage: string;
  /** Also measure latency by cluster: one more metric for each cluster. */
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
function admissionMetricsText(
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

/** Of nearly every request: nothing is counted but that it was injected. */
const BY_STAGE = directiveText(["Stage"], ["Latency", "Injected"]);

function byStage(decision: Decision, counts: readonly MetricName[]): string {
  if (decision === "injected" && counts.length === 1) return BY_STAGE;
  return directiveText(["Stage"], decision === "refused" ? counts : ["Latency", ...counts]);
}

/** Rounded to microseconds. */
function roundedMilliseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

const BY_REASON = directiveText(["Stage", "Reason"], ["Decisions"]);
const BY_CLUSTER = directiveText(["Stage", "Cluster"], ["Calls"]);
const BY_CLUSTER_WITH_LATENCY = directiveText(["Stage", "Cluster"], ["Calls", "Latency"]);
const BY_TOKEN_SLOT = directiveText(["Stage", "Cluster", "TokenSlot"], ["TokenCalls"]);
const BY_RELEASE = directiveText(["Stage", "Cluster", "Release"], ["Served"]);

/** What a rollout is judged by (outrigger rollout status, --abort-on). The count itself is that of the stage. */
const BY_DECISION = {
  injected: directiveText(["Stage", "Release"], ["Injected"]),
  denied: directiveText(["Stage", "Release"], ["Denied"]),
  failed: directiveText(["Stage", "Release"], ["Failed"]),
} as const;

const LATE_BY_RELEASE = directiveText(["Stage", "Release"], ["Late"]);
const REGRESSED_BY_RELEASE = directiveText(["Stage", "Release"], ["Regressed"]);

function regressedMetricText(release: string, { stage, now }: AdmissionMetricsOptions): string {
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

/** These mean that the store did not answer; all other errors, that its contents cannot be used. */
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

/** How a request was answered. `refused` is the caller's fault (4xx), `failed` the operator's or a bug (5xx). */
export type Decision = "injected" | "skipped" | "denied" | "refused" | "failed";

/** An answered request. Unknown texts are empty. */
export interface AdmissionRecord {
  readonly uid: string;
  /** The gateway's ID of the call. */
  readonly requestId?: string;
  /** Of the X-Ray trace that the call is part of. */
  readonly traceId?: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly decision: Decision;
  readonly status: number;
  /** Why a pod was not injected, or the code of the error. A closed list, because metrics use it as a dimension. */
  readonly reason?: Extract<InjectResult, { readonly injected: false }>["reason"] | ErrorCode | "bug";
  readonly release: string;
  readonly templates?: readonly string[];
  readonly milliseconds: number;
  /** The answer was ready only after the caller's timeout. */
  readonly late?: boolean;
  /** The first request that this process answered. */
  readonly cold?: boolean;
  /** Which of the cluster's two live tokens was used. Present only for a registered cluster. */
  readonly tokenSlot?: 1 | 2;
  /** The served release: the one in the store, an earlier one from the store, or the bundled one. */
  readonly served?: "current" | "stale" | "bundled";
  /** Why the store did not answer, or why its answer could not be used. */
  readonly storeError?: ErrorCode;
  readonly error?: unknown;
  /** The release of a share that could not answer, and why: the channel's own has answered in its place. */
  readonly regressed?: { readonly release: string; readonly error: unknown };
}
