// The entry point of the inject function. With OUTRIGGER_PREFIX in its environment, it serves the releases below that
// prefix in Parameter Store; without it, the release that is bundled with it.
import "./use-built-in-code.ts";

import { digest, readRelease } from "outrigger:bundled-release";
import { sharedMemory } from "@outrigger/base";
import { guardedInjection, readGuardrails } from "@outrigger/guardrails";
import { type InjectRequest, loadRelease, type Release, rememberInjections } from "@outrigger/injector";
import { fixedService, type logAdmission, releaseDigest } from "@outrigger/serving";
import { type Handler, handlerOf } from "./api-gateway.ts";
import { storeHandler } from "./store-handler.ts";

export interface HandlerOptions extends Pick<Parameters<typeof fixedService>[0], "callers"> {
  readonly release: Release;
  readonly digest?: string;
  /** The setting `guardrails`. If it is left out, an injection may add anything. */
  readonly guardrails?: string | undefined;
  /** Writes the log, a line for each request. The default is standard output. */
  readonly write?: (line: string) => void;
  /** The options of metrics. Without them, log lines have no metrics. */
  readonly metrics?: Parameters<typeof logAdmission>[1]["metrics"];
}

/** A handler that serves one release. The release is loaded here, before any request. */
export function createHandler({
  release,
  digest,
  guardrails = "",
  write = writeOut,
  metrics,
  ...callers
}: HandlerOptions): Handler {
  const injector = loadRelease(release);
  const remembering = rememberInjections(guardedInjection(readGuardrails(guardrails)));
  const inject = (request: InjectRequest) => remembering(injector, request);
  const find = fixedService({ inject, release: digest ?? releaseDigest(release), ...callers });
  return handlerOf({ find, now }, write, metrics);
}

function now(): number {
  return performance.now();
}

function writeOut(line: string): void {
  process.stdout.write(line);
}

/** The share of the function's memory that caches across requests may take. More than MOST_CACHES gains nothing. */
const CACHE_SHARE = 1 / 16;
const MOST_CACHES = 64_000_000;
sharedMemory.limit(
  Math.min(Number(process.env["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]) * 1e6 * CACHE_SHARE || MOST_CACHES, MOST_CACHES),
);

export const handler =
  (process.env["OUTRIGGER_PREFIX"] ?? "") === ""
    ? createHandler({ release: readRelease(), digest, guardrails: process.env["OUTRIGGER_GUARDRAILS"] })
    : storeHandler({ env: process.env, bundled: { digest, read: readRelease }, write: writeOut, now });
