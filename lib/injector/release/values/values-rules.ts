// What certain values may be, beyond their type: a table. check-values.ts applies it, and editors get it as a schema.

import {
  isObject,
  type JsonObject,
  type JsonValue,
  type ValueRule as Meaning,
  NETWORK_FORM,
  networkPattern,
} from "@outrigger/base";
import { nameProblem } from "@outrigger/pod";
import { annotationProblem } from "../../decide/validate-annotations.ts";

interface ValueRule {
  /** The path below `values`; `*` is any key. */
  readonly path: string;
  /** Returns what is wrong with a value, as the end of a sentence that begins with it; undefined for a valid value. */
  readonly problem: (value: JsonValue) => string | undefined;
  /** The rule as JSON Schema keywords, as far as these can express it. */
  readonly schema: Readonly<Record<string, unknown>>;
}

const PART = "[a-z0-9]+(?:[._-]+[a-z0-9]+)*";
/** The form of `hub`. Only a registry's host may have capitals and a port. */
const HUB = `^[A-Za-z0-9]+(?:[.-]+[A-Za-z0-9]+)*(?::[0-9]+)?(?:/${PART})*$`;
/** A name that `hub` and `tag` complete, or with a slash a whole reference, which is used as it is. */
const IMAGE = `^(?:${PART}|(?:[A-Za-z0-9.-]+(?::[0-9]+)?/)(?:${PART}/)*${PART}(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?)$`;
const IMAGE_FORM = "the name of an image, without tag, or a whole reference like registry.example/istio/proxyv2:1.31.0";
const TAG = "^(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$";
const DOMAIN = "^[a-z0-9]+(?:(?:-+|\\.)[a-z0-9]+)*$";
const NO_SPACE = "^[^\\s\\p{Cc}]*$";
const LEVELS = ["trace", "debug", "info", "warning", "warn", "error", "critical", "off"];

/** The rules of values below `global.proxy`. */
const PROXY_MEANINGS: Readonly<Record<string, Meaning>> = {
  "resources.requests.*": "quantity",
  "resources.limits.*": "quantity",
  includeIPRanges: "allOrRanges",
  excludeIPRanges: "ranges",
  includeInboundPorts: "allOrPorts",
  excludeInboundPorts: "ports",
  includeOutboundPorts: "ports",
  excludeOutboundPorts: "ports",
  statusPort: "port",
  readinessInitialDelaySeconds: "seconds",
  readinessPeriodSeconds: "seconds",
  readinessFailureThreshold: "seconds",
};

export const VALUE_RULES: readonly ValueRule[] = [
  pattern("global.hub", HUB, "a registry and path in lower case like registry.example/istio, without tag"),
  pattern("global.tag", TAG, "an image tag of letters, digits, dots, underscores and dashes", ["number"]),
  pattern("global.proxy.image", IMAGE, IMAGE_FORM),
  pattern("global.proxy_init.image", IMAGE, IMAGE_FORM),
  pattern("global.network", networkPattern.source, NETWORK_FORM),
  oneOf("global.imagePullPolicy", ["", "Always", "IfNotPresent", "Never"]),
  oneOf("global.proxy.logLevel", LEVELS),
  oneOf("global.variant", ["", "distroless", "debug", "default"]),
  // The same rules as for the annotations of which these are the defaults.
  ...Object.entries(PROXY_MEANINGS).map(([path, rule]) => meaning(`global.proxy.${path}`, rule)),
  meaning("global.sts.servicePort", "port"),
  pattern("global.proxy.clusterDomain", DOMAIN, "a domain name in lower case like cluster.local"),
  pattern("global.multiCluster.clusterName", NO_SPACE, "a name without white space"),
  pattern("global.caAddress", NO_SPACE, "an address without white space, like ca.example:15012"),
  names("global.imagePullSecrets", "a list of names of Secrets"),
];

const IMAGES = "every injected image needs it";

/** Values that must not be deleted, with the reason. */
export const REQUIRED_VALUES: Readonly<Record<string, string>> = {
  global: IMAGES,
  "global.hub": IMAGES,
  "global.proxy": IMAGES,
  "global.proxy.includeIPRanges": 'istio-init would redirect nothing: write "" for that, or "*" for all',
};

function pattern(path: string, source: string, allowed: string, types: readonly string[] = []): ValueRule {
  const expression = new RegExp(source, "u");
  return {
    path,
    problem: unless(
      (value) => (typeof value === "string" ? expression.test(value) : types.includes(typeof value)),
      allowed,
    ),
    schema: { type: ["string", ...types], pattern: source },
  };
}

function oneOf(path: string, choices: readonly string[]): ValueRule {
  return {
    path,
    problem: unless(
      (value) => typeof value === "string" && choices.includes(value),
      `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`,
    ),
    schema: { enum: choices },
  };
}

/** A value that is the default of an annotation: checked by the annotation's rule, with its words. */
function meaning(path: string, rule: Meaning): ValueRule {
  return {
    path,
    problem: (value) =>
      typeof value === "string" || typeof value === "number"
        ? annotationProblem(rule, String(value))
        : "must be text or a number",
    schema: { type: ["string", "number", "null"] },
  };
}

function names(path: string, allowed: string): ValueRule {
  const isName = (value: unknown) => typeof value === "string" && nameProblem("dns-name", value) === undefined;
  return {
    path,
    problem: unless((value) => Array.isArray(value) && value.every(isName), allowed),
    schema: { type: ["array", "null"] },
  };
}

function unless(accepts: (value: JsonValue) => boolean, allowed: string): ValueRule["problem"] {
  return (value) => (accepts(value) ? undefined : `must be ${allowed}`);
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
  const rule = VALUE_RULES.find((one) => one.path === path.join("."));
  if (rule !== undefined) return { ...(rule.schema as JsonObject), default: value };
  if (Array.isArray(value)) return { type: ["array", "null"] };
  if (isObject(value)) {
    const properties = Object.entries(value).map(([key, entry]) => [key, schemaOf(entry as JsonValue, [...path, key])]);
    return { type: ["object", "null"], ...(properties.length > 0 && { properties: Object.fromEntries(properties) }) };
  }
  return { type: [typeof value, "null"], default: value };
}
