// Selectors of labels: of pods, namespaces and claims, and of nodes.

import { listOf } from "@outrigger/base";
import type {
  LabelSelector,
  LabelSelectorRequirement,
  NodeSelectorRequirement,
  NodeSelectorTerm,
} from "../../generated/pod-types.ts";
import {
  isDnsSubdomain,
  isLabelValue,
  isQualifiedName,
  LABEL_VALUE_FORM,
  QUALIFIED_FORM,
  SUBDOMAIN_FORM,
} from "../../names.ts";
import { type Check, checkItems, report } from "../check.ts";
import { asText } from "../zero-values.ts";
import { checkLabels } from "./metadata.ts";

/** apimachinery meta/v1/validation: ValidateLabelSelector. */
export function checkLabelSelector(selector: LabelSelector, check: Check): void {
  checkLabels(selector.matchLabels, "matchLabels", undefined, check);
  checkItems(check, "matchExpressions", selector.matchExpressions, undefined, checkRequirement, undefined);
}

/** apimachinery meta/v1/validation: ValidateLabelSelectorRequirement. */
function checkRequirement({ key, operator, values }: LabelSelectorRequirement, check: Check): void {
  if (!checkSetOperator(operator, listOf(values), check)) {
    report(check, "invalid", "must be one of In, NotIn, Exists, DoesNotExist", "operator");
  }
  checkKey(key, check);
  checkValues(listOf(values), check);
}

/** False for another operator than the four that compare with a set of values. */
function checkSetOperator(operator: unknown, values: readonly string[], check: Check): boolean {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) report(check, "required", `is required with operator ${operator}`, "values");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) report(check, "forbidden", `must not be set with operator ${operator}`, "values");
  } else return false;
  return true;
}

function checkKey(key: unknown, check: Check): void {
  if (!isQualifiedName(asText(key))) report(check, "invalid", QUALIFIED_FORM, "key");
}

function checkValues(values: readonly string[], check: Check): void {
  for (let at = 0; at < values.length; at++) {
    if (!isLabelValue(asText(values[at]))) report(check, "invalid", LABEL_VALUE_FORM, "values", at);
  }
}

/** core/validation: ValidateNodeSelectorTerm. Where a term only prefers nodes, its values may have any form. */
export function checkNodeSelectorTerm(term: NodeSelectorTerm, check: Check, isPreferred: boolean): void {
  checkItems(check, "matchExpressions", term.matchExpressions, undefined, checkNodeRequirement, isPreferred);
  checkItems(check, "matchFields", term.matchFields, undefined, checkNodeField, undefined);
}

/** core/validation: ValidateNodeSelectorRequirement. */
function checkNodeRequirement(requirement: NodeSelectorRequirement, check: Check, isPreferred: boolean): void {
  const { key, operator } = requirement;
  const values = listOf(requirement.values);
  if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) report(check, "required", `must be one value with operator ${operator}`, "values");
  } else if (!checkSetOperator(operator, values, check)) {
    report(check, "invalid", "must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt", "operator");
  }
  checkKey(key, check);
  if (!isPreferred) checkValues(values, check);
}

/** core/validation: ValidateNodeFieldSelectorRequirement. */
function checkNodeField({ key, operator, values }: NodeSelectorRequirement, check: Check): void {
  const names = listOf(values);
  if (operator !== "In" && operator !== "NotIn") report(check, "invalid", "must be In or NotIn", "operator");
  else if (names.length !== 1) report(check, "required", "must be one value", "values");
  if (key !== "metadata.name") report(check, "invalid", "must be metadata.name", "key");
  else if (!names.every((name) => isDnsSubdomain(asText(name)))) report(check, "invalid", SUBDOMAIN_FORM, "values");
}
