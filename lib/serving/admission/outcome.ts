// The outcome table: how each fault is answered. lib/base/error-codes.ts says whose fault an error is, the error itself has the
// words, and review.ts and admit.ts write the bytes.
import { type CodeOf, type Fault, faultOf, OutriggerError } from "@outrigger/base";
import { decodePod } from "@outrigger/injector";
import { faultOfParameters } from "./path-parameters.ts";
import type { AdmissionRequest } from "./review.ts";

/**
 * The outcome of an error. `denied` rejects the pod whatever failurePolicy says; `http` leaves the pod to
 * failurePolicy.
 */
export type Outcome =
  | { readonly kind: "denied"; readonly code: number; readonly reason: string }
  | { readonly kind: "http"; readonly status: number; readonly retryAfter?: number };

/**
 * | whose fault                            | outcome                        | who decides   |
 * |----------------------------------------|--------------------------------|---------------|
 * | the caller's: not a review, too large… | 400, 404, 405, 413, 415        | failurePolicy |
 * | the pod author's                       | 200, review denied with 422    | Outrigger     |
 * | a parameter of the webhook's URL       | 200, review denied with 400    | Outrigger     |
 * | the operator's, or a bug               | 500                            | failurePolicy |
 * | temporary: a retry can succeed         | 500 with `Retry-After: 1`      | failurePolicy |
 *
 * API servers retry a 5xx with `Retry-After` up to ten times with the same body, so a fault that will repeat never has
 * that header. A passed deadline does not have it either, because all retries share the deadline; and admit.ts leaves it out where
 * they would not fit.
 */
const OUTCOMES: Readonly<Record<Exclude<Fault, "caller" | "token">, Outcome>> = {
  author: { kind: "denied", code: 422, reason: "Invalid" },
  // As with Istio, whose injected pod an API server rejects: under Ignore, a 500 would let every pod in without its sidecar.
  url: { kind: "denied", code: 400, reason: "BadRequest" },
  operator: { kind: "http", status: 500 },
  circumstance: { kind: "http", status: 500 },
  outage: { kind: "http", status: 500, retryAfter: 1 },
  user: { kind: "http", status: 500 },
  bug: { kind: "http", status: 500 },
};

/** HTTP statuses for requests that cannot be answered with a review. */
const STATUSES: Readonly<Record<CodeOf<"caller" | "token">, number>> = {
  "review-invalid": 400,
  "review-too-large": 413,
  "content-type-unsupported": 415,
  "method-unsupported": 405,
  "token-unknown": 404,
};

/** Returns the outcome of anything thrown. An error that is no OutriggerError is a bug. */
export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof OutriggerError)) return OUTCOMES.bug;
  const fault = faultOf(error.code);
  if (fault !== "caller" && fault !== "token") return OUTCOMES[fault];
  return { kind: "http", status: STATUSES[error.code as keyof typeof STATUSES] };
}

/**
 * The types of a pod are not checked before injection: an API server sends what it has decoded. If injection fails, a pod
 * with wrong types is the first cause to look for, because then neither the operator nor Outrigger is at fault. The second is
 * the URL.
 */
export function blameCaller(
  error: unknown,
  { pod }: Pick<AdmissionRequest, "pod">,
  parameters: Readonly<Record<string, string>>,
): unknown {
  const outcome = outcomeOf(error);
  const isJudged = outcome.kind === "denied" ? (error as OutriggerError).code !== "pod-invalid" : outcome.status < 500;
  if (isJudged) return error;
  try {
    decodePod(pod, "encoded");
    return outcome.kind === "denied" ? error : (faultOfParameters(parameters) ?? error);
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) return error;
    const said = (fault: OutriggerError["logged"]) => ({
      message: `The AdmissionReview's object is not a Pod: ${fault?.message}`,
      path: `request.object.${fault?.path ?? ""}`,
    });
    const { message, path } = said(cause);
    return new OutriggerError("review-invalid", message, { path, cause, logged: said(cause.logged) });
  }
}
