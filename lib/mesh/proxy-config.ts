// ProxyConfig: Istio's defaults, applying a text over another configuration, and the part of it that a sidecar gets. Runs in
// every request with a `proxy.istio.io/config` annotation. Knows nothing about pods.

import {
  type JsonObject,
  type JsonValue,
  jsonEqual,
  memoize,
  OutriggerError,
  ownError,
  suggestName,
} from "@outrigger/base";
import { parseYamlNodes, YamlSyntaxError, yamlValue } from "@outrigger/yaml";
import { proxySchema } from "./generated/proxy-schema.ts";
import { type Assignments, assign, type Message, readAssignments } from "./proto-json.ts";
import { fieldsOf, type ProtoField } from "./proto-schema.ts";

/**
 * The configuration that a proxy runs with, in protobuf's JSON form. Zero values are absent, except for the three
 * fields that templates rely on: `interceptionMode`, `proxyMetadata` and `statusPort`.
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
  readonly proxyHeaders?: JsonObject;
}

const MESSAGE = "mesh.ProxyConfig";

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

/** Headers that keep their setting if an overlay sets only others; all other headers are replaced with `proxyHeaders`. */
const LASTING_HEADERS = ["forwardedClientCert", "requestId", "attemptCount", "server", "envoyDebugHeaders"];

/**
 * The base with a YAML text applied: fields are replaced, `proxyMetadata` is merged, `proxyHeaders` partly so. A field
 * that the text sets to its zero value loses its default.
 *
 * @throws OutriggerError `mesh-invalid`, with the path of the field
 */
export function applyProxyConfig(base: ProxyConfig, text: string): ProxyConfig {
  return overlay(base, readProxyConfigText(text));
}

/**
 * Applies a value that is already parsed, by the rules of `applyProxyConfig`. The paths of errors begin with `path`.
 */
export function applyProxyConfigValue(base: ProxyConfig, value: JsonValue, path: string): ProxyConfig {
  return overlay(base, readAssignments(proxySchema, MESSAGE, value, path));
}

/**
 * The base with a message applied over it, as between the sources of one proxy's configuration: like `applyProxyConfig`,
 * but zero values are ignored, so no field loses its default.
 */
export function mergeProxyConfig(base: ProxyConfig, above: Message): ProxyConfig {
  const assignments = new Map<ProtoField, JsonValue>();
  for (const field of fieldsOf(proxySchema, MESSAGE)) {
    const value = above[field.name];
    if (value !== undefined) assignments.set(field, value);
  }
  return overlay(base, assignments);
}

/**
 * The configuration that a `proxy.istio.io/config` annotation sets, without defaults. A text that cannot be read sets nothing.
 *
 * @example
 * ```ts
 * annotatedProxyConfig("image: {imageType: debug}").image?.imageType // => "debug"
 * ```
 */
export function annotatedProxyConfig(text: string): Partial<ProxyConfig> {
  try {
    return assign({}, readProxyConfigText(text));
  } catch (error) {
    ownError(error, "mesh-invalid");
    return {};
  }
}

/** Merges a YAML text over the base, by the rules of `mergeProxyConfig`. */
export function mergeProxyConfigText(base: ProxyConfig, text: string): ProxyConfig {
  return mergeProxyConfig(base, assign({}, readProxyConfigText(text)));
}

/**
 * The part of a configuration that a sidecar gets: fields that differ from the defaults, without zero values, in the order
 * of declaration, and metadata in the order of its keys.
 */
export function proxyConfigDifferences(proxyConfig: ProxyConfig): JsonObject {
  const differences: Record<string, JsonValue> = {};
  for (const { name } of fieldsOf(proxySchema, MESSAGE)) {
    const value = proxyConfig[name];
    if (value === undefined || (name === "statusPort" && value === 0)) continue;
    if (!jsonEqual(value, defaultProxyConfig[name]))
      differences[name] = name === "proxyMetadata" ? sorted(proxyConfig[name]) : value;
  }
  return differences;
}

function sorted(metadata: ProxyConfig["proxyMetadata"]): JsonObject {
  return Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns the base with the assignments made. It is built field by field, so that all configurations have their fields
 * in one order: a spread, then additions, is slower.
 */
function overlay(base: ProxyConfig, assignments: Assignments): ProxyConfig {
  if (assignments.size === 0) return base;
  const config: Record<string, JsonValue> = {};
  for (const field of fieldsOf(proxySchema, MESSAGE)) {
    const value = assignments.has(field)
      ? assignments.get(field)
      : isCleared(field, assignments)
        ? undefined
        : base[field.name];
    const merged = mergedField(field.name, base, value);
    if (merged !== undefined) config[field.name] = merged;
  }
  return config as ProxyConfig;
}

function isCleared(field: ProtoField, assignments: Assignments): boolean {
  if (field.rivals.length === 0) return false;
  for (const other of assignments.keys()) if (other.rivals.includes(field.name)) return true;
  return false;
}

/** Fields that are merged instead of replaced, or that are always present. */
function mergedField(name: string, base: ProxyConfig, value: JsonValue | undefined): JsonValue | undefined {
  switch (name) {
    case "proxyMetadata":
      return value === undefined || value === base.proxyMetadata
        ? base.proxyMetadata
        : { ...base.proxyMetadata, ...(value as JsonObject) };
    case "proxyHeaders":
      return value === undefined ? undefined : mergeHeaders(base.proxyHeaders, value as JsonObject);
    case "interceptionMode":
      return value ?? "REDIRECT";
    case "statusPort":
      return value ?? 0;
    default:
      return value;
  }
}

function mergeHeaders(below: JsonObject | undefined, above: JsonObject): JsonObject {
  if (below === undefined || below === above) return above;
  const lasting = LASTING_HEADERS.filter((name) => above[name] === undefined && below[name] !== undefined);
  return { ...above, ...Object.fromEntries(lasting.map((name) => [name, below[name]])) };
}

const MAX_DEPTH = 32;
const MAX_ALIASES = 100;
/** Characters that aliases may add to a text: pods choose it. */
const MAX_EXPANSION = 10_000;
/** Matches texts that have the same meaning in JSON and in YAML: parsing JSON is fifty times faster. */
const PLAIN_JSON = /^\s*\{[\x20-\x7e\n\r]*\}\s*$/;

const readProxyConfigText: (text: string) => Assignments = memoize((text) =>
  readAssignments(proxySchema, MESSAGE, readText(text), ""),
);

/**
 * Returns a hint for each field of a text that a ProxyConfig does not have, as Istio ignores them: `tracin is not
 * known, did you mean "tracing"`. A text that cannot be read has none.
 */
export const unknownProxyConfigFields: (text: string) => readonly string[] = memoize((text) => {
  const unknown: string[] = [];
  const names = fieldsOf(proxySchema, MESSAGE).map(({ name }) => name);
  try {
    readAssignments(proxySchema, MESSAGE, readText(text), "", (path) =>
      unknown.push(`${path} is not known${suggestName(path, names)}`),
    );
  } catch {
    return [];
  }
  return unknown;
});

function readText(text: string): JsonValue {
  if (PLAIN_JSON.test(text)) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // A YAML flow mapping that is not JSON.
    }
  }
  return readYaml(text);
}

/** The first document. Of duplicate keys, the last one counts, as in the reference for annotations. */
function readYaml(text: string): JsonValue {
  try {
    const document = parseYamlNodes(text, { maxDepth: MAX_DEPTH });
    return document === undefined
      ? null
      : yamlValue(document.root, { maxExpansion: MAX_EXPANSION, maxAliases: MAX_ALIASES });
  } catch (cause) {
    if (!(cause instanceof YamlSyntaxError)) throw cause;
    throw new OutriggerError("mesh-invalid", `The text is not YAML: ${cause.reason}`, { cause });
  }
}
