// What one run of the canary is: its token, a call through the public URL, a verdict, a line of log with metrics.
// Knows no SDK and no environment.
import { randomUUID } from "node:crypto";
import { httpCall } from "@outrigger/aws";
import { defined, injectionKeys, isOwnError, trimEnd } from "@outrigger/base";
import { metricLine, type Shortcoming, syntheticReview } from "@outrigger/serving";

export interface CanaryOptions {
  /** The URL that the webhook's paths begin with: `https://….execute-api.us-east-1.amazonaws.com`. */
  readonly url: string;
  readonly stage: string;
  /** Reads the token. Throws an OutriggerError whose message may be logged. */
  readonly readToken: () => Promise<string>;
  readonly write: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether templates may add nothing to a pod that they are for, as is so without a mesh. */
  readonly mayAddNothing?: boolean;
  /** The host that calls connect to, where the URL's name may lead to a deployment in another Region. */
  readonly connectTo?: string;
  /** Milliseconds that a call may take. */
  readonly timeout?: number;
}

interface CanaryResult {
  readonly succeeded: boolean;
  /** The problem, without token and URL. */
  readonly problem?: string;
  /** HTTP status, where there was one. */
  readonly status?: number;
  readonly milliseconds?: number;
  /** The uid of the review: the inject function's log has a line with it, if the call came so far. */
  readonly uid: string;
}

/**
 * A canary: each run makes one call as an API server would, writes one line, and never throws. The token is kept from run
 * to run; when it is not known any more it is read and tried once again, for it may have been replaced. So is the label by which
 * its pod asks: the answer to a pod that did not ask says which one the release takes.
 */
export function createCanary(options: CanaryOptions): () => Promise<CanaryResult> {
  let kept: string | undefined;
  let label: string = injectionKeys().inject;
  const call = async (token: string, uid: string): Promise<CanaryResult> => {
    const { result, wanted = label } = await callOnce(options, { token, uid, label });
    if (wanted === label) return result;
    label = wanted;
    return (await callOnce(options, { token, uid, label })).result;
  };
  const run = async (uid: string): Promise<CanaryResult> => {
    try {
      if (kept !== undefined) {
        const result = await call(kept, uid);
        if (result.status !== UNKNOWN_TOKEN) return result;
      }
      kept = undefined;
      const token = await options.readToken();
      const result = await call(token, uid);
      if (result.status !== UNKNOWN_TOKEN) kept = token;
      return result;
    } catch (error) {
      // Messages of others may quote the URL.
      return { succeeded: false, problem: isOwnError(error) ? error.message : "the canary itself failed", uid };
    }
  };
  return async () => {
    const result = await run(randomUUID());
    options.write(lineOf(result, options));
    return result;
  };
}

/** Half of what an API server waits by default. */
const TIMEOUT = 5000;
const UNKNOWN_TOKEN = 404;
const POD = { name: "outrigger-canary", namespace: "outrigger-canary" };

/** The text of a denial is not repeated: it comes from the served release, and the inject function logs it. */
const PROBLEMS: Readonly<Record<Shortcoming["kind"], string>> = {
  "no-review": "the answer is no AdmissionReview",
  "other-request": "the answer is for another request",
  denied: "the pod was denied",
  "not-injected": "no sidecar was injected",
  "patch-fails": "the patch does not apply",
  "container-lost": "the patch takes the pod's own container away",
};

interface Call {
  readonly token: string;
  readonly uid: string;
  /** By which the pod asks. */
  readonly label: string;
}

/** @returns with the label that the release wants, where it skipped the pod */
async function callOnce(
  options: CanaryOptions,
  { token, uid, label }: Call,
): Promise<{ readonly result: CanaryResult; readonly wanted?: string }> {
  const { url, now, timeout = TIMEOUT, connectTo, mayAddNothing = false } = options;
  const started = now();
  // With path parameters, as the URL of a cluster: the gateway's throttle is per route, and this is the route of clusters.
  const target = `${trimEnd(url, "/")}/t/${encodeURIComponent(token)}/inject/cluster/canary?timeout=${timeout}ms`;
  const review = syntheticReview(uid, { ...POD, injectionLabel: label });
  const answer = await callWebhook(target, review.body, timeout, connectTo);
  const milliseconds = now() - started;
  if ("problem" in answer) return { result: { succeeded: false, problem: answer.problem, milliseconds, uid } };
  const { status, body } = answer;
  const shortcoming = status === 200 ? review.shortcomingOf(body) : undefined;
  const skip = shortcoming?.kind === "not-injected" ? shortcoming : undefined;
  // A release that says itself who gets what may have no template for the canary's pod.
  const isMeant = skip !== undefined && (mayAddNothing || skip.reason === "no-template");
  const problem =
    status === 200 ? (isMeant ? undefined : shortcoming && PROBLEMS[shortcoming.kind]) : statusProblem(status);
  const result = { succeeded: problem === undefined, ...defined({ problem }), status, milliseconds, uid };
  return { result, ...defined({ wanted: skip?.label }) };
}

/** An injected pod is a few KB; whatever is longer is no answer of ours. */
const MAX_BODY = 1024 * 1024;

/**
 * Posts a review and reads what comes back. A redirect is not followed: a token is not carried elsewhere. Never throws: no error and
 * no answer's text leaves from here, since either may repeat the URL, which holds the token.
 *
 * @param timeout milliseconds for the whole call
 * @param connectTo the host to connect to, in place of the URL's
 */
async function callWebhook(url: string, body: string, timeout: number, connectTo: string | undefined) {
  const signal = AbortSignal.timeout(timeout);
  try {
    const target = new URL(url);
    // The name in the certificate and in the header `host` is the URL's, wherever the connection goes.
    const servername = target.hostname;
    const where = connectTo === undefined ? {} : { host: connectTo, hostname: connectTo, servername };
    const headers = { "content-type": "application/json", host: target.host };
    const call = { method: "POST", headers, body, limit: MAX_BODY, signal, agent: false as const, ...where };
    const { status, bytes } = await httpCall(target, call);
    if (bytes === undefined) return { problem: "the answer is longer than any of ours" };
    return { status, body: bytes.toString("utf8") };
  } catch (error) {
    if (signal.aborted) return { problem: `no answer came within ${timeout / 1000} s` };
    if (!(error instanceof Error)) return { problem: "the call failed" };
    // Codes and names only: messages of the runtime quote URLs.
    const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
    return { problem: `the call failed: ${code}` };
  }
}

function statusProblem(status: number): string {
  if (status === UNKNOWN_TOKEN) return "the token or the path is not known (HTTP 404)";
  return status === 429 ? "the call was throttled (HTTP 429)" : `the answer is HTTP ${status}`;
}

function lineOf(result: CanaryResult, { stage, now }: CanaryOptions): string {
  const { succeeded, milliseconds } = result;
  const outcome = succeeded ? { CanarySucceeded: 1 } : { CanaryFailed: 1 };
  const metrics = { ...outcome, ...defined({ CanaryLatency: milliseconds }) };
  const level = succeeded ? "info" : "error";
  return metricLine({ level, event: "canary", stage, timestamp: now(), metrics, fields: { ...result } });
}
