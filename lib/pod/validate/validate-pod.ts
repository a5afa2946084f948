// Whether an API server would create a pod, and if not, why. Types and unknown fields are check-pod.ts' business.
// Mirrors core/validation's ValidatePodCreate of Kubernetes 1.36, after defaulting and with the feature gates' defaults.
// Where versions differ, the most lenient of those that EKS supports decides.
import { isObject, type JsonObject } from "@outrigger/base";
import type { ObjectMeta, Pod, PodSpec } from "../generated/pod-types.ts";
import { type Check, type PodViolation, report } from "./check.ts";
import { asObject, asText, isPresent } from "./go-values.ts";
import { checkMetadata } from "./metadata/metadata.ts";
import { checkPodAnnotations } from "./metadata/pod-annotations.ts";
import { checkPodSpec } from "./spec/pod-spec.ts";

export type { PodViolation } from "./check.ts";

interface ValidateOptions {
  /** Whether the pod is a workload's template. It has no name: the workload's controller gives it one. */
  readonly isTemplate?: boolean;
}

const NOTHING = {};

/**
 * Returns the violations for which an API server would refuse the pod. Absent fields count as defaulted, null ones as
 * absent. Values of a wrong type are skipped, because such an object is no pod.
 *
 * @returns at most 50 violations; none when the pod would be created
 */
export function validatePod(pod: unknown, options: ValidateOptions = NOTHING): readonly PodViolation[] {
  return findViolations(pod, NOTHING, options);
}

/**
 * The violations that a change of a pod has brought in: what is wrong in `before` too is left out, whatever it is.
 * Subtrees that are the same nodes here and there are not read again, save where they refer to something that has
 * changed, so that only what a change touched costs time.
 */
export function introducedViolations(
  pod: unknown,
  before: unknown,
  options: ValidateOptions = NOTHING,
): readonly PodViolation[] {
  if (pod === before) return [];
  const found = findViolations(pod, isObject(before) ? before : NOTHING, options);
  if (found.length === 0) return found;
  const known = countKeys(before, validatePod(before, options));
  if (known.size === 0) return found;
  const all = countKeys(pod, validatePod(pod, options));
  return found.filter((violation) => {
    const key = violationKey(pod, violation);
    const count = all.get(key) ?? 0;
    all.set(key, count - 1);
    return count > (known.get(key) ?? 0);
  });
}

function findViolations(pod: unknown, before: JsonObject, options: ValidateOptions): readonly PodViolation[] {
  const check: Check = { steps: [], violations: [] };
  const [now, old] = [asObject(pod) as Pod, before as Pod];
  const metadata = asObject(now.metadata) as ObjectMeta;
  const known = { metadata: asObject(old.metadata) as ObjectMeta, spec: asObject(old.spec) as PodSpec };
  check.steps.push("metadata");
  checkMetadata(metadata, check, known.metadata, options.isTemplate === true);
  check.steps.pop();
  checkPodAnnotations(now, check);
  check.steps.push("spec");
  checkPodSpec(asObject(now.spec) as PodSpec, check, metadata, known);
  check.steps.pop();
  return check.violations;
}

function countKeys(pod: unknown, violations: readonly PodViolation[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of violations.map((each) => violationKey(pod, each))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** A violation in terms that do not change when items are put before others: by their names in place of indices. */
export function violationKey(pod: unknown, { steps, code, message }: PodViolation): string {
  const names: unknown[] = [];
  let at: unknown = pod;
  for (const step of steps) {
    at = typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[step] : undefined;
    // A container without a name is like any other without one, whatever was injected into it.
    names.push(typeof step === "number" ? nameOf(at, names.length > CONTAINER_DEPTH) : step);
  }
  return JSON.stringify([names, code, message]);
}

/** The number of steps to the index of a container: it is the third step of `spec.containers[0]`. */
const CONTAINER_DEPTH = 2;

function nameOf(item: unknown, isKnownByContent: boolean): unknown {
  if (isObject(item) && typeof item["name"] === "string") return { name: item["name"] };
  return isKnownByContent ? { item } : null;
}

/**
 * Returns the violations for which an API server would refuse a pod that a webhook has changed: those that the pod did
 * not have before, and changes that no webhook may make. What was wrong before is left out.
 *
 * @returns at most 53 violations, those of the pod itself first
 * @example
 * ```ts
 * validateChange({ spec: { containers: [{ name: "a b", image: "i" }] } }, { spec: { containers: [{ name: "a", image: "i" }] } }, { isTemplate: true }).map(({ path }) => path) // => ["spec.containers[0].name"]
 * ```
 */
export function validateChange(pod: Pod, before: Pod, options?: ValidateOptions): readonly PodViolation[] {
  const introduced = introducedViolations(pod, before, options);
  const changes = changeViolations(pod, before);
  return changes.length === 0 ? introduced : [...introduced, ...changes];
}

/** Returns the changes that no webhook may make although the pod itself would be valid: at most three. */
export function changeViolations(pod: Pod, before: Pod): readonly PodViolation[] {
  const [metadata, oldMetadata] = [asObject(pod.metadata) as ObjectMeta, asObject(before.metadata) as ObjectMeta];
  const [spec, oldSpec] = [asObject(pod.spec) as PodSpec, asObject(before.spec) as PodSpec];
  const check: Check = { steps: [], violations: [] };
  if (isMoved(metadata.namespace, oldMetadata.namespace)) {
    const message = "must not be changed: a pod is created in the namespace of the request";
    report(check, "forbidden", message, "metadata", "namespace");
  }
  if (isOtherVersion(metadata.resourceVersion, oldMetadata.resourceVersion)) {
    report(check, "forbidden", "must not be set: it is for objects that exist", "metadata", "resourceVersion");
  }
  if (isPresent(spec.overhead) && !isPresent(spec.runtimeClassName) && !isPresent(oldSpec.overhead)) {
    const message = "must not be set without a runtimeClassName whose RuntimeClass has this overhead";
    report(check, "forbidden", message, "spec", "overhead");
  }
  return check.violations;
}

/** apiserver registry/rest: EnsureObjectNamespaceMatchesRequestNamespace. Without a namespace, the request's is set. */
function isMoved(namespace: unknown, before: unknown): boolean {
  return namespace !== before && asText(namespace) !== "" && asText(before) !== "";
}

/** apiserver storage: ErrResourceVersionSetOnCreate. A text that is no number, and 0, are ignored. */
function isOtherVersion(version: unknown, before: unknown): boolean {
  return version !== before && /^\d+$/.test(asText(version)) && !/^0+$/.test(asText(version));
}
