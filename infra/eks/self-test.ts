// Owns the question whether a webhook's URL answers as an API server needs it to: a synthetic review is sent, and what comes
// back is looked at. Shows no token.
import { randomUUID } from "node:crypto";
import { OutriggerError } from "../../lib/errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { withoutToken } from "../webhook/webhook-url.ts";

export interface SelfTestOptions {
  /** How the URL is called: the global fetch, or one that trusts another authority. */
  readonly fetch: typeof fetch;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly timeoutSeconds: number;
  /** Told before each wait. */
  readonly report: (line: string) => void;
}

/** Containers ask for what is new every ten seconds, and pick a token up within a minute whatever happens. */
const PATIENCE = [2, 4, 8, 10, 10, 15, 20, 20].map((seconds) => seconds * 1000);

/**
 * Calls the URL until it answers as it should: a review of a pod that asks for a sidecar comes back allowed, with a patch.
 *
 * @throws OutriggerError `endpoint-unfit`, with what was answered last
 */
export async function selfTest(url: string, options: SelfTestOptions): Promise<void> {
  let problem = "";
  for (const wait of [...PATIENCE, undefined]) {
    const answer = await callOnce(url, options);
    if (answer.problem === undefined) return;
    problem = answer.problem;
    if (!answer.canPass || wait === undefined) break;
    options.report(`The webhook is not ready yet (${problem}); trying again in ${wait / 1000} s`);
    await options.sleep(wait);
  }
  throw new OutriggerError(
    "endpoint-unfit",
    `The webhook at ${withoutToken(url)} does not answer as it should: ${problem}; the cluster is left as it was`,
  );
}

interface Answer {
  readonly problem?: string;
  /** A later call may go better. */
  readonly canPass?: boolean;
}

async function callOnce(url: string, { fetch, timeoutSeconds }: SelfTestOptions): Promise<Answer> {
  const uid = randomUUID();
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const response = await fetch(`${url}?timeout=${timeoutSeconds}s`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(reviewOf(uid)),
      redirect: "error",
      signal,
    });
    const { status } = response;
    if (status === 404) return { problem: "it does not know the token yet (HTTP 404)", canPass: true };
    if (status === 403) return { problem: "something before it refuses the call (HTTP 403); see its resource policy" };
    if (status !== 200) return { problem: `it answers HTTP ${status}`, canPass: status === 429 || status >= 500 };
    const problem = problemOf(await response.json().catch(() => undefined), uid);
    return problem === undefined ? {} : { problem };
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === "TimeoutError";
    return { problem: isLate ? `no answer within ${timeoutSeconds} s` : reasonOf(cause), canPass: true };
  }
}

/** A pod that asks for a sidecar by label, in a namespace that says nothing. */
function reviewOf(uid: string): JsonObject {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid,
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace: "default",
      operation: "CREATE",
      dryRun: true,
      object: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "outrigger-self-test", labels: { "sidecar.istio.io/inject": "true" } },
        spec: { containers: [{ name: "app", image: "app" }] },
      },
    },
  };
}

function problemOf(review: unknown, uid: string): string | undefined {
  const response = isObject(review) ? review["response"] : undefined;
  if (!isObject(response)) return "its answer is not an AdmissionReview; check --url";
  if (response["uid"] !== uid) return "its answer is for another request; something on the way caches answers";
  if (response["allowed"] !== true) return `it rejects the pod: ${statusOf(response)}`;
  if (typeof response["patch"] !== "string") return "it does not inject a pod that asks for a sidecar; see the policy";
  return undefined;
}

function statusOf({ status }: JsonObject): string {
  const message = isObject(status) ? status["message"] : undefined;
  return typeof message === "string" ? message.slice(0, 300) : "without a reason";
}

/** The reason of a failed fetch stands in its cause. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = inner instanceof Error && "code" in inner ? String(inner.code) : "";
  if (code === "ENOTFOUND") return "its name is not known here; check --url";
  if (code === "ECONNREFUSED") return "nothing listens there; check --url";
  if (/CERT|SIGNATURE|ISSUER/.test(code)) return `its certificate is not trusted here (${code})`;
  return code === "" ? "the call failed" : `the call failed (${code})`;
}
