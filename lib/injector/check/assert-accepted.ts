// Whether an API server accepts an injected pod. It rejects an invalid pod whatever the failurePolicy is, and its message
// does not mention the injection: the error from here names what the pod's author can change.

import { OutriggerError } from "@outrigger/base";
import { type Pod, type PodViolation, validateChange, validatePod, violationKey } from "@outrigger/pod";
import { type AuthoredPart, findCause } from "./authored-parts.ts";

/** Injects a pod without checking what comes out. */
export type TryInject = (pod: Pod) => Pod;

/** The name of a pod is not the injection's business. */
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
  throw rejection(
    violation,
    findCause(author, (rest) => !hasViolation(rest, key, inject)),
  );
}

/** Whether the same is still wrong. A pod that cannot be injected shows nothing. */
function hasViolation(author: Pod, key: string, inject: TryInject): boolean {
  let pod: Pod;
  try {
    pod = inject(author);
  } catch {
    return true;
  }
  return validateChange(pod, author, OPTIONS).some((violation) => violationKey(pod, violation) === key);
}

function rejection(violation: PodViolation, cause: AuthoredPart | undefined): OutriggerError {
  const remedy = (shown: string | undefined) =>
    shown === undefined ? "correct the template that renders it" : `change ${shown}, which the injection depends on`;
  const rejected = "Cannot inject: an API server would reject the injected pod";
  return new OutriggerError(
    cause?.code ?? "overlay-invalid",
    `${rejected}: ${violation.path} ${violation.message}; ${remedy(cause?.path)}`,
    {
      path: cause?.path ?? violation.path,
      // A path and a message hold names that the author chose.
      logged: {
        message: `${rejected}: a field in ${fieldOf(violation)} is ${violation.code}; ${remedy(cause?.loggedPath)}`,
        path: cause?.loggedPath ?? fieldOf(violation),
      },
    },
  );
}

/** `spec.containers`: as far as no name of the author's can be in it. */
function fieldOf({ steps }: PodViolation): string {
  return steps.slice(0, 2).join(".");
}
