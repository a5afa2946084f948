// Owns the log: one JSON line a request, without pod contents, tokens or secrets. Where lines go is passed in.
import { type ErrorCode, OutriggerError } from "../errors.ts";

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
  /** Why a pod was not injected, or the code of what went wrong. */
  readonly reason?: string;
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

/** Kubernetes names and uids are shorter; whatever else a caller sends shall not fill the log. */
const MAX_TEXT = 253;

/** Writes a record as one line of JSON, its line break included. */
export function logAdmission(record: AdmissionRecord, write: (line: string) => void): void {
  write(formatRecord(record));
}

function formatRecord(record: AdmissionRecord): string {
  const { uid, cluster, namespace, name, decision, status, reason, release, templates, milliseconds, late, error } =
    record;
  const line = {
    level: decision === "failed" ? "error" : "info",
    uid: clipped(uid),
    cluster: clipped(cluster),
    pod: `${clipped(namespace)}/${clipped(name)}`,
    decision,
    reason,
    status,
    release,
    templates,
    milliseconds: Math.round(milliseconds * 1000) / 1000,
    late,
    error: error === undefined ? undefined : describeError(error),
  };
  return `${JSON.stringify(line)}\n`;
}

function clipped(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

/**
 * Our own errors hold no pod contents in their message. Of any other error only its name and the places it went
 * through are kept, because its message may quote what it stumbled over.
 */
function describeError(error: unknown): object {
  if (error instanceof OutriggerError) {
    const { code, message, path, line, column } = error;
    return { code, message: message.slice(0, 2000), path: path?.slice(0, MAX_TEXT), line, column };
  }
  if (!(error instanceof Error)) return { name: typeof error };
  const places = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { name: error.name, stack: places.slice(0, 8).map((line) => line.trim()) };
}
