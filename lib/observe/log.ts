// Owns the log: one JSON line a request, without pod contents, tokens or secrets, which carries the request's metrics as
// well where the deployment has a name. Where lines go is passed in.
import type { ErrorCode } from "../errors.ts";
import type { SkipReason } from "../inject/injector.ts";
import { type AdmissionMetricsOptions, admissionMetricsText, roundedMilliseconds } from "./admission-metrics.ts";
import { describeError } from "./describe-error.ts";

/** What became of a request: `refused` is the caller's fault (4xx), `failed` the operator's or ours (5xx). */
export type Decision = "injected" | "skipped" | "denied" | "refused" | "failed";

/** What is known about an answered request. Texts that are not known are empty. */
export interface AdmissionRecord {
  readonly uid: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly decision: Decision;
  /** HTTP status. */
  readonly status: number;
  /** Why a pod was not injected, or the code of what went wrong: a closed list, for metrics are made by it. */
  readonly reason?: SkipReason | ErrorCode | "bug";
  readonly release: string;
  readonly templates?: readonly string[];
  readonly milliseconds: number;
  /** The caller's timeout had passed when the answer was ready. */
  readonly late?: boolean;
  /** The first request that this process answered. */
  readonly cold?: boolean;
  /** Which of the cluster's two live tokens was shown. Only there for a registered cluster, whose name is then ours. */
  readonly tokenSlot?: 1 | 2;
  /** What was served: what the store holds, what was read of it before, or the release of the artifact. */
  readonly served?: "current" | "stale" | "bundled";
  /** Why the store could not be asked, or its answer not be used. */
  readonly storeError?: ErrorCode;
  readonly error?: unknown;
}

/** Where lines go, and what their metrics are about. */
export interface AdmissionLogOptions {
  readonly write: (line: string) => void;
  /** Left out, lines have no metrics. */
  readonly metrics?: AdmissionMetricsOptions;
}

/** Kubernetes names and uids are shorter; whatever else a caller sends shall not fill the log. */
const MAX_TEXT = 253;

/** Writes a record as one line of JSON, its line break included. */
export function logAdmission(record: AdmissionRecord, { write, metrics }: AdmissionLogOptions): void {
  const text = formatRecord(record);
  write(metrics === undefined ? `${text}\n` : `${text.slice(0, -1)},${admissionMetricsText(record, metrics)}}\n`);
}

function formatRecord(record: AdmissionRecord): string {
  const { uid, cluster, namespace, name, decision, status, reason, release, templates, milliseconds } = record;
  const { late, cold, tokenSlot, served, storeError, error } = record;
  return JSON.stringify({
    level: decision === "failed" ? "error" : "info",
    uid: clipped(uid),
    cluster: clipped(cluster),
    pod: `${clipped(namespace)}/${clipped(name)}`,
    decision,
    reason,
    status,
    release,
    templates,
    milliseconds: roundedMilliseconds(milliseconds),
    late,
    cold,
    tokenSlot,
    served,
    storeError,
    error: error === undefined ? undefined : describeError(error),
  });
}

function clipped(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
