// Where and when a pod may run: affinity, tolerations, spread over a topology, gates.
// Mirrors core/validation's validateAffinity and what it calls.
import { listOf } from "@outrigger/base";
import type {
  Affinity,
  LabelSelector,
  PodAffinity,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from "../../generated/pod-types.ts";
import { DNS_LABEL, LABEL_VALUE, QUALIFIED_NAME } from "../../names.ts";
import { type Check, invalid, report } from "../check.ts";
import {
  checkForm,
  each,
  fields,
  filled,
  items,
  itemsIn,
  needed,
  object,
  objectIn,
  oneOf,
  optional,
  part,
  required,
  requiredOneOf,
} from "../fields.ts";
import { asNumber, asObject, asText, isPresent } from "../go-values.ts";
import { checkLabelSelector, nodeSelectorTerm } from "../metadata/metadata.ts";

export type Labels = Readonly<Record<string, string>>;

const WEIGHT = needed((check, weight, key) => {
  const value = asNumber(weight);
  if (value < 1 || value > 100) invalid(check, "must be between 1 and 100", key);
});

/** core/validation: validatePodAffinityTerm. */
const checkPodTerm = fields<PodAffinityTerm, Labels>(
  {
    labelSelector: object(checkLabelSelector),
    namespaceSelector: object(checkLabelSelector),
    namespaces: each(DNS_LABEL),
    topologyKey: needed((check, topologyKey, key) => {
      if (QUALIFIED_NAME.has(asText(topologyKey))) return;
      report(check, "required", `is required and ${QUALIFIED_NAME.message}`, key);
    }),
  },
  ({ labelSelector, matchLabelKeys, mismatchLabelKeys }, check, labels) => {
    checkLabelKeys("matchLabelKeys", matchLabelKeys, labelSelector, check);
    checkLabelKeys("mismatchLabelKeys", mismatchLabelKeys, labelSelector, check);
    checkSelectorOverlap(matchLabelKeys, mismatchLabelKeys, labelSelector, labels, check);
    const mismatched = new Set(listOf(mismatchLabelKeys));
    for (const [at, key] of listOf(matchLabelKeys).entries()) {
      if (!mismatched.has(key)) continue;
      invalid(check, "must not be in mismatchLabelKeys too", "matchLabelKeys", at);
    }
  },
);

/** core/validation: validatePodAffinity and validatePodAntiAffinity. */
const checkPodAffinity = fields<PodAffinity, Labels>({
  requiredDuringSchedulingIgnoredDuringExecution: itemsIn(checkPodTerm),
  preferredDuringSchedulingIgnoredDuringExecution: itemsIn(
    fields({ weight: WEIGHT, podAffinityTerm: part(checkPodTerm) }),
  ),
});

/** The rule of a pod's affinity. Its context is the pod's own labels. */
export const checkAffinity = fields<Affinity, Labels>({
  /** core/validation: validateNodeAffinity, ValidateNodeSelector and ValidatePreferredSchedulingTerms. */
  nodeAffinity: object({
    requiredDuringSchedulingIgnoredDuringExecution: object({
      nodeSelectorTerms: [filled("must have at least one term"), items(nodeSelectorTerm(false))],
    }),
    preferredDuringSchedulingIgnoredDuringExecution: items({
      weight: WEIGHT,
      preference: object(nodeSelectorTerm(true)),
    }),
  }),
  podAffinity: objectIn(checkPodAffinity),
  podAntiAffinity: objectIn(checkPodAffinity),
});

type Keys = readonly string[] | undefined;
type Selector = LabelSelector | undefined;

/** core/validation: validateLabelKeys. */
function checkLabelKeys(field: string, keys: Keys, selector: Selector, check: Check): void {
  const names = listOf(keys);
  if (names.length === 0) return;
  if (selector === undefined || selector === null) {
    report(check, "forbidden", "must not be set without a labelSelector", field);
    return;
  }
  for (const [at, key] of names.entries()) {
    if (!QUALIFIED_NAME.has(asText(key))) invalid(check, QUALIFIED_NAME.message, field, at);
  }
}

/**
 * core/validation: ValidateMatchLabelKeysAndMismatchLabelKeys, after the pod's own labels were added to the selector
 * under these keys (pod strategy: applyMatchLabelKeysAndMismatchLabelKeys).
 */
function checkSelectorOverlap(match: Keys, mismatch: Keys, selector: Selector, labels: Labels, check: Check): void {
  const keys = listOf(match);
  if (keys.length === 0 || selector === undefined || selector === null) return;
  const added = [...keys, ...listOf(mismatch)].filter((key) => Object.hasOwn(labels, key));
  const written = listOf(selector.matchExpressions).map((expression) => asText(asObject(expression).key));
  const seen = new Set(Object.keys(asObject(selector.matchLabels)));
  for (const key of [...written, ...added]) {
    const at = keys.lastIndexOf(key);
    if (at !== -1 && seen.has(key)) invalid(check, "must not be in the labelSelector too", "matchLabelKeys", at);
    seen.add(key);
  }
}

/** core/validation: ValidateTolerations. The operators Lt and Gt are behind a feature gate that is off. */
export const checkToleration = fields<Toleration>(
  { key: optional(QUALIFIED_NAME), effect: oneOf("NoSchedule", "PreferNoSchedule", "NoExecute", "") },
  (toleration, check) => {
    const { effect, tolerationSeconds } = toleration;
    const [key, operator, value] = [asText(toleration.key), asText(toleration.operator), asText(toleration.value)];
    if (key === "" && operator !== "Exists") {
      invalid(check, "must be Exists where there is no key", "operator");
    }
    if (isPresent(tolerationSeconds) && effect !== "NoExecute") {
      invalid(check, "must be NoExecute when tolerationSeconds is set", "effect");
    }
    if (operator === "" || operator === "Equal") checkForm(check, value, LABEL_VALUE, "value");
    else if (operator !== "Exists") report(check, "not-supported", "must be Equal or Exists", "operator");
    else if (value !== "") invalid(check, "must not be set with operator Exists", "value");
  },
);

const NODE_POLICY = oneOf("Ignore", "Honor");

/** core/validation: validateTopologySpreadConstraints. */
export const checkConstraint = fields<TopologySpreadConstraint, Labels>(
  {
    maxSkew: needed((check, maxSkew, key) => {
      if (asNumber(maxSkew) <= 0) invalid(check, "must be more than 0", key);
    }),
    topologyKey: required(),
    whenUnsatisfiable: requiredOneOf("DoNotSchedule", "ScheduleAnyway"),
    nodeAffinityPolicy: NODE_POLICY,
    nodeTaintsPolicy: NODE_POLICY,
    labelSelector: object(checkLabelSelector),
  },
  ({ minDomains, whenUnsatisfiable, labelSelector, matchLabelKeys }, check, labels) => {
    if (typeof minDomains === "number") {
      if (minDomains <= 0) invalid(check, "must be more than 0", "minDomains");
      if (whenUnsatisfiable !== "DoNotSchedule") {
        invalid(check, "needs whenUnsatisfiable: DoNotSchedule", "minDomains");
      }
    }
    checkLabelKeys("matchLabelKeys", matchLabelKeys, labelSelector, check);
    checkSelectorOverlap(matchLabelKeys, undefined, labelSelector, labels, check);
  },
);
