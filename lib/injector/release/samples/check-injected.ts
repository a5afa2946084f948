// Whether an API server accepts the pod that an injection makes of a sample, and which overlay wrote what it rejects.

import { type FieldPath, isObject, type JsonValue, jsonEqual, listOf, objectOf, valueAt } from "@outrigger/base";
import { POD_TYPE, type Pod, type PodViolation, type TypeSchema, validateChange } from "@outrigger/pod";
import type { Rendering } from "../blame/blame-field.ts";

export interface InjectedFault {
  /** The rendering that wrote the field; undefined if post-processing or the pod itself did. */
  readonly from: Rendering | undefined;
  /** Keys and indexes in the overlay, or in the pod where no overlay wrote the field. */
  readonly steps: FieldPath;
  /** The fault and how to fix it: half a sentence that starts with a field path of the overlay. */
  readonly reason: string;
  /** The field that the overlay deletes at `steps`, if that is the cause. */
  readonly deletes?: string;
  /** The entry of an overlay that makes a field wrong which no overlay wrote. */
  readonly cause?: { readonly from: Rendering; readonly steps: FieldPath };
  /** Identifies the fault in different combinations of templates. */
  readonly key: string;
}

/** The violations that the injection added; a violation of the sample itself is not one of them. */
export function injectedFaults(pod: Pod, sample: Pod, renderings: readonly Rendering[]): readonly InjectedFault[] {
  const violations = [...validateChange(pod, sample, { isTemplate: true }), ...priorityViolations(sample, renderings)];
  return violations.map((violation) => {
    const [from, steps] = writerOf(violation, pod, renderings);
    return {
      from,
      steps: steps ?? violation.steps,
      reason: `${fieldName(violation, pod)} ${violation.message}`,
      key: JSON.stringify([fieldName(violation, pod), violation.message]),
    };
  });
}

/**
 * The Priority admission plugin sets `priority` before webhooks are called. It runs again after them, and rejects a pod
 * whose priority is not that of its class. Samples do not have the priority that all pods then have.
 */
function priorityViolations(sample: Pod, renderings: readonly Rendering[]): readonly PodViolation[] {
  const specs = renderings.map(({ overlay }) => objectOf(overlay["spec"]));
  const name = specs.findLast((spec) => typeof spec["priorityClassName"] === "string")?.["priorityClassName"];
  if (name === undefined || name === "" || name === sample.spec?.priorityClassName) return [];
  if (specs.some((spec) => typeof spec["priority"] === "number")) return [];
  const message =
    "needs spec.priority with the value of the class: the pod has another priority since before it is injected";
  return [{ path: "spec.priorityClassName", code: "forbidden", message, steps: ["spec", "priorityClassName"] }];
}

/** The last of the renderings that reach deepest towards the field, and the field's steps in it. */
export function writerOf({ steps }: Pick<PodViolation, "steps">, pod: Pod, renderings: readonly Rendering[]) {
  let best: readonly [Rendering | undefined, FieldPath | undefined] = [undefined, undefined];
  for (const rendering of renderings) {
    const found = overlaySteps(rendering.overlay, pod, steps);
    // `spec` and `spec.containers` alone say nothing about who wrote an item.
    if (found.length >= Math.min(2, steps.length) && found.length >= (best[1]?.length ?? 0)) best = [rendering, found];
  }
  const [, found] = best;
  const isItem = steps.some((step) => typeof step === "number");
  const reachesItem = found?.some((step) => typeof step === "number") === true;
  return isItem && !reachesItem ? ([undefined, undefined] as const) : best;
}

/** The steps in the overlay that lead to a field of the merged pod, as far as the overlay has it. */
function overlaySteps(overlay: JsonValue, pod: unknown, steps: FieldPath): FieldPath {
  const found: (string | number)[] = [];
  let [at, merged, type]: [JsonValue | undefined, unknown, TypeSchema | undefined] = [overlay, pod, POD_TYPE];
  let field: ReturnType<TypeSchema["fields"]["get"]>;
  for (const step of steps) {
    const next = valueAt(merged, [step]);
    const own: string | number | undefined =
      typeof step === "number" ? itemStep(listOf(at), step, next, field?.mergeKey) : step;
    if (own === undefined) break;
    const value = valueAt(at, [own]);
    if (value === undefined) break;
    found.push(own);
    field = typeof step === "string" ? type?.fields.get(step) : field;
    type = typeof step === "string" ? (field?.type ?? type?.element) : type?.element;
    [at, merged] = [value, next];
  }
  return found;
}

function itemStep(
  list: readonly JsonValue[],
  index: number,
  item: JsonValue | undefined,
  mergeKey: string | undefined,
) {
  if (mergeKey === undefined) return index < list.length ? index : undefined;
  const key = isObject(item) ? item[mergeKey] : undefined;
  const found = list.flatMap((own, at) => (isObject(own) && own[mergeKey] === key ? [at] : []));
  // Two of one key: the one that is the same in all fields.
  return found.find((at) => found.length > 1 && jsonEqual(list[at], item)) ?? found[0];
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
