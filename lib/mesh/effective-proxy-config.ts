// The configuration of one workload's proxy, merged from all its sources. Runs in every request. Knows a pod only as a
// namespace, labels and annotations.

import { memoize, ownError } from "@outrigger/base";
import type { MeshConfig } from "./mesh-config.ts";
import { defaultProxyConfig, mergeProxyConfig, mergeProxyConfigText, type ProxyConfig } from "./proxy-config.ts";
import type { ProxyConfigResource } from "./proxy-config-resources.ts";

/** The workload of a configuration. */
export interface ProxyConfigTarget {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const ANNOTATION = "proxy.istio.io/config";

/**
 * The configuration of a workload's proxy. Each source overrides the ones before it:
 *
 * 1. the mesh's default (`baseProxyConfig`; the result itself if there is no other source)
 * 2. the oldest resource without a selector in the root namespace
 * 3. the oldest resource without a selector in the workload's namespace, if that is another one
 * 4. the annotation `proxy.istio.io/config`; a text that cannot be read is ignored
 * 5. the oldest resource in the workload's namespace whose selector matches
 *
 * The same sources give the same object, so that results can be cached by it.
 */
export function effectiveProxyConfig(
  mesh: MeshConfig,
  resources: readonly ProxyConfigResource[],
  target: ProxyConfigTarget,
): ProxyConfig {
  const { namespace, annotations } = target;
  const text = Object.hasOwn(annotations, ANNOTATION) ? annotations[ANNOTATION] : undefined;
  const base = baseProxyConfig(mesh);
  if (resources.length === 0) return text === undefined ? base : withText(base, text);
  const root = mesh.rootNamespace ?? "";
  const rooted = root === "" ? base : withResource(base, forNamespace(resources, root));
  const local = namespace === root ? rooted : withResource(rooted, forNamespace(resources, namespace));
  const annotated = text === undefined ? local : withText(local, text);
  return withResource(annotated, forWorkload(resources, target));
}

/**
 * The configuration of a workload without other sources: `mesh.defaultConfig`. Where the mesh sets a field to its zero
 * value, the field gets its default again, as in the reference. The same object at every call.
 */
export function baseProxyConfig(mesh: MeshConfig): ProxyConfig {
  const known = bases.get(mesh);
  if (known !== undefined) return known;
  const config = mesh.defaultConfig;
  const { statusPort, ...others } = config;
  const isComplete = Object.keys(defaultProxyConfig).every((name) => config[name] || name === "serviceCluster");
  const base = isComplete
    ? config
    : mergeProxyConfig(defaultProxyConfig, statusPort === 0 ? others : { ...others, statusPort });
  bases.set(mesh, base);
  return base;
}

const bases = new WeakMap<MeshConfig, ProxyConfig>();
const withResources = new WeakMap<ProxyConfig, WeakMap<ProxyConfigResource, ProxyConfig>>();
const withTexts = new WeakMap<ProxyConfig, (text: string) => ProxyConfig>();

function forNamespace(resources: readonly ProxyConfigResource[], namespace: string): ProxyConfigResource | undefined {
  return resources.find((resource) => resource.namespace === namespace && resource.selector === undefined);
}

function forWorkload(
  resources: readonly ProxyConfigResource[],
  { namespace, labels }: ProxyConfigTarget,
): ProxyConfigResource | undefined {
  return resources.find((resource) => {
    if (resource.namespace !== namespace || resource.selector === undefined) return false;
    const wanted = Object.entries(resource.selector);
    return wanted.length > 0 && wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  });
}

function withResource(config: ProxyConfig, resource: ProxyConfigResource | undefined): ProxyConfig {
  if (resource === undefined) return config;
  const made = withResources.get(config) ?? new WeakMap<ProxyConfigResource, ProxyConfig>();
  withResources.set(config, made);
  const merged = made.get(resource) ?? mergeProxyConfig(config, resource.settings);
  made.set(resource, merged);
  return merged;
}

function withText(config: ProxyConfig, text: string): ProxyConfig {
  const merge = withTexts.get(config) ?? memoize((each) => mergedWithText(config, each));
  withTexts.set(config, merge);
  return merge(text);
}

function mergedWithText(config: ProxyConfig, text: string): ProxyConfig {
  try {
    return mergeProxyConfigText(config, text);
  } catch (error) {
    ownError(error);
    return config;
  }
}
