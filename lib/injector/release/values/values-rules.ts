// Which rule each value has, by its meaning. check-values.ts applies them, and editors get them as a schema.

import { entryOf, isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { ruleProblem, type ValueRule, valueForms, valueRules } from "@outrigger/mesh";

/** The rules of values by their paths below `values`; `*` is any key, and `[]` each item of a list. */
const RULES: Readonly<Record<string, ValueRule>> = {
  "global.hub": "hub",
  "global.tag": "tag",
  "global.variant": "imageType",
  "global.network": "network",
  "global.trustDomain": "domainOrNone",
  "global.caAddress": "addressOrNone",
  "global.imagePullPolicy": "pullPolicy",
  "global.imagePullSecrets[]": "secretName",
  "global.logging.level": "agentLevels",
  "global.multiCluster.clusterName": "clusterName",
  "global.sts.servicePort": "portOrNone",
  "global.proxy.image": "image",
  "global.proxy.clusterDomain": "domain",
  "global.proxy.logLevel": "level",
  "global.proxy.componentLogLevel": "componentLevels",
  "global.proxy.includeIPRanges": "allOrRanges",
  "global.proxy.excludeIPRanges": "ranges",
  "global.proxy.includeInboundPorts": "allOrPorts",
  "global.proxy.excludeInboundPorts": "ports",
  "global.proxy.includeOutboundPorts": "ports",
  "global.proxy.excludeOutboundPorts": "ports",
  "global.proxy.statusPort": "portOrNone",
  "global.proxy.readinessInitialDelaySeconds": "seconds",
  "global.proxy.readinessPeriodSeconds": "seconds",
  "global.proxy.readinessFailureThreshold": "seconds",
  "global.proxy.resources.requests.*": "quantity",
  "global.proxy.resources.limits.*": "quantity",
  "global.proxy_init.image": "image",
};

const IMAGES = "every injected image needs it";

/** Values that must not be deleted, with the reason. */
export const REQUIRED_VALUES: Readonly<Record<string, string>> = {
  global: IMAGES,
  "global.hub": IMAGES,
  "global.tag": IMAGES,
  "global.proxy": IMAGES,
  "global.proxy.includeIPRanges": 'istio-init would redirect nothing: write "" for that, or "*" for all',
};

/** The values without which no image can be named, whatever lies below a tree. */
const OF_EVERY_IMAGE: readonly (ValueRule | undefined)[] = ["hub", "tag"];

/**
 * Returns what is wrong with a value, as the end of a sentence that begins with its path; undefined for a right one.
 *
 * @param isOverShipped whether the values of Istio's chart, whose meanings these are, lie below
 */
export function valueProblem(path: readonly string[], value: JsonValue, isOverShipped: boolean): string | undefined {
  const { rule, isOfItems } = ruleAt(path);
  if (rule === undefined || !(isOverShipped || OF_EVERY_IMAGE.includes(rule))) return undefined;
  if (!isOfItems) return scalarProblem(rule, value);
  if (!Array.isArray(value)) return `must be a list: each item is ${valueRules[rule].use}`;
  const problem = value.map((item: JsonValue) => scalarProblem(rule, item)).find((each) => each !== undefined);
  return problem && `has an item that ${problem}`;
}

/** The rule of a value, or of each item of its list. */
function ruleAt(path: readonly string[]): { readonly rule: ValueRule | undefined; readonly isOfItems: boolean } {
  const name = path.join(".");
  const ofItems = entryOf(RULES, `${name}[]`);
  const rule = ofItems ?? entryOf(RULES, name) ?? entryOf(RULES, [...path.slice(0, -1), "*"].join("."));
  return { rule, isOfItems: ofItems !== undefined };
}

function scalarProblem(rule: ValueRule, value: JsonValue): string | undefined {
  if (typeof value === "object") return `must be text or a number: use ${valueRules[rule].use}`;
  return ruleProblem(valueRules[rule], String(value));
}

/** A JSON Schema (draft 2020-12) in which every key of the values is known. Unknown keys stay allowed: lint reports them. */
export function valuesSchema(values: JsonObject): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Outrigger values",
    ...(schemaOf(values, []) as JsonObject),
  };
}

function schemaOf(value: JsonValue, path: readonly string[]): JsonObject {
  const { rule, isOfItems } = ruleAt(path);
  if (rule !== undefined && isOfItems) return { type: ["array", "null"], items: ruleSchema(rule), default: value };
  if (rule !== undefined) return { ...ruleSchema(rule), default: value };
  if (Array.isArray(value)) return { type: ["array", "null"] };
  if (isObject(value)) {
    const properties = Object.entries(value).map(([key, entry]) => [key, schemaOf(entry as JsonValue, [...path, key])]);
    return { type: ["object", "null"], ...(properties.length > 0 && { properties: Object.fromEntries(properties) }) };
  }
  return { type: [typeof value, "null"], default: value };
}

/** The rule as keywords of JSON Schema, as far as these can express it. */
function ruleSchema(rule: ValueRule): JsonObject {
  const { use, choices, form = valueForms[rule] } = valueRules[rule];
  if (choices !== undefined) return { enum: choices, description: use };
  return { type: ["string", "number", "null"], ...(form !== undefined && { pattern: form }), description: use };
}
