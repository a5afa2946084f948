// MeshConfig: Istio's defaults with the operator's texts applied over them. Runs when a release is compiled. Knows nothing
// about pods, and only the names of files.

import {
  entryOf,
  isObject,
  type JsonObject,
  type JsonValue,
  listOf,
  OutriggerError,
  objectOf,
  objectsOf,
  ownError,
} from "@outrigger/base";
import { parseYaml } from "@outrigger/yaml";
import { isWildcardHostName } from "./addresses.ts";
import { MILLISECOND, nanosecondsOf } from "./duration.ts";
import { type FieldRules, fieldProblem } from "./field-rules.ts";
import { meshSchema } from "./generated/mesh-schema.ts";
import { proxySchema } from "./generated/proxy-schema.ts";
import { assign, type Message, type OnUnknownField, readAssignments } from "./proto-json.ts";
import { fieldsOf, type ProtoField, type ProtoSchema } from "./proto-schema.ts";
import { applyProxyConfigValue, defaultProxyConfig, type ProxyConfig } from "./proxy-config.ts";
import { localityProblem, retryProblem, trafficPolicyProblem, zoneProblem } from "./validate-load-balancing.ts";
import { proxyConfigProblem, unless } from "./validate-proxy-config.ts";
import { describeWrong, podRules, ruleProblem, valueRules } from "./value-rules.ts";

/** Settings of the whole mesh, in protobuf's JSON form: zero values are absent, `defaultConfig` is always present. */
export interface MeshConfig extends JsonObject {
  readonly defaultConfig: ProxyConfig;
  readonly rootNamespace?: string;
  readonly trustDomain?: string;
  readonly trustDomainAliases?: readonly string[];
  readonly proxyListenPort?: number;
  readonly proxyInboundListenPort?: number;
  readonly enablePrometheusMerge?: boolean;
  readonly inboundTrafficPolicy?: { readonly mode?: string };
}

/** The name of the message that a mesh is. */
export const MESH_MESSAGE = "mesh.MeshConfig";
/** Fields of a MeshConfig. Those that are needed, and are as if unset where they are zero, have the text of their zero. */
export const MESH_FIELDS: FieldRules = {
  proxyListenPort: [podRules.port, "0"],
  connectTimeout: [valueRules.duration],
  trustDomain: [valueRules.domain, ""],
};
const HOUR = 3_600_000_000_000n;
const CURVES = "meshMTLS.ecdhCurves cannot be set: tlsDefaults takes curves";

/** Messages of both tables: a mesh config holds a proxy config, and uses some of its parts elsewhere. */
export const meshAndProxySchema: ProtoSchema = {
  messages: { ...proxySchema.messages, ...meshSchema.messages },
  enums: { ...proxySchema.enums, ...meshSchema.enums },
};

/** The defaults of a mesh. */
export const defaultMeshConfig: MeshConfig = {
  proxyListenPort: 15001,
  proxyInboundListenPort: 15006,
  connectTimeout: "10s",
  protocolDetectionTimeout: "0s",
  ingressClass: "istio",
  ingressService: "istio-ingressgateway",
  ingressControllerMode: "STRICT",
  enableTracing: true,
  defaultConfig: defaultProxyConfig,
  outboundTrafficPolicy: { mode: "ALLOW_ANY" },
  inboundTrafficPolicy: {},
  enableAutoMtls: true,
  trustDomain: "cluster.local",
  defaultServiceExportTo: ["*"],
  defaultVirtualServiceExportTo: ["*"],
  defaultDestinationRuleExportTo: ["*"],
  rootNamespace: "istio-system",
  localityLbSetting: { enabled: true },
  dnsRefreshRate: "60s",
  enablePrometheusMerge: true,
  extensionProviders: [
    { name: "prometheus", prometheus: {} },
    { name: "stackdriver", stackdriver: {} },
    { name: "envoy", envoyFileAccessLog: { path: "/dev/stdout" } },
  ],
  defaultProviders: {},
};

/**
 * The defaults with the YAML texts applied in order. A field replaces what was there, except that `defaultConfig` and
 * `defaultProviders` are merged field by field, `extensionProviders` by name, and `trustDomainAliases` are united.
 *
 * @param source the name of the texts, for errors: they have the same place in different trees
 * @returns with the paths of fields that a MeshConfig does not have
 * @throws OutriggerError `mesh-invalid` or `yaml-invalid`; the path is the source
 */
export function readMeshConfig(texts: readonly string[], source: string) {
  const unknown: string[] = [];
  const apply = (base: MeshConfig, text: string) => applyText(base, text, source, (path) => unknown.push(path));
  return { meshConfig: texts.reduce(apply, defaultMeshConfig), unknown };
}

function applyText(base: MeshConfig, text: string, source: string, onUnknown: OnUnknownField): MeshConfig {
  const value = parseYaml(text, source);
  try {
    const meshConfig = applyValue(base, value, onUnknown);
    const problem = meshConfigProblem(meshConfig);
    if (problem !== undefined) throw new OutriggerError("mesh-invalid", problem);
    return meshConfig;
  } catch (cause) {
    const message = `Cannot read ${source} as MeshConfig: ${problemOf(ownError(cause), value)}`;
    throw new OutriggerError("mesh-invalid", message, { path: source, cause });
  }
}

/** Of a field that has a rule, what the rule says: its type is a part of the rule. */
function problemOf({ path = "", message }: OutriggerError, value: JsonValue): string {
  const [rule] = entryOf(MESH_FIELDS, path) ?? [];
  const given = rule && objectOf(value)[path];
  const isText = typeof given === "string" || typeof given === "number" || typeof given === "boolean";
  return rule !== undefined && isText ? `${path} ${describeWrong(String(given), `use ${rule.use}`)}` : message;
}

function applyValue(base: MeshConfig, value: JsonValue, onUnknown: OnUnknownField): MeshConfig {
  const assignments = readAssignments(meshAndProxySchema, MESH_MESSAGE, value, "", onUnknown);
  if (!isObject(value)) return base;
  const replaced = assign(base, assignments);
  const proxyConfig = part(value, "defaultConfig", "default_config");
  const aliases = unite(base["trustDomainAliases"], replaced["trustDomainAliases"]);
  return {
    ...replaced,
    defaultConfig: applyProxyConfigValue(base.defaultConfig, proxyConfig, "defaultConfig"),
    defaultProviders: mergeProviders(base["defaultProviders"], part(value, "defaultProviders", "default_providers")),
    extensionProviders: mergeByName(objectsOf(base["extensionProviders"]), objectsOf(replaced["extensionProviders"])),
    ...(aliases.length > 0 && { trustDomainAliases: aliases }),
  };
}

function part(value: JsonObject, name: string, protoName: string): JsonValue {
  return value[name] ?? value[protoName] ?? null;
}

function mergeProviders(base: JsonValue | undefined, value: JsonValue): Message {
  const type = "mesh.MeshConfig.DefaultProviders";
  return assign(objectOf(base), readAssignments(meshAndProxySchema, type, value, "defaultProviders"));
}

/** A provider replaces the one of its name; new ones are appended. */
function mergeByName(below: readonly Message[], above: readonly Message[]): readonly Message[] {
  const merged = new Map<unknown, Message>();
  for (const provider of [...below, ...above]) merged.set(provider["name"] ?? "", provider);
  return [...merged.values()];
}

function unite(below: JsonValue | undefined, above: JsonValue | undefined): readonly string[] {
  const texts = [below, above].flatMap((list) => (Array.isArray(list) ? (list as readonly string[]) : []));
  return [...new Set(texts)].sort();
}

/** Returns what is wrong with a MeshConfig, the field first, or undefined if it is valid. */
function meshConfigProblem(config: JsonObject): string | undefined {
  const proxyProblem = isObject(config["defaultConfig"]) ? proxyConfigProblem(config["defaultConfig"]) : "must be set";
  return (
    fieldProblem(MESH_FIELDS, config) ??
    unless(nanosecondsOf(config["connectTimeout"]) <= HOUR, "connectTimeout must be at most 1h") ??
    unless(
      nanosecondsOf(config["protocolDetectionTimeout"]) % MILLISECOND === 0n,
      "protocolDetectionTimeout must be a whole number of milliseconds",
    ) ??
    unless(proxyProblem === undefined, `defaultConfig.${proxyProblem}`) ??
    localityProblem(config["localityLbSetting"]) ??
    zoneProblem(config["zoneAwareLbSetting"]) ??
    hostsProblem(config["serviceSettings"]) ??
    aliasesProblem(config) ??
    unless(objectOf(config["meshMTLS"])["ecdhCurves"] === undefined, CURVES) ??
    trafficPolicyProblem(config["defaultTrafficPolicy"]) ??
    retryProblem(config["defaultInboundHttpRetryPolicy"])
  );
}

function hostsProblem(settings: JsonValue | undefined): string | undefined {
  if (!Array.isArray(settings)) return undefined;
  for (const [index, setting] of settings.entries()) {
    const hosts = listOf(objectOf(setting)["hosts"]);
    const wrong = hosts.findIndex((host) => !isWildcardHostName(String(host)));
    if (wrong !== -1) return `serviceSettings[${index}].hosts[${wrong}] must be a host name, like *.example.com`;
  }
  return undefined;
}

function aliasesProblem(config: JsonObject): string | undefined {
  const problems = listOf(config["trustDomainAliases"]).map((alias) => ruleProblem(valueRules.domain, String(alias)));
  const wrong = problems.findIndex((problem) => problem !== undefined);
  return wrong === -1 ? undefined : `trustDomainAliases[${wrong}] ${problems[wrong]}`;
}

type MessageType =
  | { readonly kind: "message"; readonly fields: readonly ProtoField[] }
  /** An enum, whose values JSON writes by name. */
  | { readonly kind: "enum" };

/**
 * A message or enum of Istio's configuration by its short name; undefined for any other type, as protobuf's own are.
 *
 * @example
 * ```ts
 * messageType("mesh.Tracing")?.kind // => "message"
 * messageType("mesh.ProxyConfig.TracingServiceName")?.kind // => "enum"
 * messageType("google.protobuf.Duration") // => undefined
 * ```
 */
export function messageType(name: string): MessageType | undefined {
  for (const schema of [proxySchema, meshSchema]) {
    if (Object.hasOwn(schema.messages, name)) return { kind: "message", fields: fieldsOf(schema, name) };
    if (Object.hasOwn(schema.enums, name)) return { kind: "enum" };
  }
  return undefined;
}
