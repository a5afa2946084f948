// What certain values may be, beyond their type: a table. check-values.ts applies it, and editors get it as a schema.

import { isObject, type JsonObject, type JsonValue, NETWORK_FORM, networkPattern } from "@outrigger/base";
import { isQuantity } from "@outrigger/pod";

interface ValueRule {
  /** The path below `values`; `*` is any key. */
  readonly path: string;
  /** The values that the rule allows, for a message: `one of …`. */
  readonly allowed: string;
  readonly accepts: (value: unknown) => boolean;
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
const LEVELS = ["trace", "debug", "info", "warning", "warn", "error", "critical", "off"];

export const VALUE_RULES: readonly ValueRule[] = [
  pattern("global.hub", HUB, "a registry and path in lower case like registry.example/istio, without tag"),
  pattern("global.tag", TAG, "an image tag of letters, digits, dots, underscores and dashes", ["number"]),
  pattern("global.proxy.image", IMAGE, IMAGE_FORM),
  pattern("global.proxy_init.image", IMAGE, IMAGE_FORM),
  pattern("global.network", networkPattern.source, NETWORK_FORM),
  oneOf("global.imagePullPolicy", ["", "Always", "IfNotPresent", "Never"]),
  oneOf("global.proxy.logLevel", LEVELS),
  oneOf("global.variant", ["", "distroless", "debug", "default"]),
  quantity("global.proxy.resources.requests.*"),
  quantity("global.proxy.resources.limits.*"),
];

/** Values that every injected image needs: null would leave the image without a registry. */
export const REQUIRED_VALUES: readonly string[] = ["global", "global.hub", "global.proxy"];

function pattern(path: string, source: string, allowed: string, types: readonly string[] = []): ValueRule {
  const expression = new RegExp(source);
  return {
    path,
    allowed,
    accepts: (value) => (typeof value === "string" ? expression.test(value) : types.includes(typeof value)),
    schema: { type: ["string", ...types], pattern: source },
  };
}

function oneOf(path: string, choices: readonly string[]): ValueRule {
  return {
    path,
    allowed: `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`,
    accepts: (value) => typeof value === "string" && choices.includes(value),
    schema: { enum: choices },
  };
}

function quantity(path: string): ValueRule {
  return {
    path,
    allowed: "a quantity like 100m, 1.5 or 2Gi",
    accepts: (value) => typeof value === "number" || (typeof value === "string" && isQuantity(value)),
    schema: { type: ["string", "number"] },
  };
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
