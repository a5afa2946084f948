// `source/config`: which pods are injected and with what. Every key is checked here, once, when a tree is compiled.

import {
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  type OutriggerError,
  objectOf,
  ownError,
  suggestName,
} from "@outrigger/base";
import { ISTIO_RELEASES, type IstioRelease, isIstioRelease } from "@outrigger/mesh";
import { type LabelSelector, labelKeyProblem, parseLabelSelector } from "@outrigger/pod";
import { parseYaml } from "@outrigger/yaml";
import type { InjectionConfig } from "../../injection.ts";
import type { SourceTree } from "../source-tree.ts";
import type { TreeFinding } from "../tree-finding.ts";
import { orderDefaultTemplates } from "./order-default-templates.ts";
import { type Fail, parseDefaultTemplates } from "./parse-default-templates.ts";
import { fieldError, type SourceText } from "./source-text.ts";

export interface SourceConfig {
  readonly injection: InjectionConfig;
  /** The default templates with those moved that come before another: `injection` has them as they are listed. */
  readonly ordered: InjectionConfig["defaultTemplates"];
  /** The channel that edits are said to go to; undefined where it is left to the deployment. */
  readonly publishTo: string | undefined;
  /** The value "none" means that the shipped default values and mesh config do not apply. */
  readonly defaults: "shipped" | "none";
}

const ISTIO_KEYS = [
  "policy",
  "defaultTemplates",
  "aliases",
  "neverInjectSelector",
  "alwaysInjectSelector",
  "injectedAnnotations",
] as const;

/** The keys that the configuration of Istio's injector has too. */
export const ISTIO_CONFIG_KEYS: readonly string[] = ISTIO_KEYS;

const OWN_KEYS = [
  "injectionLabel",
  "revision",
  "nativeSidecars",
  "compliancePolicy",
  "platform",
  "compatibility",
  "istio",
  "mesh",
  "publishTo",
  "defaults",
] as const;

/** A key of `config`. */
export type ConfigKey = (typeof ISTIO_KEYS)[number] | (typeof OWN_KEYS)[number];

const KEYS: readonly string[] = [...ISTIO_KEYS, ...OWN_KEYS];

interface Reading {
  readonly config: JsonObject;
  fail(steps: FieldPath, message: string): void;
  /** Warns of a mistake that the reference ignores. It has no effect here either. */
  warn(steps: FieldPath, message: string): void;
}

/**
 * Reads config texts, later ones over earlier ones key by key.
 *
 * @throws OutriggerError `yaml-invalid` or `config-invalid` with the key and its position
 *
 * @example
 * ```ts
 * parseConfig(["publishTo: canary"]).publishTo // => "canary"
 * parseConfig([]).injection.defaultTemplates // => ["sidecar"]
 * ```
 */
export function parseConfig(texts: readonly string[]): SourceConfig {
  const errors: OutriggerError[] = [];
  // Publishing warns; what is published is read without a word.
  const sources = texts.map((text) => ({ path: "config", text, value: parseYaml(text, "config", () => undefined) }));
  const { config } = readConfig(sources, errors, []);
  if (errors[0] !== undefined) throw errors[0];
  return config;
}

/**
 * The channel to which edits of trees are said to go: `publishTo` of their config, undefined where it names none. The
 * deployment's records decide. Reads nothing but the config.
 *
 * @throws OutriggerError `yaml-invalid` or `config-invalid` with the key and its position
 * @example
 * ```ts
 * publishChannel([{ config: "publishTo: canary" }, {}]) // => "canary"
 * publishChannel([{}]) // => undefined
 * ```
 */
export function publishChannel(layers: readonly SourceTree[]): string | undefined {
  return parseConfig(layers.flatMap(({ config }) => config ?? [])).publishTo;
}

export type ReadConfig = ReturnType<typeof readConfig>;

/** Reads parsed config texts. Adds every error, and uses the default for a key with an error. */
export function readConfig(sources: readonly SourceText[], errors: OutriggerError[], findings: TreeFinding[]) {
  const config: JsonObject = Object.assign({}, ...sources.map(({ value }) => objectOf(value)));
  const sourceOf = ([key]: FieldPath) =>
    sources.findLast(({ value }) => isObject(value) && key !== undefined && Object.hasOwn(value, key)) ??
    sources.at(-1);
  const errorAt = (steps: FieldPath, message: string) =>
    fieldError("config-invalid", { path: pathOf(steps), text: sourceOf(steps)?.text ?? "" }, steps, message);
  const reading: Reading = {
    config,
    fail: (steps, message) => void errors.push(errorAt(steps, message)),
    warn: (steps, message) => {
      const { path = "config", line = 1, column = 1 } = errorAt(steps, message);
      findings.push({ severity: "warning", path, line, column, message });
    },
  };
  for (const source of sources) {
    if (source.value === null) continue;
    if (!isObject(source.value)) {
      errors.push(fieldError("config-invalid", source, [], "Cannot use the config: it must be a mapping"));
      continue;
    }
    for (const key of Object.keys(source.value)) {
      if (KEYS.includes(key)) continue;
      const message = `Cannot use config key ${JSON.stringify(key)}: it is not known; use ${KEYS.join(", ")}${suggestName(key, KEYS)}`;
      errors.push(fieldError("config-invalid", { path: pathOf([key]), text: source.text }, [key], message, "key"));
    }
  }
  const mesh = oneOf(reading, "mesh", ["istio", "none"], "istio");
  const failAt: Fail = (steps, message) => {
    const at = ["defaultTemplates", ...steps];
    reading.fail(at, message(JSON.stringify(keyOf(at))));
    return undefined;
  };
  const injection: InjectionConfig = {
    policy: policyOf(reading),
    defaultTemplates: defaultsOf(mesh, config["defaultTemplates"], failAt),
    aliases: mapOf(reading, "aliases", strings),
    neverInjectSelector: selectors(reading, "neverInjectSelector"),
    alwaysInjectSelector: selectors(reading, "alwaysInjectSelector"),
    ...ownLabel(reading),
    ...(mesh === "none" && { mesh: "none" as const }),
    injectedAnnotations: mapOf(reading, "injectedAnnotations", text),
    revision: text(reading, ["revision"], config["revision"] ?? "default"),
    nativeSidecars: boolean(reading, "nativeSidecars", true),
    compliancePolicy: text(reading, ["compliancePolicy"], config["compliancePolicy"] ?? ""),
    platform: oneOf(reading, "platform", ["", "openshift"], ""),
    istio: istioRelease(reading),
    ...(oneOf(reading, "compatibility", ["safe", "reference"], "safe") === "reference" && {
      compatibility: "reference" as const,
    }),
  };
  const publishTo = config["publishTo"] === undefined ? undefined : text(reading, ["publishTo"], config["publishTo"]);
  const defaults = oneOf(reading, "defaults", ["shipped", "none"], "shipped");
  const ordered = orderDefaultTemplates(injection, config["defaultTemplates"], failAt);
  const parsed: SourceConfig = { injection, ordered, publishTo, defaults };
  return { config: parsed, errorAt };
}

/** Istio's own labels are those of a config without one: they would select half of what Istio's injector does. */
const ISTIOS = /^istio-injection$|(?:^|\.)istio\.io\//;

function ownLabel(reading: Reading): Pick<InjectionConfig, "injectionLabel"> {
  const value = reading.config["injectionLabel"];
  if (value === undefined) return {};
  const problem = typeof value === "string" ? labelKeyProblem(value) : "must be a label's key";
  if (problem !== undefined || typeof value !== "string") {
    reading.fail(["injectionLabel"], `Cannot use config key "injectionLabel": it ${problem}`);
    return {};
  }
  if (ISTIOS.test(value)) {
    const message = `Cannot use config key "injectionLabel": ${value} is Istio's; leave the key out for Istio's labels, or use a prefix of your own, like sidecars.example.com/inject`;
    reading.fail(["injectionLabel"], message);
    return {};
  }
  return { injectionLabel: value };
}

/** Injection takes an empty list for the sidecar, as the reference does: without a mesh, the list has an entry that is for no pod. */
export const FOR_NO_POD = { name: "none", match: { namespaces: [] } };

function defaultsOf(mesh: "istio" | "none", value: JsonValue | undefined, fail: Fail) {
  if (mesh === "istio") return parseDefaultTemplates(value ?? ["sidecar"], fail);
  const parsed = parseDefaultTemplates(value ?? [], fail);
  return parsed.length === 0 ? [FOR_NO_POD] : parsed;
}

function oneOf<T extends string>(reading: Reading, key: string, choices: readonly T[], fallback: T): T {
  const value = reading.config[key] ?? fallback;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const near = typeof value === "string" ? suggestName(value, choices) : "";
  invalid(reading, [key], `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}${near}`);
  return fallback;
}

/**
 * Reads `istio` as text, because the number 1.30 is 1.3. A release that is not supported is no misspelling of one that
 * is.
 */
function istioRelease(reading: Reading): IstioRelease {
  const value = reading.config["istio"] ?? "development";
  if (typeof value === "string" && /^1\.\d+$/.test(value) && !isIstioRelease(value)) {
    const releases = ISTIO_RELEASES.map((release) => JSON.stringify(release)).join(", ");
    invalid(reading, ["istio"], `one of ${releases}: Istio ${value} is not supported`);
    return "development";
  }
  if (typeof value !== "number") return oneOf(reading, "istio", ISTIO_RELEASES, "development");
  const meant = ISTIO_RELEASES.find((release) => Number(release) === value);
  invalid(reading, ["istio"], `text: put the release in quotes, like istio: "${meant ?? ISTIO_RELEASES.at(-2)}"`);
  return "development";
}

function boolean(reading: Reading, key: string, fallback: boolean): boolean {
  const value = reading.config[key] ?? fallback;
  if (typeof value === "boolean") return value;
  invalid(reading, [key], "true or false");
  return fallback;
}

function text(reading: Reading, steps: FieldPath, value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  invalid(reading, steps, "a string (put numbers in quotes)");
  return "";
}

function strings(reading: Reading, steps: FieldPath, value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.map((item, index) => text(reading, [...steps, index], item));
  invalid(reading, steps, "a list of strings");
  return [];
}

type Read<T> = (reading: Reading, steps: FieldPath, value: JsonValue | undefined) => T;

function mapOf<T>(reading: Reading, key: string, read: Read<T>): Readonly<Record<string, T>> {
  const value = reading.config[key];
  if (value === undefined || value === null) return {};
  if (isObject(value)) {
    return Object.fromEntries(Object.keys(value).map((name) => [name, read(reading, [key, name], value[name])]));
  }
  invalid(reading, [key], "a mapping");
  return {};
}

/**
 * Reads the policy. As in the reference, any other text than the known ones injects nothing, not even a pod that opts
 * in.
 */
function policyOf(reading: Reading): InjectionConfig["policy"] {
  const policy = reading.config["policy"] ?? "enabled";
  if (policy === "enabled" || policy === "disabled") return policy;
  reading.warn(["policy"], 'Config key "policy" is neither "enabled" nor "disabled": no pod is injected');
  return "unknown";
}

/** Reads label selectors. As in the reference, an invalid selector selects nothing. */
function selectors(reading: Reading, key: string): readonly LabelSelector[] {
  const value = reading.config[key] ?? [];
  if (!Array.isArray(value)) {
    invalid(reading, [key], "a list of label selectors");
    return [];
  }
  return value.flatMap((selector, index) => {
    try {
      return [parseLabelSelector(selector, `config.${key}[${index}]`)];
    } catch (error) {
      reading.warn([key, index], `${ownError(error).message}; it selects nothing`);
      return [];
    }
  });
}

function invalid(reading: Reading, steps: FieldPath, allowed: string): void {
  reading.fail(steps, `Cannot use config key ${JSON.stringify(keyOf(steps))}: it must be ${allowed}`);
}

function pathOf(steps: FieldPath): string {
  return steps.length === 0 ? "config" : `config.${keyOf(steps)}`;
}

/** The text of a path in the config: `aliases.a[0]` */
function keyOf(steps: FieldPath): string {
  return steps
    .map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join("");
}
