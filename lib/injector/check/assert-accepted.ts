// Whether a part of a pod can be copied, and whether an API server accepts an injected pod. It rejects an invalid pod whatever
// the failurePolicy is, and its message does not mention the injection: the error from here names what the author can change.

import { type FieldPath, isInexact, type JsonObject, jsonEqual, OutriggerError, valueAt } from "@outrigger/base";
import { formatFieldPath, type Pod, validateChange, validatePod, violationKey } from "@outrigger/pod";
import { withContainer } from "../decode-pod.ts";
import { leaves } from "../release/values/trace-values.ts";
import { type FailedInjection, findOrigin } from "./value-origin.ts";

/** An injection that is to be judged, and how to ask what wrote what. */
export interface JudgedInjection extends Pick<FailedInjection, "isRead" | "injectedNames"> {
  /** Injects a pod without checking what comes out. */
  readonly inject: (pod: Pod) => Pod;
  /** How an error names the templates of the injection. */
  readonly templates: string;
  readonly values: JsonObject;
}

/** The options of the validation. A pod's name is left out, because no injection sets it. */
const OPTIONS = { isTemplate: true };

/**
 * Checks what the injection changed.
 *
 * | the author's pod | the injected pod                             | outcome                                     |
 * |------------------|----------------------------------------------|---------------------------------------------|
 * | any              | nothing wrong that was not wrong before      | passes                                      |
 * | invalid          | invalid                                      | passes: the API server rejects it anyway    |
 * | valid            | invalid, by a value that the author wrote    | denied, naming the annotation or field      |
 * | valid            | invalid, by what a template wrote            | an error of the template                    |
 *
 * An error of the template names a value of the tree as well, where that value alone has the text that is wrong.
 *
 * A value is the author's where it came from an annotation or label that is documented or that the template reads by its key, or from
 * a field of an injected container that the author named. A label that opens a branch is not the cause of what the branch writes.
 *
 * @param judge asked only if an API server would reject the pod
 * @throws OutriggerError `annotation-invalid` or `pod-invalid` if the author can fix it, otherwise `overlay-invalid`
 */
export function assertAccepted(pod: Pod, author: Pod, judge: () => JudgedInjection): void {
  const [violation] = validateChange(pod, author, OPTIONS);
  if (violation === undefined || validatePod(author, OPTIONS).length > 0) return;
  const { inject, templates, values, ...reads } = judge();
  const { steps, code } = violation;
  const key = violationKey(pod, violation);
  const origin = findOrigin({
    ...reads,
    author,
    injected: pod,
    steps,
    inject: (other) => injectedOrNone(other, inject),
    isWrong: (injected, other) =>
      validateChange(injected, other, OPTIONS).some(
        (each) => violationKey(injected, each) === key || (each.code === code && jsonEqual(each.steps, steps)),
      ),
  });
  const rejected = "Cannot inject: an API server would reject the injected pod";
  const wrong = String(valueAt(pod, steps));
  // Of a text that the pod has as well, nobody knows whence it came; and who writes a pod could ask for values by it.
  const faulty = JSON.stringify(author).includes(wrong) ? templates : valueWith(wrong, values) + templates;
  const remedy = (part: string | undefined) =>
    part === undefined ? `correct ${faulty}` : `change ${part}, which the injection depends on`;
  const part = origin && withContainer(origin.path, author);
  const message = `${rejected}: ${withContainer(violation.path, pod)} ${violation.message}; ${remedy(part)}`;
  // `spec.containers`: as far as no name of the author's can be in it. A path and a message hold names that the author chose.
  const field = steps.slice(0, 2).join(".");
  const logged = {
    message: `${rejected}: a field in ${field} is ${code}; ${remedy(origin?.loggedPath)}`,
    path: origin?.loggedPath ?? field,
  };
  const path = origin?.path ?? violation.path;
  throw new OutriggerError(origin?.code ?? "overlay-invalid", message, { path, logged });
}

/** Names the only value of the tree that is the wrong one: `value global.hub or `; empty where none is, or more than one. */
function valueWith(wrong: string, values: JsonObject): string {
  const [found, ...others] = leaves(values).filter(([, value]) => String(value) === wrong);
  return found && others.length === 0 ? `value ${formatFieldPath(found[0])} or ` : "";
}

/** A pod that cannot be injected shows nothing. */
function injectedOrNone(pod: Pod, inject: (pod: Pod) => Pod): Pod | undefined {
  try {
    return inject(pod);
  } catch {
    return undefined;
  }
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
