// `source/config`: which pods are injected and with what. Every key is checked here, once, so that nothing is when a
// pod arrives.

import { OutriggerError } from "../errors.ts";
import type { InjectionConfig } from "../inject/injector.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { type LabelSelector, parseLabelSelector } from "../kube/label-selector.ts";
import { parseYaml } from "../kube/yaml.ts";

/** What the config says beside how to inject: where an edit goes, and whether the shipped defaults lie beneath it. */
export interface SourceConfig {
  readonly injection: InjectionConfig;
  /** The channel that a published edit goes to. */
  readonly publishTo: string;
  /** With "none", the shipped default values and mesh config do not lie beneath the tree's own. */
  readonly defaults: "shipped" | "none";
  /** What is wrong in a way that the reference passes over: said, and passed over too. */
  readonly warnings: readonly string[];
}

const keys: readonly string[] = [
  "policy",
  "defaultTemplates",
  "aliases",
  "neverInjectSelector",
  "alwaysInjectSelector",
  "injectedAnnotations",
  "revision",
  "nativeSidecars",
  "compliancePolicy",
  "platform",
  "compatibility",
  "publishTo",
  "defaults",
];

/**
 * Reads config texts, later ones over earlier ones key by key.
 * Throws `yaml-invalid` or `config-invalid` with the key and what it may be.
 */
export function parseConfig(texts: readonly string[]): SourceConfig {
  const config: JsonObject = Object.assign({}, ...texts.map(readConfig));
  const warnings: string[] = [];
  return {
    injection: {
      policy: policyOf(config, warnings),
      defaultTemplates: strings(config["defaultTemplates"] ?? ["sidecar"], "defaultTemplates"),
      aliases: mapOf(config["aliases"], "aliases", strings),
      neverInjectSelector: selectors(config, "neverInjectSelector", warnings),
      alwaysInjectSelector: selectors(config, "alwaysInjectSelector", warnings),
      injectedAnnotations: mapOf(config["injectedAnnotations"], "injectedAnnotations", text),
      revision: text(config["revision"] ?? "default", "revision"),
      nativeSidecars: boolean(config, "nativeSidecars", true),
      compliancePolicy: text(config["compliancePolicy"] ?? "", "compliancePolicy"),
      platform: oneOf(config, "platform", ["", "openshift"], ""),
      ...(oneOf(config, "compatibility", ["safe", "reference"], "safe") === "reference" && {
        compatibility: "reference" as const,
      }),
    },
    publishTo: text(config["publishTo"] ?? "stable", "publishTo"),
    defaults: oneOf(config, "defaults", ["shipped", "none"], "shipped"),
    warnings,
  };
}

function readConfig(source: string): JsonObject {
  const config = parseYaml(source, "config") ?? {};
  if (!isObject(config)) throw invalid("", "a mapping");
  for (const key of Object.keys(config)) {
    if (!keys.includes(key)) throw unknownKey(key);
  }
  return config;
}

function oneOf<T extends string>(config: JsonObject, key: string, choices: readonly T[], fallback: T): T {
  const value = config[key] ?? fallback;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw invalid(key, `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`);
  return found;
}

function boolean(config: JsonObject, key: string, fallback: boolean): boolean {
  const value = config[key] ?? fallback;
  if (typeof value !== "boolean") throw invalid(key, "true or false");
  return value;
}

function text(value: JsonValue | undefined, key: string): string {
  if (typeof value !== "string") throw invalid(key, "a string (put numbers in quotes)");
  return value;
}

function strings(value: JsonValue | undefined, key: string): readonly string[] {
  if (!Array.isArray(value)) throw invalid(key, "a list of strings");
  return value.map((item, index) => text(item, `${key}[${index}]`));
}

function mapOf<T>(
  value: JsonValue | undefined,
  key: string,
  read: (value: JsonValue | undefined, key: string) => T,
): Readonly<Record<string, T>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalid(key, "a mapping");
  return Object.fromEntries(Object.keys(value).map((name) => [name, read(value[name], `${key}.${name}`)]));
}

/** As in the reference, another policy injects nothing, not even a pod that opts in. */
function policyOf(config: JsonObject, warnings: string[]): InjectionConfig["policy"] {
  const policy = config["policy"] ?? "enabled";
  if (policy === "enabled" || policy === "disabled") return policy;
  warnings.push('Config key "policy" is neither "enabled" nor "disabled": no pod is injected');
  return "unknown";
}

/** As in the reference, a selector that cannot be read selects nothing. */
function selectors(config: JsonObject, key: string, warnings: string[]): readonly LabelSelector[] {
  const value = config[key] ?? [];
  if (!Array.isArray(value)) throw invalid(key, "a list of label selectors");
  return value.flatMap((selector, index) => {
    try {
      return [parseLabelSelector(selector, `config.${key}[${index}]`)];
    } catch (error) {
      if (!(error instanceof OutriggerError)) throw error;
      warnings.push(`${error.message}; it selects nothing`);
      return [];
    }
  });
}

function invalid(key: string, allowed: string): OutriggerError {
  const place = key === "" ? "the config" : `config key ${JSON.stringify(key)}`;
  return new OutriggerError("config-invalid", `Cannot use ${place}: it must be ${allowed}`, {
    path: key === "" ? "config" : `config.${key}`,
  });
}

function unknownKey(key: string): OutriggerError {
  return new OutriggerError(
    "config-invalid",
    `Cannot use config key ${JSON.stringify(key)}: it is not known; use ${keys.join(", ")}`,
    { path: `config.${key}` },
  );
}
