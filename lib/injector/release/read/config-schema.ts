// The keys of `config` as a JSON Schema, for editors. It accepts what parse-config.ts accepts, and has no part in publishing.
import { channelNamePattern, type JsonObject } from "@outrigger/base";
import { ISTIO_RELEASES } from "@outrigger/mesh";
import { systemNamespaces } from "../../decide/decide.ts";
import type { ConfigKey } from "./parse-config.ts";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const LABEL_VALUE = { type: "string", maxLength: 63, pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$" };

const PODS = {
  type: "object",
  description: "The pods that get it: both keys have to fit.",
  minProperties: 1,
  additionalProperties: false,
  properties: {
    podLabels: {
      type: "object",
      description:
        "Each of these labels, with this value or one of a list. Values are text: quote yes, true and numbers.",
      minProperties: 1,
      additionalProperties: { anyOf: [LABEL_VALUE, { type: "array", minItems: 1, items: LABEL_VALUE }] },
    },
    namespaces: {
      type: "array",
      description: "One of these namespaces.",
      minItems: 1,
      items: { type: "string", pattern: channelNamePattern.source, not: { enum: [...systemNamespaces] } },
    },
  },
};

const ENTRY = {
  anyOf: [
    { ...TEXT, description: "A template or alias for every pod." },
    {
      type: "object",
      required: ["name"],
      anyOf: [{ required: ["match"] }, { required: ["before"] }],
      additionalProperties: false,
      properties: {
        name: { ...TEXT, description: "The template or alias." },
        match: PODS,
        before: { ...TEXT, description: "The name of another entry, whose containers start later." },
      },
    },
  ],
};

const SELECTORS = {
  type: "array",
  items: {
    type: "object",
    properties: {
      matchLabels: { type: "object", additionalProperties: TEXT },
      matchExpressions: {
        type: "array",
        items: {
          type: "object",
          required: ["key", "operator"],
          properties: {
            key: TEXT,
            operator: { enum: ["In", "NotIn", "Exists", "DoesNotExist"] },
            values: TEXTS,
          },
        },
      },
    },
  },
};

const KEYS: Readonly<Record<ConfigKey, JsonObject>> = {
  policy: { enum: ["enabled", "disabled"], description: "Whether a pod is injected for which no other rule decides." },
  defaultTemplates: { type: "array", description: "Who gets what.", items: ENTRY },
  aliases: {
    type: ["object", "null"],
    description: "A name for a list of templates.",
    additionalProperties: TEXTS,
  },
  neverInjectSelector: { ...SELECTORS, description: "Pods that get nothing. It wins over alwaysInjectSelector." },
  alwaysInjectSelector: { ...SELECTORS, description: "Pods that are injected whatever the policy." },
  injectedAnnotations: {
    type: ["object", "null"],
    description: "Annotations of every injected pod.",
    additionalProperties: TEXT,
  },
  injectionLabel: { ...TEXT, description: "The label by which pods and namespaces ask, in place of Istio's." },
  revision: { ...TEXT, description: "The revision that pods are marked with." },
  nativeSidecars: { type: "boolean", description: "Whether the proxy is an init container that keeps running." },
  compliancePolicy: { ...TEXT, description: "Passed to the proxy: fips-140-3." },
  platform: { enum: ["", "openshift"], description: "Where user IDs come from." },
  compatibility: { enum: ["safe", "reference"], description: "Whether Istio's injector is followed in everything." },
  istio: { enum: [...ISTIO_RELEASES], description: 'The Istio release of the proxies, in quotes: "1.30".' },
  mesh: { enum: ["istio", "none"], description: "none: nothing of Istio is below this tree." },
  publishTo: { ...TEXT, description: "The channel to which edits are published, as long as nothing was." },
  defaults: { enum: ["shipped", "none"], description: "Whether the shipped values are below the tree's." },
};

/** A JSON Schema (draft 2020-12) of `config.yaml`. Keys that are not known are refused, as publishing refuses them. */
export function configSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Outrigger config",
    type: ["object", "null"],
    additionalProperties: false,
    properties: KEYS,
  };
}
