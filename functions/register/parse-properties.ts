// The properties of the custom resource `Custom::OutriggerCluster`: what a stack's author may write, checked.

import {
  clusterNamePattern,
  DEFAULT_REVISION,
  defined,
  type JsonObject,
  OutriggerError,
  objectOf,
} from "@outrigger/base";
import type { RequestedSettings } from "@outrigger/cluster";
import { rolloutPhases } from "@outrigger/webhook";

export interface RegisterProperties {
  /** The EKS cluster's name. */
  readonly cluster: string;
  /** What it is registered as. */
  readonly name: string;
  readonly channel?: string;
  readonly selfTest: boolean;
  readonly allowUnproven: boolean;
  readonly requested: Omit<RequestedSettings, "url" | "stack">;
}

const KEYS = `ServiceToken ServiceTimeout Cluster As Channel SelfTest AllowUnproven Revision Tags Phase
  Namespaces EnableNamespacesByDefault ClusterId Network TimeoutSeconds FailurePolicy ReinvocationPolicy
  SafetyNet`.split(/\s+/);

/** CloudFormation hands numbers and booleans over as text. */
export function parseProperties(value: unknown): RegisterProperties {
  const properties = objectOf(value);
  const unknown = Object.keys(properties).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalid(unknown, `it is not known; use ${KEYS.slice(2).join(", ")}`);
  const cluster = nameOf(properties, "Cluster");
  if (cluster === undefined) throw invalid("Cluster", "it must name the EKS cluster");
  const settings = defined({
    revision: textOf(properties, "Revision") ?? DEFAULT_REVISION,
    tags: listOf(properties, "Tags"),
    phase: choiceOf(properties, "Phase", rolloutPhases),
    namespaces: listOf(properties, "Namespaces"),
    enableNamespacesByDefault: booleanOf(properties, "EnableNamespacesByDefault"),
    clusterId: textOf(properties, "ClusterId"),
    network: textOf(properties, "Network"),
    timeoutSeconds: numberOf(properties, "TimeoutSeconds"),
    failurePolicy: choiceOf(properties, "FailurePolicy", ["Ignore", "Fail"]),
    reinvocationPolicy: choiceOf(properties, "ReinvocationPolicy", ["Never", "IfNeeded"]),
    safetyNet: choiceOf(properties, "SafetyNet", ["deny", "warn", "off"]),
  });
  return defined({
    cluster,
    name: nameOf(properties, "As") ?? cluster,
    selfTest: booleanOf(properties, "SelfTest") ?? true,
    allowUnproven: booleanOf(properties, "AllowUnproven") ?? false,
    requested: settings,
    channel: textOf(properties, "Channel"),
  });
}

function textOf(properties: JsonObject, key: string): string | undefined {
  const value = properties[key];
  if (value === undefined || (typeof value === "string" && value !== "")) return value;
  throw invalid(key, "it must be text");
}

function nameOf(properties: JsonObject, key: string): string | undefined {
  const name = textOf(properties, key);
  if (name === undefined || clusterNamePattern.test(name)) return name;
  throw invalid(key, "a cluster's name has at most 100 letters, digits, dashes and underscores");
}

function listOf(properties: JsonObject, key: string): readonly string[] | undefined {
  const value = properties[key];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw invalid(key, "it must be a list of texts");
}

function booleanOf(properties: JsonObject, key: string): boolean | undefined {
  const choice = choiceOf(properties, key, ["true", "false"]);
  return choice === undefined ? undefined : choice === "true";
}

function numberOf(properties: JsonObject, key: string): number | undefined {
  const value = properties[key];
  if (value === undefined) return undefined;
  if (/^\d{1,4}$/.test(String(value))) return Number(value);
  throw invalid(key, "it must be a whole number");
}

function choiceOf<Choice extends string>(
  properties: JsonObject,
  key: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = properties[key];
  if (value === undefined) return undefined;
  const choice = choices.find((one) => one === String(value));
  if (choice !== undefined) return choice;
  throw invalid(key, `it must be ${choices.join(", ")}`);
}

function invalid(key: string, remedy: string): OutriggerError {
  return new OutriggerError("usage", `Cannot use the property ${key} of the custom resource: ${remedy}`, { path: key });
}
