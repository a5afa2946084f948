// Owns the way of one request: route → caller → body → review → injection → response. The Lambda function and the
// local server both call it; it knows neither, and no release either: injecting is a function that it is given.
import { OutriggerError } from "../errors.ts";
import { decodePod } from "../inject/decode-pod.ts";
import type { ClusterSettings, InjectRequest, InjectResult } from "../inject/injector.ts";
import type { AdmissionRecord, Decision } from "../observe/log.ts";
import { readBody } from "./body.ts";
import { parseTimeout } from "./deadline.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { parsePathParameters } from "./path-parameters.ts";
import { type AdmissionRequest, decodeReview, encodeAllowed, encodeDenied } from "./review.ts";
import { parseRoute, type Route } from "./route.ts";
import { type Caller, findCaller } from "./token.ts";

/** An HTTP request as every door can say it. Header names are in lower case. */
export interface AdmitRequest {
  readonly method: string;
  /** Without stage prefix and query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array | undefined;
  readonly isBase64?: boolean;
}

export interface AdmitResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What there is to log about it: no pod content, no token. */
  readonly log: AdmissionRecord;
}

/** What is known of a calling cluster by its token. */
export interface KnownCluster extends ClusterSettings {
  readonly name: string;
}

export interface AdmitDependencies {
  readonly inject: (request: InjectRequest) => InjectResult;
  /** Names the release that `inject` runs, for audit annotations and the log. */
  readonly release: string;
  /** Who may call. Left out, no token is needed, and no path with one is known. */
  readonly callers?: readonly Caller<KnownCluster>[];
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

const REVIEW_HEADERS = { "content-type": "application/json" } as const;
const TEXT_HEADERS = { "content-type": "text/plain; charset=utf-8" } as const;

/** A message may name a key or a value, and an author may make those as long as a pod may be. */
const MAX_MESSAGE = 1000;

/** Answers one request. Never throws: whatever goes wrong is an outcome. */
export function admit(request: AdmitRequest, dependencies: AdmitDependencies): AdmitResponse {
  const started = dependencies.now();
  const route = findRoute(request.path, dependencies.callers);
  const answer = route === undefined ? NOT_FOUND : answerRoute(request, route, dependencies);
  const milliseconds = dependencies.now() - started;
  const late = milliseconds > parseTimeout(request.query["timeout"]);
  return { ...answer.reply, log: recordOf(answer, route, dependencies.release, milliseconds, late) };
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A reply, and what led to it. */
interface Answer {
  readonly reply: Reply;
  readonly decision: Decision;
  readonly review: AdmissionRequest | undefined;
  readonly reason?: AdmissionRecord["reason"];
  readonly templates?: readonly string[];
  readonly error?: unknown;
}

interface OpenRoute {
  readonly parameters: Readonly<Record<string, string>>;
  readonly cluster: KnownCluster | undefined;
}

/** Undefined for a path that is not ours, a token that is missing and a token that is unknown alike. */
function findRoute(path: string, callers: AdmitDependencies["callers"]): OpenRoute | undefined {
  const route = parseRoute(path);
  if (callers === undefined) {
    return route === undefined || route.token !== undefined ? undefined : openRoute(route, undefined);
  }
  const caller = findCaller(route?.token, callers);
  return route === undefined || caller === undefined ? undefined : openRoute(route, caller.cluster);
}

function openRoute(route: Route, cluster: KnownCluster | undefined): OpenRoute {
  return { parameters: parsePathParameters(route.path), cluster };
}

const NOT_FOUND: Answer = {
  reply: { status: 404, headers: TEXT_HEADERS, body: "Not found\n" },
  decision: "refused",
  review: undefined,
  reason: "token-unknown",
};

function answerRoute(request: AdmitRequest, route: OpenRoute, dependencies: AdmitDependencies): Answer {
  let review: AdmissionRequest | undefined;
  try {
    assertMethod(request.method);
    assertContentType(request.headers["content-type"]);
    review = decodeReview(readBody(request.body, request.isBase64 === true));
    return answerReview(review, route, dependencies);
  } catch (error) {
    return answerError(review === undefined ? error : blameReview(error, review), review, dependencies.release);
  }
}

/**
 * The pod's types are not checked on the way in: an API server sends what it has decoded. Where injecting fails, a pod
 * of wrong types is the reason to look for first, and then the fault is neither the operator's nor ours.
 */
function blameReview(error: unknown, { pod }: AdmissionRequest): unknown {
  const outcome = outcomeOf(error);
  if (outcome.kind === "denied" || outcome.status < 500) return error;
  try {
    decodePod(pod, "encoded");
    return error;
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) return error;
    const path = `request.object.${cause.path ?? ""}`;
    return new OutriggerError("review-invalid", `The AdmissionReview's object is not a Pod: ${cause.message}`, {
      path,
      cause,
    });
  }
}

function assertMethod(method: string): void {
  if (method !== "POST")
    throw new OutriggerError("method-unsupported", "Only POST is answered here: send an AdmissionReview");
}

function assertContentType(contentType: string | undefined): void {
  if (contentType === "application/json") return;
  const mediaType = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw new OutriggerError("content-type-unsupported", "The content type is not application/json");
  }
}

function answerReview(review: AdmissionRequest, route: OpenRoute, dependencies: AdmitDependencies): Answer {
  const { release } = dependencies;
  const { pod, namespace } = review;
  const { parameters, cluster } = route;
  const result = dependencies.inject(
    cluster === undefined ? { pod, namespace, parameters } : { pod, namespace, parameters, cluster },
  );
  if (!result.injected) {
    const body = encodeAllowed(review, undefined, { decision: "skipped", reason: result.reason, release }, []);
    return {
      reply: { status: 200, headers: REVIEW_HEADERS, body },
      decision: "skipped",
      review,
      reason: result.reason,
    };
  }
  const { templates, warnings } = result;
  // A pod that is as it should be needs no patch: an empty one is left out.
  const patchText = result.patch.length === 0 ? undefined : result.patchText;
  const body = encodeAllowed(
    review,
    patchText,
    { decision: "injected", release, templates: templates.join(",") },
    warnings,
  );
  return { reply: { status: 200, headers: REVIEW_HEADERS, body }, decision: "injected", review, templates };
}

function answerError(error: unknown, review: AdmissionRequest | undefined, release: string): Answer {
  const outcome = outcomeOf(error);
  const reason = error instanceof OutriggerError ? error.code : "bug";
  if (outcome.kind === "denied" && review !== undefined) {
    const { path } = error as OutriggerError;
    const body = encodeDenied(
      review,
      { ...outcome, message: messageOf(error), path: path?.slice(0, MAX_MESSAGE) },
      { decision: "denied", reason, release },
    );
    return { reply: { status: 200, headers: REVIEW_HEADERS, body }, decision: "denied", review, reason, error };
  }
  const status = outcome.kind === "http" ? outcome.status : 500;
  const decision = status < 500 ? "refused" : "failed";
  return {
    reply: { status, headers: headersOf(outcome), body: `${messageOf(error)}\n` },
    decision,
    review,
    reason,
    error,
  };
}

function headersOf(outcome: Outcome): Readonly<Record<string, string>> {
  if (outcome.kind !== "http") return TEXT_HEADERS;
  if (outcome.status === 405) return { ...TEXT_HEADERS, allow: "POST" };
  return outcome.retryAfter === undefined
    ? TEXT_HEADERS
    : { ...TEXT_HEADERS, "retry-after": String(outcome.retryAfter) };
}

/** API servers show plain text in the event about a failed call; an unexpected error's own text may hold pod content. */
function messageOf(error: unknown): string {
  return error instanceof OutriggerError
    ? error.message.slice(0, MAX_MESSAGE)
    : "Cannot answer because of a bug in Outrigger: its log has the stack under this review's uid";
}

function recordOf(
  answer: Answer,
  route: OpenRoute | undefined,
  release: string,
  milliseconds: number,
  late: boolean,
): AdmissionRecord {
  const { review, decision, reason, templates, error } = answer;
  return {
    uid: review?.uid ?? "",
    cluster: route?.cluster?.name ?? route?.parameters["ISTIO_META_CLUSTER_ID"] ?? "",
    namespace: review?.namespace ?? "",
    name: review?.name ?? "",
    decision,
    status: answer.reply.status,
    ...(reason === undefined ? {} : { reason }),
    release,
    ...(templates === undefined ? {} : { templates }),
    milliseconds,
    ...(late ? { late } : {}),
    ...(error === undefined ? {} : { error }),
  };
}
