// Which nodes a pod wants, and which pods near it or far from it.
// Mirrors core/validation's validateAffinity.

import { listOf } from "@outrigger/base";
import type {
  Affinity,
  LabelSelector,
  NodeAffinity,
  NodeSelector,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PreferredSchedulingTerm,
  WeightedPodAffinityTerm,
} from "../../generated/pod-types.ts";
import { isDnsLabel, isQualifiedName, LABEL_FORM, QUALIFIED_FORM } from "../../names.ts";
import { type Check, checkField, checkItems, report } from "../check.ts";
import { checkLabelSelector, checkNodeSelectorTerm } from "../metadata/label-selectors.ts";
import { asNumber, asObject, asText } from "../zero-values.ts";

export type Labels = Readonly<Record<string, string>>;

export function checkAffinity(affinity: Affinity, check: Check, labels: Labels): void {
  checkField(check, "nodeAffinity", affinity.nodeAffinity, checkNodeAffinity, undefined);
  checkField(check, "podAffinity", affinity.podAffinity, checkPodAffinity, labels);
  checkField(check, "podAntiAffinity", affinity.podAntiAffinity, checkPodAffinity, labels);
}

/** core/validation: validateNodeAffinity. */
function checkNodeAffinity(affinity: NodeAffinity, check: Check): void {
  const { requiredDuringSchedulingIgnoredDuringExecution: required } = affinity;
  checkField(check, "requiredDuringSchedulingIgnoredDuringExecution", required, checkNodeSelector, undefined);
  const { preferredDuringSchedulingIgnoredDuringExecution: preferred } = affinity;
  checkItems(
    check,
    "preferredDuringSchedulingIgnoredDuringExecution",
    preferred,
    undefined,
    checkPreferredTerm,
    undefined,
  );
}

/** core/validation: ValidateNodeSelector. */
function checkNodeSelector({ nodeSelectorTerms }: NodeSelector, check: Check): void {
  if (listOf(nodeSelectorTerms).length === 0)
    report(check, "required", "must have at least one term", "nodeSelectorTerms");
  checkItems(check, "nodeSelectorTerms", nodeSelectorTerms, undefined, checkNodeSelectorTerm, false);
}

/** core/validation: ValidatePreferredSchedulingTerms. */
function checkPreferredTerm({ weight, preference }: PreferredSchedulingTerm, check: Check): void {
  checkWeight(weight, check);
  checkField(check, "preference", preference, checkNodeSelectorTerm, true);
}

function checkWeight(weight: unknown, check: Check): void {
  const value = asNumber(weight);
  if (value < 1 || value > 100) report(check, "invalid", "must be between 1 and 100", "weight");
}

/** core/validation: validatePodAffinity and validatePodAntiAffinity. */
function checkPodAffinity(affinity: PodAffinity | PodAntiAffinity, check: Check, labels: Labels): void {
  const { requiredDuringSchedulingIgnoredDuringExecution: required } = affinity;
  checkItems(check, "requiredDuringSchedulingIgnoredDuringExecution", required, undefined, checkPodTerm, labels);
  const { preferredDuringSchedulingIgnoredDuringExecution: preferred } = affinity;
  checkItems(check, "preferredDuringSchedulingIgnoredDuringExecution", preferred, undefined, checkWeightedTerm, labels);
}

/** core/validation: validateWeightedPodAffinityTerms. */
function checkWeightedTerm({ weight, podAffinityTerm }: WeightedPodAffinityTerm, check: Check, labels: Labels): void {
  checkWeight(weight, check);
  check.steps.push("podAffinityTerm");
  checkPodTerm(asObject(podAffinityTerm), check, labels);
  check.steps.pop();
}

/** core/validation: validatePodAffinityTerm. */
function checkPodTerm(term: PodAffinityTerm, check: Check, labels: Labels): void {
  const { labelSelector, matchLabelKeys, mismatchLabelKeys } = term;
  checkField(check, "labelSelector", labelSelector, checkLabelSelector, undefined);
  checkField(check, "namespaceSelector", term.namespaceSelector, checkLabelSelector, undefined);
  for (const [at, name] of listOf(term.namespaces).entries()) {
    if (!isDnsLabel(asText(name))) report(check, "invalid", LABEL_FORM, "namespaces", at);
  }
  checkLabelKeys("matchLabelKeys", matchLabelKeys, labelSelector, check);
  checkLabelKeys("mismatchLabelKeys", mismatchLabelKeys, labelSelector, check);
  checkSelectorOverlap(matchLabelKeys, mismatchLabelKeys, labelSelector, labels, check);
  const mismatched = new Set(listOf(mismatchLabelKeys));
  for (const [at, key] of listOf(matchLabelKeys).entries()) {
    if (!mismatched.has(key)) continue;
    report(check, "invalid", "must not be in mismatchLabelKeys too", "matchLabelKeys", at);
  }
  if (!isQualifiedName(asText(term.topologyKey)))
    report(check, "required", `is required and ${QUALIFIED_FORM}`, "topologyKey");
}

/** core/validation: validateLabelKeys. */
export function checkLabelKeys(
  field: string,
  keys: readonly string[] | undefined,
  selector: LabelSelector | undefined,
  check: Check,
): void {
  const names = listOf(keys);
  if (names.length === 0) return;
  if (selector === undefined || selector === null) {
    report(check, "forbidden", "must not be set without a labelSelector", field);
    return;
  }
  for (const [at, key] of names.entries()) {
    if (!isQualifiedName(asText(key))) report(check, "invalid", QUALIFIED_FORM, field, at);
  }
}

/**
 * core/validation: ValidateMatchLabelKeysAndMismatchLabelKeys, after the pod's own labels were added to the selector
 * under these keys (pod strategy: applyMatchLabelKeysAndMismatchLabelKeys).
 */
export function checkSelectorOverlap(
  matchLabelKeys: readonly string[] | undefined,
  mismatchLabelKeys: readonly string[] | undefined,
  selector: LabelSelector | undefined,
  labels: Labels,
  check: Check,
): void {
  const keys = listOf(matchLabelKeys);
  if (keys.length === 0 || selector === undefined || selector === null) return;
  const added = [...keys, ...listOf(mismatchLabelKeys)].filter((key) => Object.hasOwn(labels, key));
  const written = listOf(selector.matchExpressions).map((expression) => asText(asObject(expression).key));
  const seen = new Set(Object.keys(asObject(selector.matchLabels)));
  for (const key of [...written, ...added]) {
    const at = keys.lastIndexOf(key);
    if (at !== -1 && seen.has(key))
      report(check, "invalid", "must not be in the labelSelector too", "matchLabelKeys", at);
    seen.add(key);
  }
}
