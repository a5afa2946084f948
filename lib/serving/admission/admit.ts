// One request from end to end: route → service → body → review → injection → response. The Lambda function and the local
// server both call it. It knows neither of them and no release: the service for a caller is passed in.
import { DEFAULT_REVISION, OutriggerError } from "@outrigger/base";
import { EMPTY_PATCH } from "@outrigger/pod";
import type { AdmissionRecord } from "../observe/admission-record.ts";
import type { FindService, Service } from "../services/service.ts";
import { readBody } from "./body.ts";
import { canRetry, parseTimeout } from "./deadline.ts";
import { blameCaller, type Outcome, outcomeOf } from "./outcome.ts";
import { parsePathParameters } from "./path-parameters.ts";
import { type AdmissionRequest, decodeReview, encodeAllowed, encodeDenied } from "./review.ts";
import { parseRoute } from "./route.ts";

/** An HTTP request, independent of the entry point. Header names are in lower case. */
export interface AdmitRequest {
  readonly method: string;
  /** The path without stage prefix and query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array | undefined;
  readonly isBase64?: boolean;
  /** The gateway's own ID of the request, for its log, this log and the API server's audit log. */
  readonly requestId?: string;
}

const REVIEW_HEADERS = { "content-type": "application/json" } as const;
const TEXT_HEADERS = { "content-type": "text/plain; charset=utf-8" } as const;

/** The most characters of a message. Messages name keys, and a key can be as long as a pod. */
const MAX_MESSAGE = 1000;

/**
 * The most characters of an answer. Lambda takes 6,291,556 bytes of JSON, in which every quote of an answer takes two; past
 * that the call fails, and failurePolicy Ignore would let the pod in without its sidecar.
 */
const MAX_ANSWER = 6_000_000;

/**
 * Answers one request. Never throws: every error becomes an outcome. The only wait is for the service.
 *
 * | the request                                 | the answer                                            |
 * |---------------------------------------------|-------------------------------------------------------|
 * | is a review, and the pod is injected or not | 200, allowed, with a patch or without                 |
 * | is a review, and the pod's author is wrong  | 200, denied, with the field and the reason            |
 * | is no review, or comes with a wrong token   | 4xx in plain text                                     |
 * | cannot be answered                          | 500: the webhook's `failurePolicy` decides of the pod |
 * | cannot be answered by the release of a share | what the channel's own release answers                |
 *
 * `now` says milliseconds of a monotonic clock. What is given for the log has no pod content and no token.
 */
export async function admit(
  request: AdmitRequest,
  { find, now }: { readonly find: FindService; readonly now: () => number },
): Promise<Reply & { readonly log: AdmissionRecord }> {
  const started = now();
  const timeout = parseTimeout(request.query["timeout"]);
  const route = parseRoute(request.path);
  const revision = route?.revision ?? DEFAULT_REVISION;
  // Also called for an unknown path, without a token, so that every refusal costs the same.
  const service = await find({ token: route?.token, revision, timeout });
  const { requestId } = request;
  const audit = requestId === undefined ? NO_AUDIT : { "request-id": requestId };
  const { answer, taken } =
    route === undefined || service === undefined
      ? { answer: NOT_FOUND, taken: undefined }
      : answerRoute(request, { parameters: parsePathParameters(route.path), service, audit });
  const milliseconds = now() - started;
  const reply = canRetry(milliseconds, timeout) ? answer.reply : withoutRetry(answer.reply);
  return { ...reply, log: recordOf(answer, taken, requestId, milliseconds, milliseconds > timeout) };
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Answer extends Pick<AdmissionRecord, "decision" | "reason" | "templates" | "error" | "regressed"> {
  readonly reply: Reply;
  readonly review: AdmissionRequest | undefined;
}

/** A route that the caller may use, and the service that answers it. */
interface OpenRoute {
  readonly parameters: Readonly<Record<string, string>>;
  readonly service: Service;
  /** Audit annotations of every review. */
  readonly audit: Readonly<Record<string, string>>;
}

const NO_AUDIT = Object.freeze({});

const NOT_FOUND: Answer = {
  reply: { status: 404, headers: TEXT_HEADERS, body: "Not found\n" },
  decision: "refused",
  review: undefined,
  reason: "token-unknown",
};

/** The answer, and the route with the service that gave it: of a share, that is known when the pod is. */
function answerRoute(request: AdmitRequest, route: OpenRoute): { readonly answer: Answer; readonly taken: OpenRoute } {
  let review: AdmissionRequest | undefined;
  let taken = route;
  try {
    if (request.method !== "POST")
      throw new OutriggerError("method-unsupported", "Only POST is answered here: send an AdmissionReview");
    assertContentType(request.headers["content-type"]);
    review = decodeReview(readBody(request.body, request.isBase64 === true));
    if (route.service.forPod !== undefined) taken = routeFor(review, route);
    return { answer: answerReview(review, taken), taken };
  } catch (error) {
    const own = taken === route || review === undefined ? undefined : answerByOwn(review, route, taken, error);
    if (own !== undefined) return { answer: own, taken: route };
    const blamed = review === undefined ? error : blameCaller(error, review, taken.parameters);
    return { answer: answerError(blamed, review, taken), taken };
  }
}

/**
 * Answers with the channel's own release if that of a share fails. A release that is tried costs no pod its sidecar,
 * and each such pod shows that it is worse. The result is undefined if both fail: the pod would have been rejected
 * before.
 */
function answerByOwn(
  review: AdmissionRequest,
  own: OpenRoute,
  { service }: OpenRoute,
  error: unknown,
): Answer | undefined {
  try {
    const regressed = { release: service.release, error };
    return { ...answerReview(review, { ...own, audit: { ...own.audit, regressed: service.release } }), regressed };
  } catch {
    return undefined;
  }
}

/**
 * Returns the route with the service for the pod's workload. It is the same route if the workload belongs to no share.
 */
function routeFor({ pod, namespace }: AdmissionRequest, route: OpenRoute): OpenRoute {
  const chosen = route.service.forPod?.({ pod, namespace });
  return chosen === undefined ? route : { ...route, service: { ...route.service, ...chosen } };
}

function assertContentType(contentType: string | undefined): void {
  if (contentType === "application/json") return;
  const mediaType = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw new OutriggerError("content-type-unsupported", "The content type is not application/json");
  }
}

function answerReview(review: AdmissionRequest, { parameters, service, audit }: OpenRoute): Answer {
  const { pod, namespace } = review;
  const { cluster, release } = service;
  const result = service.inject({ pod, namespace, parameters, release, ...(cluster === undefined ? {} : { cluster }) });
  if (!result.injected) {
    const { reason, label } = result;
    const body = encodeAllowed(review, undefined, { decision: "skipped", reason, label, release, ...audit }, []);
    return { reply: { status: 200, headers: REVIEW_HEADERS, body }, decision: "skipped", review, reason };
  }
  const { templates } = result;
  const warnings = service.warnings === undefined ? result.warnings : [...service.warnings, ...result.warnings];
  // An empty patch is left out: the pod needs no change.
  const patchText = result.patchText === EMPTY_PATCH ? undefined : result.patchText;
  const said = { decision: "injected", release, templates: templates.join(","), ...audit };
  const body = encodeAllowed(review, patchText, said, warnings);
  if (body.length > MAX_ANSWER) {
    const message = `The patch for this pod takes ${body.length} bytes and may take ${MAX_ANSWER}: make its annotations, commands and variables shorter`;
    throw new OutriggerError("pod-invalid", message);
  }
  return { reply: { status: 200, headers: REVIEW_HEADERS, body }, decision: "injected", review, templates };
}

function answerError(error: unknown, review: AdmissionRequest | undefined, { service, audit }: OpenRoute): Answer {
  const outcome = outcomeOf(error);
  const reason = error instanceof OutriggerError ? error.code : "bug";
  if (outcome.kind === "denied" && review !== undefined) {
    const { path } = error as OutriggerError;
    const denial = { ...outcome, message: messageOf(error), path: path?.slice(0, MAX_MESSAGE) };
    const body = encodeDenied(review, denial, { decision: "denied", reason, release: service.release, ...audit });
    return { reply: { status: 200, headers: REVIEW_HEADERS, body }, decision: "denied", review, reason, error };
  }
  const status = outcome.kind === "http" ? outcome.status : 500;
  const reply = { status, headers: headersOf(outcome), body: `${messageOf(error)}\n` };
  return { reply, decision: status < 500 ? "refused" : "failed", review, reason, error };
}

function headersOf(outcome: Outcome): Readonly<Record<string, string>> {
  if (outcome.kind !== "http") return TEXT_HEADERS;
  if (outcome.status === 405) return { ...TEXT_HEADERS, allow: "POST" };
  const { retryAfter } = outcome;
  return retryAfter === undefined ? TEXT_HEADERS : { ...TEXT_HEADERS, "retry-after": String(retryAfter) };
}

function withoutRetry(reply: Reply): Reply {
  if (reply.headers["retry-after"] === undefined) return reply;
  const { "retry-after": _, ...headers } = reply.headers;
  return { ...reply, headers };
}

/**
 * Returns the text of a failed call, which API servers show in its event. The text of an unexpected error may hold pod
 * content.
 */
function messageOf(error: unknown): string {
  return error instanceof OutriggerError
    ? error.message.slice(0, MAX_MESSAGE)
    : "Cannot answer because of a bug in Outrigger: its log has the stack under this review's uid";
}

function recordOf(
  answer: Answer,
  route: OpenRoute | undefined,
  requestId: string | undefined,
  milliseconds: number,
  late: boolean,
): AdmissionRecord {
  // Field by field: what an answer has besides is not for the log.
  const { reply, review, decision, reason, templates, error, regressed } = answer;
  const { cluster, release = "", tokenSlot, served, storeError } = route?.service ?? {};
  return {
    uid: review?.uid ?? "",
    ...(requestId === undefined ? {} : { requestId }),
    cluster: cluster?.name ?? route?.parameters["ISTIO_META_CLUSTER_ID"] ?? "",
    namespace: review?.namespace ?? "",
    name: review?.name ?? "",
    decision,
    status: reply.status,
    ...(reason === undefined ? {} : { reason }),
    release,
    ...(templates === undefined ? {} : { templates }),
    milliseconds,
    ...(late ? { late } : {}),
    ...(tokenSlot === undefined ? {} : { tokenSlot }),
    ...(served === undefined ? {} : { served }),
    ...(storeError === undefined ? {} : { storeError }),
    ...(error === undefined ? {} : { error }),
    ...(regressed === undefined ? {} : { regressed }),
  };
}
