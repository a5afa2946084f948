// Whether an API server would create a pod as a webhook has changed it.

import type { ObjectMeta, Pod, PodSpec } from "../generated/pod-types.ts";
import { type Check, type PodViolation, report } from "./check.ts";
import { introducedViolations, type ValidateOptions } from "./validate-pod.ts";
import { asObject, asText, isPresent } from "./zero-values.ts";

const NONE: readonly PodViolation[] = [];

/**
 * What an API server would refuse in a pod that a webhook has changed: violations of the pod that it did not have before, and
 * changes that no webhook may make. What was wrong before is left out.
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

/**
 * What a webhook may not change, though the pod itself would be valid. Nothing is allocated where there are none.
 *
 * @returns at most three
 */
export function changeViolations(pod: Pod, before: Pod): readonly PodViolation[] {
  const [metadata, oldMetadata] = [asObject(pod.metadata) as ObjectMeta, asObject(before.metadata) as ObjectMeta];
  const [spec, oldSpec] = [asObject(pod.spec) as PodSpec, asObject(before.spec) as PodSpec];
  const isOtherNamespace = isMoved(metadata?.namespace, oldMetadata?.namespace);
  const isVersioned = isOtherVersion(metadata?.resourceVersion, oldMetadata?.resourceVersion);
  const isLoneOverhead =
    isPresent(spec?.overhead) && !isPresent(spec.runtimeClassName) && !isPresent(oldSpec?.overhead);
  if (!isOtherNamespace && !isVersioned && !isLoneOverhead) return NONE;
  const check: Check = { steps: [], violations: [] };
  if (isOtherNamespace) report(check, "forbidden", OTHER_NAMESPACE, "metadata", "namespace");
  if (isVersioned) report(check, "forbidden", VERSIONED, "metadata", "resourceVersion");
  if (isLoneOverhead) report(check, "forbidden", LONE_OVERHEAD, "spec", "overhead");
  return check.violations;
}

const OTHER_NAMESPACE = "must not be changed: a pod is created in the namespace of the request";
const VERSIONED = "must not be set: it is for objects that exist";
const LONE_OVERHEAD = "must not be set without a runtimeClassName whose RuntimeClass has this overhead";

/** apiserver registry/rest: EnsureObjectNamespaceMatchesRequestNamespace. Without a namespace, the request's is set. */
function isMoved(namespace: unknown, before: unknown): boolean {
  return namespace !== before && asText(namespace) !== "" && asText(before) !== "";
}

/** apiserver storage: ErrResourceVersionSetOnCreate. A text that is no number, and 0, are ignored. */
function isOtherVersion(version: unknown, before: unknown): boolean {
  return version !== before && /^\d+$/.test(asText(version)) && !/^0+$/.test(asText(version));
}
