// Whether an API server accepts the pod that an injection makes of a sample, and which overlay wrote what it rejects.

import { type FieldPath, isObject, objectOf, valueAt } from "@outrigger/base";
import { isImageReference, type Pod, type PodViolation, validateChange } from "@outrigger/pod";
import type { Rendering } from "../blame/blame-field.ts";
import { type Written, writerOf } from "../blame/writer-of.ts";

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
  /** Whether an API server accepts the pod, and its image cannot be pulled. */
  readonly isImage?: boolean;
  /** Identifies the fault in different combinations of templates. */
  readonly key: string;
}

/** The violations that the injection added; a violation of the sample itself is not one of them. */
export function injectedFaults<From extends Written>(
  pod: Pod,
  sample: Pod,
  renderings: readonly From[],
): readonly InjectedFault<From>[] {
  const images = imageViolations(pod, sample);
  const violations = [
    ...validateChange(pod, sample, { isTemplate: true }),
    ...priorityViolations(sample, renderings),
    ...images,
  ];
  return violations.map((violation) => {
    const [from, steps] = writerOf(violation, pod, renderings);
    return {
      from,
      steps: steps ?? violation.steps,
      code: violation.code,
      isImage: images.includes(violation),
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

/** An API server takes any text as an image; a pod whose image has no name of one never starts. */
function imageViolations(pod: Pod, sample: Pod): readonly PodViolation[] {
  return (["initContainers", "containers"] as const).flatMap((list) => {
    const own = new Set(sample.spec?.[list]?.map(({ image }) => image));
    return (pod.spec?.[list] ?? []).flatMap(({ image }, at): readonly PodViolation[] => {
      // A missing image, and one with blanks around it, is a violation already.
      const isJudged = typeof image === "string" && image !== "" && image.trim() === image && !own.has(image);
      if (!isJudged || isImageReference(image)) return [];
      const message = `must be the name of an image, like registry.example/agent:1.2: ${JSON.stringify(image)} cannot be pulled`;
      const steps = ["spec", list, at, "image"];
      return [{ path: `spec.${list}[${at}].image`, code: "invalid", message, steps }];
    });
  });
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
