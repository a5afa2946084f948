// The inject function on Parameter Store: its settings, its reader, and the first read, which starts before any request.

import { signedParameterReader } from "@outrigger/aws";
import { defined, OutriggerError, once, trimEnd } from "@outrigger/base";
import { readGuardrails, unknownEntries } from "@outrigger/guardrails";
import { loadRelease, type Release } from "@outrigger/injector";
import { metricLine, serveStore } from "@outrigger/serving";
import { type Handler, handlerOf } from "./api-gateway.ts";
import { warmUp } from "./warm-up.ts";

interface StoreHandlerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bundled: { readonly digest: string; readonly read: () => Release };
  readonly write: (line: string) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** A handler that serves the releases below OUTRIGGER_PREFIX. It starts to read immediately. */
export function storeHandler({ env, bundled, write, now }: StoreHandlerOptions): Handler {
  // The log line of a request has only the code: a failed read can affect many requests, or none.
  const report = ({ code, message, path }: OutriggerError) => {
    const fields = defined({ code, message, path });
    write(metricLine({ level: "error", event: "store", timestamp: Date.now(), fields }));
  };
  const stage = env["OUTRIGGER_STAGE"];
  const guardrails = readGuardrails(env["OUTRIGGER_GUARDRAILS"] ?? "");
  const unknown = unknownEntries(guardrails);
  if (unknown !== undefined) report(unknown);
  // For warming up, and for the fallback.
  const fallback = once(() => ({ digest: bundled.digest, injector: loadRelease(bundled.read()) }));
  const { find, live } = serveStore({
    prefix: trimEnd(env["OUTRIGGER_PREFIX"] ?? "", "/"),
    ttl: readTtl(env["OUTRIGGER_TTL_SECONDS"], report),
    bundled: env["OUTRIGGER_BUNDLED_FALLBACK"] === "on" ? fallback : undefined,
    // During the first read only.
    reader: signedParameterReader(
      env,
      env["OUTRIGGER_RELEASE_BUCKET"] ?? "",
      once(() => warmUp(fallback)),
    ),
    report,
    guardrails,
  });
  live.start();
  const clusterLatency = env["OUTRIGGER_CLUSTER_LATENCY"] === "on";
  const metrics = stage === undefined ? undefined : { stage, clusterLatency, now: Date.now };
  return handlerOf({ find, now }, write, metrics);
}

const DEFAULT_TTL = 10;
const LONGEST_TTL = 3600;

/** Returns the TTL in milliseconds. A setting that cannot be read must not keep pods from starting. */
function readTtl(text: string | undefined, report: (error: OutriggerError) => void): number {
  if (text === undefined || text === "") return DEFAULT_TTL * 1000;
  const seconds = Number(text);
  if (seconds >= 1 && seconds <= LONGEST_TTL) return seconds * 1000;
  const message = `Cannot use OUTRIGGER_TTL_SECONDS: it must be 1 to ${LONGEST_TTL}; ${DEFAULT_TTL} is used`;
  report(new OutriggerError("config-invalid", message, { path: "OUTRIGGER_TTL_SECONDS" }));
  return DEFAULT_TTL * 1000;
}
