// The log: one JSON line for each request, without pod contents, tokens or secrets. If the deployment has a name, the line
// carries the request's metrics too. The output is passed in.

import { OutriggerError } from "@outrigger/base";
import {
  type AdmissionMetricsOptions,
  admissionMetricsText,
  regressedMetricText,
  roundedMilliseconds,
} from "./admission-metrics.ts";
import type { AdmissionRecord } from "./admission-record.ts";

/**
 * The most characters of a text. Kubernetes names and uids are shorter; longer texts of a caller must not fill the log.
 */
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

/**
 * Writes a line of its own for a release that could not answer: its counts are of another release than the one that has
 * answered.
 */
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
 * Returns an error's form for the log. An OutriggerError has its own if its message contains pod contents. Of any other
 * error, only the name and the stack are logged: its message may quote the pod.
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
