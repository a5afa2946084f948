// Whether a part of a pod can be copied, and whether an API server accepts an injected pod. It rejects an invalid pod whatever
// the failurePolicy is, and its message does not mention the injection: the error from here names what the author can change.

import { type FieldPath, isInexact, OutriggerError } from "@outrigger/base";
import { formatFieldPath, type Pod, validateChange, validatePod, violationKey } from "@outrigger/pod";
import { withContainer } from "../decode-pod.ts";
import { findCause } from "./authored-parts.ts";

/** Injects a pod without checking what comes out. */
type TryInject = (pod: Pod) => Pod;

/** The options of the validation. A pod's name is left out, because no injection sets it. */
const OPTIONS = { isTemplate: true };

/**
 * Checks what the injection changed.
 *
 * | the author's pod | the injected pod                          | outcome                                     |
 * |------------------|-------------------------------------------|---------------------------------------------|
 * | any              | nothing wrong that was not wrong before   | passes                                      |
 * | invalid          | invalid                                   | passes: the API server rejects it anyway    |
 * | valid            | invalid, but not without a part of the pod | denied, naming that part                   |
 * | valid            | invalid, whatever the author wrote        | an error of the template                    |
 *
 * @param inject runs only if an API server would reject the pod, to find the part of the pod that causes it
 * @throws OutriggerError `annotation-invalid` or `pod-invalid` if the author can fix it, otherwise `overlay-invalid`
 */
export function assertAccepted(pod: Pod, author: Pod, inject: TryInject): void {
  const [violation] = validateChange(pod, author, OPTIONS);
  if (violation === undefined || validatePod(author, OPTIONS).length > 0) return;
  const key = violationKey(pod, violation);
  const cause = findCause(author, (rest) => !hasViolation(rest, key, inject));
  const rejected = "Cannot inject: an API server would reject the injected pod";
  const remedy = (part: string | undefined) =>
    part === undefined ? "correct the template that renders it" : `change ${part}, which the injection depends on`;
  const part = cause && withContainer(cause.path, author);
  const message = `${rejected}: ${withContainer(violation.path, pod)} ${violation.message}; ${remedy(part)}`;
  // `spec.containers`: as far as no name of the author's can be in it. A path and a message hold names that the author chose.
  const field = violation.steps.slice(0, 2).join(".");
  const logged = {
    message: `${rejected}: a field in ${field} is ${violation.code}; ${remedy(cause?.loggedPath)}`,
    path: cause?.loggedPath ?? field,
  };
  throw new OutriggerError(cause?.code ?? "overlay-invalid", message, { path: cause?.path ?? violation.path, logged });
}

/**
 * Whether the injected pod still has the violation. A pod that cannot be injected shows nothing, and counts as one that
 * has it.
 */
function hasViolation(author: Pod, key: string, inject: TryInject): boolean {
  let pod: Pod;
  try {
    pod = inject(author);
  } catch {
    return true;
  }
  return validateChange(pod, author, OPTIONS).some((violation) => violationKey(pod, violation) === key);
}

/**
 * Refuses a part of the author's pod that has an integer that cannot be copied: Kubernetes has 64 bits for it, JavaScript 53, and a
 * patch or a record that holds one next to it would change the pod. What an injection leaves where it is may have any.
 *
 * @param name of the part, for the message
 * @throws OutriggerError `pod-invalid` with its field
 */
export function assertExact(part: unknown, name: string): void {
  const steps = inexactInteger(part);
  if (steps === undefined) return;
  const message = (field: string) =>
    `Cannot inject: ${field} of ${name} is copied, and must be at most ${Number.MAX_SAFE_INTEGER}`;
  const logged = { message: message("an integer"), path: "spec" };
  throw new OutriggerError("pod-invalid", message(formatFieldPath(steps)), { path: "spec", logged });
}

function inexactInteger(value: unknown): FieldPath | undefined {
  if (typeof value !== "object" || value === null) return isInexact(value) ? [] : undefined;
  for (const [key, child] of Object.entries(value)) {
    const steps = inexactInteger(child);
    if (steps !== undefined) return [Array.isArray(value) ? Number(key) : key, ...steps];
  }
  return undefined;
}
