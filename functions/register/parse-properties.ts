// The properties of the custom resource `Custom::OutriggerCluster`: what a stack's author may write, checked.

import { clusterNamePattern, DEFAULT_REVISION, defined, OutriggerError, objectOf, textOf } from "@outrigger/base";
import type { RequestedSettings } from "@outrigger/cluster";
import { rolloutPhases } from "@outrigger/webhook";

export interface RegisterProperties {
  /** The EKS cluster's name. */
  readonly cluster: string;
  /** The name that the cluster is registered as. */
  readonly name: string;
  readonly channel?: string;
  readonly selfTest: boolean;
  readonly allowUnproven: boolean;
  /** Whether new pods may lose the proxy that istiod injects. */
  readonly replacesIstio: boolean;
  readonly requested: Omit<RequestedSettings, "url" | "stack">;
}

const KEYS = `ServiceToken ServiceTimeout Cluster As Channel SelfTest AllowUnproven Revision Tags Phase
  Namespaces EnableNamespacesByDefault ClusterId Network TimeoutSeconds FailurePolicy ReinvocationPolicy
  SafetyNet InjectionLabel ReplaceIstio`.split(/\s+/);

/** CloudFormation hands numbers and booleans over as text. */
export function parseProperties(value: unknown): RegisterProperties {
  const properties = objectOf(value);
  const unknown = Object.keys(properties).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalid(unknown, `it is not known; use ${KEYS.slice(2).join(", ")}`);
  const read = <Value>(key: string, { rule, decode }: Form<Value>): Value | undefined => {
    const given = properties[key];
    const decoded = given === undefined ? undefined : decode(given);
    if (given !== undefined && decoded === undefined) throw invalid(key, rule);
    return decoded;
  };
  const cluster = read("Cluster", NAME);
  if (cluster === undefined) throw invalid("Cluster", "it must name the EKS cluster");
  const settings = defined({
    revision: read("Revision", TEXT) ?? DEFAULT_REVISION,
    tags: read("Tags", TEXTS),
    phase: read("Phase", oneOf(...rolloutPhases)),
    namespaces: read("Namespaces", TEXTS),
    enableNamespacesByDefault: read("EnableNamespacesByDefault", FLAG),
    clusterId: read("ClusterId", TEXT),
    network: read("Network", TEXT),
    timeoutSeconds: read("TimeoutSeconds", NUMBER),
    failurePolicy: read("FailurePolicy", oneOf("Ignore", "Fail")),
    reinvocationPolicy: read("ReinvocationPolicy", oneOf("Never", "IfNeeded")),
    injectionLabel: read("InjectionLabel", TEXT),
    safetyNet: read("SafetyNet", oneOf("deny", "warn", "off")),
  });
  return defined({
    cluster,
    name: read("As", NAME) ?? cluster,
    selfTest: read("SelfTest", FLAG) ?? true,
    allowUnproven: read("AllowUnproven", FLAG) ?? false,
    replacesIstio: read("ReplaceIstio", FLAG) ?? false,
    requested: settings,
    channel: read("Channel", TEXT),
  });
}

/** The form of a property: what it must be, and its decoder, which returns undefined for anything else. */
interface Form<Value> {
  readonly rule: string;
  readonly decode: (value: unknown) => Value | undefined;
}

const TEXT: Form<string> = { rule: "it must be text", decode: (value) => textOf(value) || undefined };
const NAME: Form<string> = {
  rule: "a cluster's name has at most 100 letters, digits, dashes and underscores",
  decode: (value) => (clusterNamePattern.test(textOf(value) ?? "") ? textOf(value) : undefined),
};
const TEXTS: Form<readonly string[]> = {
  rule: "it must be a list of texts",
  decode: (value) => (Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined),
};
const NUMBER: Form<number> = {
  rule: "it must be a whole number",
  decode: (value) => (/^\d{1,4}$/.test(wordOf(value)) ? Number(value) : undefined),
};
const FLAG: Form<boolean> = {
  rule: "it must be true, false",
  decode: (value) => (["true", "false"].includes(wordOf(value)) ? wordOf(value) === "true" : undefined),
};

function oneOf<Choice extends string>(...choices: readonly Choice[]): Form<Choice> {
  const rule = `it must be ${choices.join(", ")}`;
  return { rule, decode: (value) => choices.find((one) => one === wordOf(value)) };
}

/** An object has no text but its own `toString`, which may be no function. */
function wordOf(value: unknown): string {
  return typeof value === "object" ? "" : String(value);
}

function invalid(key: string, remedy: string): OutriggerError {
  return new OutriggerError("usage", `Cannot use the property ${key} of the custom resource: ${remedy}`, { path: key });
}
