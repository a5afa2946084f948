// Label selectors (metav1.LabelSelector): parsed to a list of requirements once, matched often. Knows nothing about the
// injector's selectors and what a match means.
import { isObject, OutriggerError } from "@outrigger/base";
import { DNS_NAME, LABEL_TEXT, LABEL_VALUE } from "./names.ts";

const OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

type SelectorRequirement = {
  readonly key: string;
  readonly operator: (typeof OPERATORS)[number];
  readonly values: readonly string[];
};

/** A selector whose requirements must all hold. It is plain data that can be stored and read back. */
export type LabelSelector = { readonly requirements: readonly SelectorRequirement[] };

type Labels = Readonly<Record<string, string | undefined>> | undefined;

/**
 * Reads a label selector as written in YAML, with the checks of `metav1.LabelSelectorAsSelector`. Undefined and null are
 * the empty selector. Unlike in the reference, unknown fields are errors: with a misspelt `matchLabel`, the selector would
 * match everything.
 *
 * @param path of the selector, for the error
 * @throws OutriggerError `config-invalid`
 */
export function parseLabelSelector(value: unknown, path: string): LabelSelector {
  if (value === undefined || value === null) return { requirements: [] };
  if (!isObject(value)) throw invalid(path, "a selector must be an object");
  for (const field of Object.keys(value)) {
    if (field !== "matchLabels" && field !== "matchExpressions") {
      throw invalid(`${path}.${field}`, "not a field of a selector, which has matchLabels and matchExpressions");
    }
  }
  return {
    requirements: [
      ...parseMatchLabels(value["matchLabels"], `${path}.matchLabels`),
      ...itemsOf(value["matchExpressions"], `${path}.matchExpressions`, "must be a list").map((expression, index) =>
        parseExpression(expression, `${path}.matchExpressions[${index}]`),
      ),
    ],
  };
}

/** Whether the labels meet every requirement; the empty selector matches everything. */
export function matchesLabelSelector(selector: LabelSelector, labels: Labels): boolean {
  for (const requirement of selector.requirements) if (!fulfils(requirement, labels)) return false;
  return true;
}

/** True if the selector has no requirement. */
export function isEmptySelector(selector: LabelSelector): boolean {
  return selector.requirements.length === 0;
}

function fulfils({ key, operator, values }: SelectorRequirement, labels: Labels): boolean {
  const label = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (operator === "In") return label !== undefined && values.includes(label);
  if (operator === "NotIn") return label === undefined || !values.includes(label);
  return (operator === "Exists") === (label !== undefined);
}

/**
 * Reads one label that objects must have, with its value or a list of values of which one is enough.
 *
 * @param path of the label, for the error
 * @throws OutriggerError `config-invalid`
 */
export function parseLabel(key: string, value: unknown, path: string): SelectorRequirement {
  if (!Array.isArray(value)) {
    return { key: checkedKey(key, path), operator: "In", values: [checkedLabelValue(value, path)] };
  }
  if (value.length === 0) throw invalid(path, "it needs at least one value");
  const values = value.map((item, index) => checkedLabelValue(item, `${path}[${index}]`));
  return { key: checkedKey(key, path), operator: "In", values };
}

function parseMatchLabels(value: unknown, path: string): readonly SelectorRequirement[] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) throw invalid(path, "must be an object of label and value");
  return Object.entries(value).map(([key, label]) => {
    const at = `${path}[${key}]`;
    return { key: checkedKey(key, at), operator: "In", values: [checkedLabelValue(label, at)] };
  });
}

function itemsOf(value: unknown, path: string, rule: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(path, rule);
  return value;
}

function parseExpression(value: unknown, path: string): SelectorRequirement {
  if (!isObject(value)) throw invalid(path, "must be an object with key and operator");
  for (const field of Object.keys(value)) {
    if (field !== "key" && field !== "operator" && field !== "values") {
      throw invalid(`${path}.${field}`, "not a field of an expression, which has key, operator and values");
    }
  }
  const operator = OPERATORS.find((one) => one === value["operator"]);
  if (operator === undefined) throw invalid(`${path}.operator`, "must be In, NotIn, Exists or DoesNotExist");
  const values = itemsOf(value["values"], `${path}.values`, "must be a list of strings").map((item, index) =>
    checkedLabelValue(item, `${path}.values[${index}]`),
  );
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues && values.length === 0) throw invalid(`${path}.values`, `${operator} needs at least one value`);
  if (!takesValues && values.length > 0) throw invalid(`${path}.values`, `${operator} takes no values`);
  return { key: checkedKey(value["key"], `${path}.key`), operator, values };
}

/** Checks Kubernetes' qualified name: `name` or `dns.prefix/name`. */
function checkedKey(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalid(path, "a label key must be a string");
  const slash = value.indexOf("/");
  const prefix = slash === -1 ? undefined : value.slice(0, slash);
  const name = value.slice(slash + 1);
  if (prefix !== undefined && !DNS_NAME.has(prefix)) {
    throw invalid(path, "the part of a label key before the slash must be a lower-case DNS name");
  }
  if (!LABEL_TEXT.has(name)) throw invalid(path, `a label key's name ${LABEL_VALUE.message}`);
  return value;
}

function checkedLabelValue(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalid(path, "a label value must be a string, quote it");
  if (!LABEL_VALUE.has(value)) throw invalid(path, `a label value ${LABEL_VALUE.message}`);
  return value;
}

function invalid(path: string, reason: string): OutriggerError {
  return new OutriggerError("config-invalid", `Cannot use the label selector at ${path}: ${reason}`, { path });
}
