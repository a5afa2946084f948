// Where and when a pod may run: affinity, tolerations, spread over a topology, gates.
// Mirrors core/validation's validateAffinity and what it calls.

import { listOf } from "@outrigger/base";
import type {
  Affinity,
  LabelSelector,
  NodeAffinity,
  NodeSelector,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PodReadinessGate,
  PodSchedulingGate,
  PodSpec,
  PreferredSchedulingTerm,
  Toleration,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from "../../generated/pod-types.ts";
import {
  isDnsLabel,
  isLabelValue,
  isQualifiedName,
  LABEL_FORM,
  LABEL_VALUE_FORM,
  QUALIFIED_FORM,
} from "../../names.ts";
import {
  asNumber,
  asObject,
  asText,
  type Check,
  checkField,
  checkItems,
  checkOneOf,
  checkUnique,
  isPresent,
  quote,
  report,
  requireText,
} from "../check.ts";
import { checkLabelSelector, checkNodeSelectorTerm } from "../metadata/metadata.ts";

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
function checkLabelKeys(
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
function checkSelectorOverlap(
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

const EFFECTS: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute", ""];
const UNSATISFIABLE: readonly string[] = ["DoNotSchedule", "ScheduleAnyway"];
const NODE_POLICIES: readonly string[] = ["Ignore", "Honor"];

/** core/validation: ValidateTolerations. The operators Lt and Gt are behind a feature gate that is off. */
export function checkToleration(toleration: Toleration, check: Check): void {
  const { effect, tolerationSeconds } = toleration;
  const [key, operator, value] = [asText(toleration.key), asText(toleration.operator), asText(toleration.value)];
  if (key !== "" && !isQualifiedName(key)) report(check, "invalid", QUALIFIED_FORM, "key");
  if (key === "" && operator !== "Exists") report(check, "invalid", "must be Exists where there is no key", "operator");
  if (isPresent(tolerationSeconds) && effect !== "NoExecute") {
    report(check, "invalid", "must be NoExecute when tolerationSeconds is set", "effect");
  }
  if (operator === "" || operator === "Equal") {
    if (!isLabelValue(value)) report(check, "invalid", LABEL_VALUE_FORM, "value");
  } else if (operator !== "Exists") report(check, "not-supported", "must be Equal or Exists", "operator");
  else if (value !== "") report(check, "invalid", "must not be set with operator Exists", "value");
  checkOneOf(check, effect, EFFECTS, "effect");
}

/** core/validation: validateTopologySpreadConstraints. */
export function checkSpread(spec: PodSpec, before: PodSpec, labels: Labels, check: Check): void {
  const { topologySpreadConstraints: constraints } = spec;
  checkItems(
    check,
    "topologySpreadConstraints",
    constraints,
    before.topologySpreadConstraints,
    checkConstraint,
    labels,
  );
  if (constraints === before.topologySpreadConstraints) return;
  checkUnique(check, "topologySpreadConstraints", constraints, pairOf, explainPair);
}

function pairOf(constraint: TopologySpreadConstraint): string {
  return `${asText(constraint.topologyKey)}, ${asText(constraint.whenUnsatisfiable)}`;
}

function explainPair(pair: string): string {
  return `must be unique: another constraint has the same topologyKey and whenUnsatisfiable: ${quote(pair)}`;
}

function checkConstraint(constraint: TopologySpreadConstraint, check: Check, labels: Labels): void {
  const { maxSkew, minDomains, topologyKey, whenUnsatisfiable, labelSelector, matchLabelKeys } = constraint;
  if (asNumber(maxSkew) <= 0) report(check, "invalid", "must be more than 0", "maxSkew");
  requireText(check, topologyKey, "topologyKey");
  checkOneOf(check, isPresent(whenUnsatisfiable) ? whenUnsatisfiable : "", UNSATISFIABLE, "whenUnsatisfiable");
  if (typeof minDomains === "number") {
    if (minDomains <= 0) report(check, "invalid", "must be more than 0", "minDomains");
    if (whenUnsatisfiable !== "DoNotSchedule")
      report(check, "invalid", "needs whenUnsatisfiable: DoNotSchedule", "minDomains");
  }
  checkOneOf(check, constraint.nodeAffinityPolicy, NODE_POLICIES, "nodeAffinityPolicy");
  checkOneOf(check, constraint.nodeTaintsPolicy, NODE_POLICIES, "nodeTaintsPolicy");
  checkLabelKeys("matchLabelKeys", matchLabelKeys, labelSelector, check);
  checkSelectorOverlap(matchLabelKeys, undefined, labelSelector, labels, check);
  checkField(check, "labelSelector", labelSelector, checkLabelSelector, undefined);
}

/** core/validation: validateReadinessGates. */
export function checkReadinessGate({ conditionType }: PodReadinessGate, check: Check): void {
  if (!isQualifiedName(asText(conditionType))) report(check, "invalid", QUALIFIED_FORM, "conditionType");
}

/** core/validation: validateSchedulingGates. */
export function checkSchedulingGates(spec: PodSpec, before: PodSpec, check: Check): void {
  const { schedulingGates } = spec;
  if (schedulingGates === before.schedulingGates) return;
  checkItems(check, "schedulingGates", schedulingGates, before.schedulingGates, checkSchedulingGate, undefined);
  checkUnique(
    check,
    "schedulingGates",
    schedulingGates,
    ({ name }) => asText(name),
    (name) => `${quote(name)} is listed twice`,
    "name",
  );
}

function checkSchedulingGate({ name }: PodSchedulingGate, check: Check): void {
  if (!isQualifiedName(asText(name))) report(check, "invalid", QUALIFIED_FORM, "name");
}
