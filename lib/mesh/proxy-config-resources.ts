// ProxyConfig resources (networking.istio.io): reading them, and which of them a workload's configuration is made of.
// Knows pods only as a namespace, labels and annotations.

import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { parseYamlDocuments } from "../kube/yaml.ts";
import type { MeshConfig } from "./mesh-config.ts";
import { type Message, messageOf, readAssignments } from "./proto-json.ts";
import { defaultProxyConfig, mergeProxyConfig, type ProxyConfig, parseProxyConfig } from "./proxy-config.ts";
import { proxySchema } from "./proxy-schema.ts";

/** A resource as far as it matters here; plain JSON. */
export interface ProxyConfigResource {
  readonly name: string;
  readonly namespace: string;
  /** Labels of the workloads that it is for. Absent: the whole namespace. Empty: none, as in the reference. */
  readonly selector?: Readonly<Record<string, string>>;
  /** What it sets, as parts of a ProxyConfig. */
  readonly settings: Message;
}

/** The workload that a configuration is for. */
export interface ProxyConfigTarget {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

const ANNOTATION = "proxy.istio.io/config";
const KIND = "ProxyConfig";
const GROUP = "networking.istio.io/";
const MESSAGE = "networking.ProxyConfig";

/**
 * Reads resources, oldest first: documents of a YAML stream, each a resource, a `List` of them or a YAML list. Where all
 * of them carry a `creationTimestamp`, that decides which is older; otherwise their order does.
 *
 * @throws OutriggerError `yaml-invalid` or `mesh-invalid`; the path is the source
 */
export function parseProxyConfigResources(text: string, source: string): readonly ProxyConfigResource[] {
  const listed = parseYamlDocuments(text, source).flatMap(({ value }) => itemsOf(value));
  const dated = listed.every((value) => creationTime(value) !== "");
  const ordered = dated ? listed.toSorted((a, b) => compare(creationTime(a), creationTime(b))) : listed;
  return ordered.map((value) => readResource(value, source));
}

/**
 * What a workload's proxy is configured with: the mesh's default, then over it the oldest resource for all of the root
 * namespace, the oldest for all of the workload's namespace, the workload's annotation, and the oldest resource there
 * whose selector matches.
 *
 * Where nothing of that exists the result is the mesh's `defaultConfig` itself (see `baseProxyConfig`).
 */
export function effectiveProxyConfig(
  mesh: MeshConfig,
  resources: readonly ProxyConfigResource[],
  target: ProxyConfigTarget,
): ProxyConfig {
  const { namespace, annotations } = target;
  const root = mesh.rootNamespace ?? "";
  let config = baseProxyConfig(mesh);
  if (resources.length > 0) {
    if (root !== "")
      config = layer(
        config,
        resources.find((each) => each.namespace === root && each.selector === undefined),
      );
    if (namespace !== root) {
      config = layer(
        config,
        resources.find((each) => each.namespace === namespace && each.selector === undefined),
      );
    }
  }
  const text =
    annotations === undefined || !Object.hasOwn(annotations, ANNOTATION) ? undefined : annotations[ANNOTATION];
  if (text !== undefined) config = mergeProxyConfig(config, parseProxyConfig(text));
  return resources.length === 0
    ? config
    : layer(
        config,
        resources.find((each) => isSelected(each, target)),
      );
}

/**
 * The configuration of a workload that nothing else is said of: `mesh.defaultConfig`, or, where the mesh sets a field to
 * its zero value, that with the field's default put back, as the reference does. The same object at every call.
 */
export function baseProxyConfig(mesh: MeshConfig): ProxyConfig {
  const known = bases.get(mesh);
  if (known !== undefined) return known;
  const config = mesh.defaultConfig;
  const complete = Object.keys(defaultProxyConfig).every((name) => name === "serviceCluster" || config[name]);
  const base = complete ? config : mergeProxyConfig(defaultProxyConfig, config);
  bases.set(mesh, base);
  return base;
}

const bases = new WeakMap<MeshConfig, ProxyConfig>();

function layer(config: ProxyConfig, resource: ProxyConfigResource | undefined): ProxyConfig {
  return resource === undefined ? config : mergeProxyConfig(config, resource.settings);
}

function isSelected({ namespace, selector }: ProxyConfigResource, target: ProxyConfigTarget): boolean {
  if (namespace !== target.namespace || selector === undefined) return false;
  const wanted = Object.keys(selector);
  const labels = target.labels ?? {};
  return wanted.length > 0 && wanted.every((key) => Object.hasOwn(labels, key) && labels[key] === selector[key]);
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  if (isObject(value) && Array.isArray(value["items"]) && String(value["kind"]).endsWith("List")) return value["items"];
  return [value];
}

function creationTime(value: JsonValue): string {
  return textOf(metadataOf(value), "creationTimestamp");
}

function readResource(value: JsonValue, source: string): ProxyConfigResource {
  const metadata = metadataOf(value);
  const name = textOf(metadata, "name");
  const namespace = textOf(metadata, "namespace");
  const fail = (problem: string, cause?: unknown) =>
    new OutriggerError("mesh-invalid", `Cannot read ${source}: ProxyConfig ${JSON.stringify(name)} ${problem}`, {
      path: source,
      cause,
    });
  if (!isObject(value)) throw fail("must be a resource: apiVersion, kind, metadata and spec");
  const { kind, apiVersion } = value;
  if (kind !== undefined && kind !== KIND) throw fail(`has the wrong kind: write kind: ${KIND}`);
  if (apiVersion !== undefined && !String(apiVersion).startsWith(GROUP))
    throw fail(`has the wrong apiVersion: write ${GROUP}v1beta1`);
  if (namespace === "") throw fail("has no namespace: add metadata.namespace");
  return { name, namespace, ...readSpec(value["spec"] ?? null, fail) };
}

function readSpec(
  spec: JsonValue,
  fail: (problem: string, cause?: unknown) => OutriggerError,
): Pick<ProxyConfigResource, "selector" | "settings"> {
  const unknown: string[] = [];
  const message = readMessage(spec, fail, (path) => unknown.push(path));
  if (unknown[0] !== undefined) throw fail(`has an unknown field ${unknown[0]}: remove it or correct its name`);
  const { selector, concurrency, environmentVariables, image } = message;
  if (Number(concurrency ?? 0) < 0)
    throw fail("has a negative spec.concurrency: write 0 for as many as there are cores");
  const settings: Message = {
    ...(concurrency !== undefined && { concurrency }),
    ...(environmentVariables !== undefined && { proxyMetadata: environmentVariables }),
    ...(image !== undefined && { image }),
  };
  if (!isObject(selector)) return { settings };
  const labels = (selector["matchLabels"] ?? {}) as Readonly<Record<string, string>>;
  const wrong = Object.entries(labels).find(([key, value]) => key === "" || `${key}${value}`.includes("*"));
  if (wrong !== undefined)
    throw fail("has a selector with an empty or wildcard label: spec.selector.matchLabels takes whole labels");
  return { selector: labels, settings };
}

function readMessage(
  spec: JsonValue,
  fail: (problem: string, cause?: unknown) => OutriggerError,
  onUnknown: (path: string) => void,
): JsonObject {
  try {
    return messageOf(readAssignments(proxySchema, MESSAGE, spec, "spec", onUnknown));
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) throw cause;
    throw fail(`is malformed: ${cause.message}`, cause);
  }
}

function metadataOf(value: JsonValue): JsonObject {
  return isObject(value) && isObject(value["metadata"]) ? value["metadata"] : {};
}

function textOf(mapping: JsonObject, name: string): string {
  const value = mapping[name];
  return typeof value === "string" ? value : "";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
