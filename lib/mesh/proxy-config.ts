// ProxyConfig: Istio's defaults, how one text is applied over another configuration, and what a sidecar is given of it.
// Part of the path of every request with a `proxy.istio.io/config` annotation. Knows nothing of pods.

import { constructFromEvents, parseEvents, YAMLException } from "js-yaml";
import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue, jsonEqual } from "../json.ts";
import { kubernetesSchema } from "../kube/yaml.ts";
import { type Assignments, assign, type Message, messageOf, readAssignments } from "./proto-json.ts";
import { proxySchema } from "./proxy-schema.ts";

/**
 * How a proxy runs, in protobuf's JSON form. Zero values are absent, except for the three that templates rely on:
 * `interceptionMode`, `proxyMetadata` and `statusPort`.
 */
export interface ProxyConfig extends JsonObject {
  readonly interceptionMode: string | number;
  readonly proxyMetadata: Readonly<Record<string, string>>;
  readonly statusPort: number;
  readonly concurrency?: number;
  readonly discoveryAddress?: string;
  readonly drainDuration?: string;
  readonly terminationDrainDuration?: string;
  readonly holdApplicationUntilProxyStarts?: boolean;
  readonly image?: { readonly imageType?: string };
}

const MESSAGE = "mesh.ProxyConfig";
const MAX_DEPTH = 32;
const MAX_ALIASES = 100;

/** What a proxy is given when nobody says otherwise. */
export const defaultProxyConfig: ProxyConfig = {
  configPath: "./etc/istio/proxy",
  binaryPath: "/usr/local/bin/envoy",
  serviceCluster: "istio-proxy",
  drainDuration: "45s",
  discoveryAddress: "istiod.istio-system.svc:15012",
  proxyAdminPort: 15000,
  controlPlaneAuthPolicy: "MUTUAL_TLS",
  statNameLength: 189,
  interceptionMode: "REDIRECT",
  proxyMetadata: {},
  statusPort: 15020,
  terminationDrainDuration: "5s",
};

/** Headers whose setting outlives an overlay that sets others; the rest are replaced with the whole of `proxyHeaders`. */
const LASTING_HEADERS = ["forwardedClientCert", "requestId", "attemptCount", "server", "envoyDebugHeaders"];

/**
 * The base with a YAML text applied: fields are replaced, `proxyMetadata` is merged, `proxyHeaders` partly so. A field
 * that the text sets to its zero value loses its default.
 *
 * @throws OutriggerError `mesh-invalid`, with the path of the field
 */
export function applyProxyConfig(base: ProxyConfig, text: string): ProxyConfig {
  return overlay(base, readProxyConfig(text));
}

/** As `applyProxyConfig`, of a value that is already read. The path is what the errors' paths begin with. */
export function applyProxyConfigValue(base: ProxyConfig, value: JsonValue, path: string): ProxyConfig {
  return overlay(base, readAssignments(proxySchema, MESSAGE, value, path));
}

/**
 * The base with a message laid over it as between the sources of one proxy's configuration: as `applyProxyConfig`, but
 * a message has no zero values, so nothing loses its default.
 */
export function mergeProxyConfig(base: ProxyConfig, above: Message): ProxyConfig {
  return overlay(base, readAssignments(proxySchema, MESSAGE, above, ""));
}

/** The message that a YAML text holds. @throws OutriggerError `mesh-invalid` */
export function parseProxyConfig(text: string): Message {
  return messageOf(readProxyConfig(text));
}

/** What differs from the defaults, without zero values, in the order of declaration: what a sidecar is given. */
export function proxyConfigDifferences(proxyConfig: ProxyConfig): JsonObject {
  const differences: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(proxyConfig)) {
    if (value === undefined || jsonEqual(value, defaultProxyConfig[name])) continue;
    if (name === "statusPort" && value === 0) continue;
    differences.push([name, value]);
  }
  return Object.fromEntries(differences);
}

function readProxyConfig(text: string): Assignments {
  return readAssignments(proxySchema, MESSAGE, readYaml(text), "");
}

/** The first document; of a key given twice the last one counts, as the reference has it in annotations. */
function readYaml(text: string): JsonValue {
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    const options = { source: text, schema: kubernetesSchema, maxAliases: MAX_ALIASES, json: true };
    return (constructFromEvents(events, options)[0] ?? null) as JsonValue;
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    throw new OutriggerError("mesh-invalid", `The text is not YAML: ${cause.reason}`, { cause });
  }
}

function overlay(base: ProxyConfig, assignments: Assignments): ProxyConfig {
  if (assignments.size === 0) return base;
  const { interceptionMode, proxyMetadata, proxyHeaders, statusPort, ...rest } = assign(
    base,
    assignments,
    proxySchema,
    MESSAGE,
  );
  return {
    ...rest,
    ...(proxyHeaders === undefined ? {} : { proxyHeaders: mergeHeaders(base["proxyHeaders"], proxyHeaders) }),
    interceptionMode: (interceptionMode ?? "REDIRECT") as string | number,
    proxyMetadata: mergeMetadata(base.proxyMetadata, proxyMetadata as ProxyConfig["proxyMetadata"] | undefined),
    statusPort: (statusPort ?? 0) as number,
  };
}

function mergeMetadata(
  below: Readonly<Record<string, string>>,
  above: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  if (above === undefined || above === below) return below;
  return { ...below, ...above };
}

function mergeHeaders(below: JsonValue | undefined, above: JsonValue): JsonValue {
  if (!isObject(below) || !isObject(above) || below === above) return above;
  const lasting = LASTING_HEADERS.filter((name) => above[name] === undefined && below[name] !== undefined);
  return { ...above, ...Object.fromEntries(lasting.map((name) => [name, below[name]])) };
}
