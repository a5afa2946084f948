// Whether an API server accepts the pod that an injection makes of a sample, and which overlay wrote what it rejects.

import { defined, type FieldPath, isObject, objectOf, valueAt } from "@outrigger/base";
import { type Pod, type PodViolation, validateChange } from "@outrigger/pod";
import type { Rendering } from "../blame/blame-field.ts";
import { type Written, writerOf } from "../blame/writer-of.ts";
import { type TextViolation, textViolations } from "./check-texts.ts";

export interface InjectedFault<From extends Written = Rendering> {
  /** The rendering that wrote the field; undefined if post-processing or the pod itself did. */
  readonly from: From | undefined;
  /** Keys and indexes in the overlay, or in the pod where no overlay wrote the field. */
  readonly steps: FieldPath;
  readonly code: PodViolation["code"];
  /** What is wrong: half a sentence that starts with a field path of the overlay. */
  readonly reason: string;
  /** The field that the overlay deletes at `steps`, if that is the cause. */
  readonly deletes?: string;
  /** The entry of an overlay that makes a field wrong which no overlay wrote. */
  readonly cause?: { readonly from: From; readonly steps: FieldPath };
  /** What an API server accepts, and nothing can read. */
  readonly isUnread?: true;
  /** Identifies the fault in different combinations of templates. */
  readonly key: string;
}

/** Says of a fault what it keeps the pod from. */
export function describeFault({ isUnread, reason }: Pick<InjectedFault, "isUnread" | "reason">): string {
  const end = isUnread === undefined ? "an API server rejects the injected pod" : "the injected pod cannot start";
  return `${end}: ${reason}`;
}

/** The beginning of what {@link describeFault} says. */
export const FAULT_LEAD = "(?:an API server rejects the injected pod|the injected pod cannot start): ";

/** The violations that the injection added; a violation of the sample itself is not one of them. */
export function injectedFaults<From extends Written>(
  pod: Pod,
  sample: Pod,
  renderings: readonly From[],
): readonly InjectedFault<From>[] {
  const violations: readonly (PodViolation & Partial<TextViolation>)[] = [
    ...validateChange(pod, sample, { isTemplate: true }),
    ...priorityViolations(sample, renderings),
    ...textViolations(pod, sample),
  ];
  return violations.map((violation) => {
    const [from, steps] = writerOf(violation, pod, renderings);
    return {
      from,
      steps: steps ?? violation.steps,
      code: violation.code,
      ...defined({ isUnread: violation.isUnread }),
      reason: `${fieldName(violation, pod)} ${violation.message}`,
      key: JSON.stringify([fieldName(violation, pod), violation.message]),
    };
  });
}

/**
 * The Priority admission plugin sets `priority` before webhooks are called. It runs again after them, and rejects a pod
 * whose priority is not that of its class. Samples do not have the priority that all pods then have.
 */
function priorityViolations(sample: Pod, renderings: readonly Written[]): readonly PodViolation[] {
  const specs = renderings.map(({ overlay }) => objectOf(overlay["spec"]));
  const name = specs.findLast((spec) => typeof spec["priorityClassName"] === "string")?.["priorityClassName"];
  if (name === undefined || name === "" || name === sample.spec?.priorityClassName) return [];
  if (specs.some((spec) => typeof spec["priority"] === "number")) return [];
  const message =
    "needs spec.priority with the value of the class: the pod has another priority since before it is injected";
  return [{ path: "spec.priorityClassName", code: "forbidden", message, steps: ["spec", "priorityClassName"] }];
}

/**
 * Returns a field's path with the names of items, because indexes differ between pods:
 * `spec.containers[agent].ports[0].containerPort`
 */
function fieldName({ steps }: PodViolation, pod: Pod): string {
  let at: unknown = pod;
  let name = "";
  for (const step of steps) {
    at = valueAt(at, [step]);
    if (typeof step === "string")
      name += name === "" ? step : /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    else name += `[${(isObject(at) && typeof at["name"] === "string" && at["name"]) || step}]`;
  }
  return name;
}
