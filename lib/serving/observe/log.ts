// The log: one JSON line for each request, without pod contents, tokens or secrets. If the deployment has a name, the line
// carries the request's metrics too. The output is passed in.
import type { ErrorCode } from "@outrigger/base";
import type { InjectResult } from "@outrigger/injector";
import { type AdmissionMetricsOptions, admissionMetricsText, roundedMilliseconds } from "./admission-metrics.ts";
import { describeError } from "./describe-error.ts";

/** How a request was answered. `refused` is the caller's fault (4xx), `failed` the operator's or a bug (5xx). */
export type Decision = "injected" | "skipped" | "denied" | "refused" | "failed";

/** An answered request. Unknown texts are empty. */
export interface AdmissionRecord {
  readonly uid: string;
  /** The gateway's ID of the call. */
  readonly requestId?: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly decision: Decision;
  /** HTTP status. */
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
}

/** The output of the log, and the options of its metrics. */
export interface AdmissionLogOptions {
  readonly write: (line: string) => void;
  /** Without it, lines have no metrics. */
  readonly metrics?: AdmissionMetricsOptions;
}

/** Kubernetes names and uids are shorter; longer texts of a caller must not fill the log. */
const MAX_TEXT = 253;

/** Writes a record as one line of JSON, its line break included. */
export function logAdmission(record: AdmissionRecord, { write, metrics }: AdmissionLogOptions): void {
  const text = formatRecord(record);
  write(metrics === undefined ? `${text}\n` : `${text.slice(0, -1)},${admissionMetricsText(record, metrics)}}\n`);
}

function formatRecord(record: AdmissionRecord): string {
  const { uid, requestId, cluster, namespace, name, decision, status, reason, release, templates, milliseconds } =
    record;
  const { late, cold, tokenSlot, served, storeError, error } = record;
  return JSON.stringify({
    level: decision === "failed" ? "error" : "info",
    uid: clipped(uid),
    requestId,
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
