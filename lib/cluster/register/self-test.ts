// The question whether a webhook's URL answers as an API server needs it to: a synthetic review is sent, and what comes
// back is looked at. Shows no token.
import { randomUUID } from "node:crypto";
import { defined, OutriggerError } from "@outrigger/base";
import { containerNames } from "@outrigger/injector";
import { type Shortcoming, syntheticReview, UNKNOWN_TEMPLATE } from "@outrigger/serving";
import { withoutToken } from "@outrigger/webhook";
import { type AgentFor, exchangeProblem, exchangeWith, isUntrusted } from "../kube/http-exchange.ts";

export interface SelfTestOptions {
  /** PEM, where no public authority has signed the endpoint's certificate. */
  readonly caBundle?: string;
  readonly timeoutSeconds: number;
  /** The label by which a pod asks for injection, where it is no label of Istio's. */
  readonly injectionLabel?: string;
  readonly agentFor?: AgentFor;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called before each wait. */
  readonly report: (line: string) => void;
}

/** Containers ask for what is new every ten seconds, and pick a token up within a minute whatever happens. */
const PATIENCE = [2, 4, 8, 10, 10, 15, 20, 20].map((seconds) => seconds * 1000);

/**
 * Calls the URL until it answers as it should: a review of a pod that asks for a sidecar comes back allowed, with a patch. Where no template
 * is for that pod, one that names a template which no tree has comes back denied.
 *
 * @returns whether the release adds `istio-proxy` to that pod
 * @throws OutriggerError `endpoint-unfit`, with what was answered last
 */
export async function selfTest(url: string, options: SelfTestOptions): Promise<{ readonly addsProxy: boolean }> {
  let problem = "";
  for (const wait of [...PATIENCE, undefined]) {
    const answer = await testOnce(url, options);
    if (answer.problem === undefined) return { addsProxy: answer.addsProxy === true };
    problem = answer.problem;
    if (answer.canPass !== true || wait === undefined) break;
    options.report(`The webhook is not ready yet: ${problem}; trying again in ${wait / 1000} s`);
    await options.sleep(wait);
  }
  const message = `The webhook ${withoutToken(url)} does not answer as it should: ${problem}`;
  throw new OutriggerError("endpoint-unfit", message);
}

type CallSettings = Pick<SelfTestOptions, "caBundle" | "timeoutSeconds" | "injectionLabel" | "agentFor">;

/** Posts to a path of the URL's server. */
export function post(url: string, path: string, body: string, { caBundle, timeoutSeconds, agentFor }: CallSettings) {
  const trust = defined({ ca: caBundle, agentFor });
  const exchange = exchangeWith({ url: new URL(url).origin, timeoutMilliseconds: timeoutSeconds * 1000, ...trust });
  return exchange({ method: "POST", path, body, contentType: "application/json" });
}

/** Sends one review. `canPass` says that a later call may go better. */
export async function testOnce(
  url: string,
  settings: CallSettings,
): Promise<{ readonly problem?: string; readonly canPass?: boolean; readonly addsProxy?: boolean }> {
  const review = syntheticReview(randomUUID(), { ...POD, ...defined({ injectionLabel: settings.injectionLabel }) });
  try {
    const path = `${new URL(url).pathname}?timeout=${settings.timeoutSeconds}s`;
    const { status, body } = await post(url, path, review.body, settings);
    if (status === 404) return { problem: "it does not know the token (HTTP 404)", canPass: true };
    if (status === 403) return { problem: refusedBefore(url) };
    if (status !== 200) return { problem: `it answers HTTP ${status}`, canPass: status === 429 || status >= 500 };
    const shortcoming = review.shortcomingOf(body);
    if (shortcoming?.kind === "not-injected" && (await deniesUnknown(url, path, settings))) return {};
    const problem = problemOf(shortcoming);
    return problem === undefined ? { addsProxy: review.addedBy(body).includes(containerNames.proxy) } : { problem };
  } catch (cause) {
    const canPass = !isUntrusted(cause);
    const remedy = canPass
      ? "check the URL (outrigger register --url)"
      : "give the authority of a private one by --ca-file";
    return { problem: `${exchangeProblem(cause)}; ${remedy}`, canPass };
  }
}

async function deniesUnknown(url: string, path: string, settings: CallSettings): Promise<boolean> {
  const { injectionLabel } = settings;
  const review = syntheticReview(randomUUID(), { ...POD, template: UNKNOWN_TEMPLATE, ...defined({ injectionLabel }) });
  const { status, body } = await post(url, path, review.body, settings);
  const answer = status === 200 ? review.shortcomingOf(body) : undefined;
  return answer?.kind === "denied" && answer.message.includes(UNKNOWN_TEMPLATE);
}

const POD = { name: "outrigger-self-test", namespace: "default" };

function problemOf(shortcoming: Shortcoming | undefined): string | undefined {
  if (shortcoming?.kind !== "denied") return shortcoming && PROBLEMS[shortcoming.kind];
  return `it rejects the pod: ${shortcoming.message.slice(0, 300) || "without a reason"}`;
}

const PROBLEMS: Readonly<Record<Exclude<Shortcoming["kind"], "denied">, string>> = {
  "no-review": "its answer is no AdmissionReview; check the URL (outrigger register --url)",
  "other-request": "its answer is for another request; something on the way caches answers",
  "not-injected": "it does not inject a pod that asks for a sidecar; see the policy",
  "patch-fails": "its patch does not apply to the pod; see what is published (outrigger releases)",
  "container-lost": "its patch takes the pod's own container away; see what is published (outrigger releases)",
};

/** Explains an answer 403: the webhook itself gives none. */
export function refusedBefore(url: string): string {
  const isChina = new URL(url).hostname.endsWith(".amazonaws.com.cn");
  const china = isChina ? ", and whether the account has an ICP recordal" : "";
  return `something before it refuses the call (HTTP 403); see its resource policy${china} (docs/endpoint.md)`;
}
