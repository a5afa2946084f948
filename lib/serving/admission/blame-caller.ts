// Whose fault a failed injection is, once the pod and the URL are looked at more closely.
import { OutriggerError } from "@outrigger/base";
import { decodePod } from "@outrigger/injector";
import { outcomeOf } from "./outcome.ts";
import { faultOfParameters } from "./path-parameters.ts";
import type { AdmissionRequest } from "./review.ts";

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
    const path = `request.object.${cause.path ?? ""}`;
    return new OutriggerError("review-invalid", `The AdmissionReview's object is not a Pod: ${cause.message}`, {
      path,
      cause,
      logged: {
        message: `The AdmissionReview's object is not a Pod: ${cause.logged?.message}`,
        path: `request.object.${cause.logged?.path ?? ""}`,
      },
    });
  }
}
