// The log: one JSON line for each request, without pod contents, tokens or secrets. If the deployment has a name, the line
// carries the request's metrics too. The output is passed in.

import { OutriggerError } from "@outrigger/base";
import {
  type AdmissionMetricsOptions,
  type AdmissionRecord,
  admissionMetricsText,
  regressedMetricText,
  roundedMilliseconds,
} from "./admission-metrics.ts";

/** The output of the log, and the options of its metrics. */
interface AdmissionLogOptions {
  readonly write: (line: string) => void;
  /** Without it, lines have no metrics. */
  readonly metrics?: AdmissionMetricsOptions;
}

/** Kubernetes names and uids are shorter; longer texts of a caller must not fill the log. */
const MAX_TEXT = 253;

/**
 * Writes a record as one line of JSON, its line break included.
 *
 * @param options where lines go, and the stage whose metrics they carry
 */
export function logAdmission(record: AdmissionRecord, { write, metrics }: AdmissionLogOptions): void {
  const text = formatRecord(record);
  write(metrics === undefined ? `${text}\n` : `${text.slice(0, -1)},${admissionMetricsText(record, metrics)}}\n`);
  const { regressed } = record;
  if (regressed === undefined) return;
  const line = formatRegressed(record, regressed);
  write(
    metrics === undefined ? `${line}\n` : `${line.slice(0, -1)},${regressedMetricText(regressed.release, metrics)}}\n`,
  );
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

/** Longer texts are cut. */
const MAX_MESSAGE = 2000;
const MAX_PATH = 253;

/**
 * An OutriggerError has a form for the log if its message contains pod contents. Of any other error, only the name and
 * the stack are logged: its message may quote the pod.
 */
export function describeError(error: unknown): object {
  if (error instanceof OutriggerError) {
    const { code, line, column } = error;
    const { message, path } = error.logged ?? error;
    return { code, message: message.slice(0, MAX_MESSAGE), path: path?.slice(0, MAX_PATH), line, column };
  }
  if (!(error instanceof Error)) return { name: typeof error };
  const places = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { name: error.name, stack: places.slice(0, 8).map((line) => line.trim()) };
}
