// The outcome table: how each kind of error is answered. The error itself has the words; review.ts and admit.ts write the
// bytes.
import { type ErrorCode, entryOf, OutriggerError } from "@outrigger/base";
import { decodePod } from "@outrigger/injector";
import type { AdmissionRequest } from "./review.ts";
import { faultOfParameters } from "./route.ts";

/** `denied` rejects the pod whatever failurePolicy says; `http` leaves the pod to failurePolicy. */
export type Outcome =
  | { readonly kind: "denied"; readonly code: number; readonly reason: string }
  | { readonly kind: "http"; readonly status: number; readonly retryAfter?: number };

const MALFORMED: Outcome = { kind: "http", status: 400 };
const AUTHOR: Outcome = { kind: "denied", code: 422, reason: "Invalid" };
/** As with Istio, whose injected pod an API server rejects: under Ignore, a 500 would let every pod in without its sidecar. */
const URL: Outcome = { kind: "denied", code: 400, reason: "BadRequest" };
const OPERATOR: Outcome = { kind: "http", status: 500 };
const BUG: Outcome = { kind: "http", status: 500 };

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
const OUTCOMES: Readonly<Record<Exclude<ErrorCode, OperatorCode>, Outcome>> = {
  "review-invalid": MALFORMED,
  "review-too-large": { kind: "http", status: 413 },
  "content-type-unsupported": { kind: "http", status: 415 },
  "method-unsupported": { kind: "http", status: 405 },
  "token-unknown": { kind: "http", status: 404 },
  "url-invalid": URL,
  "annotation-invalid": AUTHOR,
  "template-unknown": AUTHOR,
  "pod-invalid": AUTHOR,
  "store-unavailable": { kind: "http", status: 500, retryAfter: 1 },
  "deadline-exceeded": { kind: "http", status: 500 },
  usage: BUG,
  "manifest-invalid": BUG,
  "listen-failed": BUG,
  "patch-check-failed": BUG,
};

/** What the operator can fix: a new code is either one of these or in the table. */
type OperatorCode =
  | ("tree-invalid" | "tag-unclosed" | "config-invalid" | "values-invalid" | "mesh-invalid" | "yaml-invalid")
  | ("template-invalid" | "template-render" | "overlay-invalid" | "release-unsupported" | "release-unknown")
  | ("store-denied" | "store-corrupt" | "store-full" | "parameter-exists" | "parameter-refused" | "parameter-downgrade")
  | ("tree-half-pushed" | "tree-changed" | "channel-unknown" | "channel-moved" | "channel-pinned" | "edit-held")
  | ("guardrail-violated" | "aws-denied" | "aws-unavailable" | "endpoint-unfit" | "interrupted" | "findings")
  | ("cluster-invalid" | "cluster-unknown" | "cluster-unreachable" | "cluster-denied" | "cluster-conflict")
  | ("cluster-refused" | "cluster-kind-unknown" | "cluster-list-expired" | "cluster-webhook-failed");

/** The outcome of anything thrown: an error that is no OutriggerError is a bug. */
export function outcomeOf(error: unknown): Outcome {
  return error instanceof OutriggerError ? (entryOf(OUTCOMES, error.code) ?? OPERATOR) : BUG;
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
