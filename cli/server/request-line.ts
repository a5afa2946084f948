// What a local server prints for eyes, not for machines: a line for each request, and a request to try it with.
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

const REVIEW = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
    namespace: "default",
    operation: "CREATE",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "hello", labels: { app: "hello" } },
      spec: { containers: [{ name: "hello", image: "hello:1" }] },
    },
  },
};

/** A command line that can be pasted into any shell, in any directory. It prints the patch, which is base64 in the answer where there is one. */
export function curlLine(url: string): string {
  return `curl -sk ${url} -H 'content-type: application/json' -d '${JSON.stringify(REVIEW)}' | node -p '${DECODE}'`;
}

const DECODE =
  'Buffer.from(JSON.parse(require("node:fs").readFileSync(0)).response.patch ?? "", "base64").toString() || "nothing is added to this pod"';
