// Where and when a pod may run: tolerations, spread over a topology, gates.

import type {
  PodReadinessGate,
  PodSchedulingGate,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from "../../generated/pod-types.ts";
import { isLabelValue, isQualifiedName, LABEL_VALUE_FORM, QUALIFIED_FORM } from "../../names.ts";
import { type Check, checkField, checkItems, checkOneOf, checkUnique, quote, report, requireText } from "../check.ts";
import { checkLabelSelector } from "../metadata/label-selectors.ts";
import { asNumber, asText, isPresent } from "../zero-values.ts";
import { checkLabelKeys, checkSelectorOverlap, type Labels } from "./affinity.ts";

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
  return `another constraint has the same topologyKey and whenUnsatisfiable: ${quote(pair)}`;
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
