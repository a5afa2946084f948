// The line that a local server prints for a request: for eyes, not for machines.
import { OutriggerError } from "@outrigger/base";
import type { AdmissionRecord } from "@outrigger/serving";
import { printable } from "../terminal/printable.ts";

/** `12:03:04  shop/web-7d9f-*  injected  sidecar  1.2 ms`; the error is on the next line. */
export function formatRequestLine(record: AdmissionRecord, time: Date): string {
  const { namespace, name, decision, status, reason, templates, milliseconds, error } = record;
  const pod = name === "" && namespace === "" ? "-" : `${namespace}/${name}`;
  const why = templates?.join(",") ?? reason ?? "";
  const columns = [time.toTimeString().slice(0, 8), pod.padEnd(32), decision.padEnd(8), why.padEnd(20)];
  const end = status === 200 ? [] : [`HTTP ${status}`];
  const line = [...columns, `${milliseconds.toFixed(1)} ms`, ...end].join("  ");
  const cause = error instanceof OutriggerError ? `          ${error.message}` : stackOf(error);
  return printable(error === undefined ? line : `${line}\n${cause}`);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
