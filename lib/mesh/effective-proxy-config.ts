// The configuration of one workload's proxy, merged from all its sources. Runs in every request. Knows a pod only as a
// namespace, labels and annotations.

import { memoize, memoizeObject, metadataKeys, ownError } from "@outrigger/base";
import type { MeshConfig } from "./mesh-config.ts";
import { defaultProxyConfig, mergeProxyConfig, mergeProxyConfigText, type ProxyConfig } from "./proxy-config.ts";
import type { ProxyConfigResource } from "./proxy-config-resources.ts";

export interface ProxyConfigTarget {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const ANNOTATION = metadataKeys.proxyConfig;

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
  if (resources.length === 0) return text === undefined ? base : mergerOfTexts(base)(text);
  const root = mesh.rootNamespace ?? "";
  const rooted = root === "" ? base : withResource(base, forNamespace(resources, root));
  const local = namespace === root ? rooted : withResource(rooted, forNamespace(resources, namespace));
  const annotated = text === undefined ? local : mergerOfTexts(local)(text);
  return withResource(annotated, forWorkload(resources, target));
}

/**
 * The configuration of a workload without other sources: `mesh.defaultConfig`. Where the mesh sets a field to its zero
 * value, the field gets its default again, as in the reference. The same object at every call.
 */
export const baseProxyConfig = memoizeObject(({ defaultConfig: config }: MeshConfig): ProxyConfig => {
  const { statusPort, ...others } = config;
  const isComplete = Object.keys(defaultProxyConfig).every((name) => config[name] || name === "serviceCluster");
  if (isComplete) return config;
  return mergeProxyConfig(defaultProxyConfig, statusPort === 0 ? others : { ...others, statusPort });
});

function forNamespace(resources: readonly ProxyConfigResource[], namespace: string): ProxyConfigResource | undefined {
  return resources.find((resource) => resource.namespace === namespace && resource.selector === undefined);
}

function forWorkload(resources: readonly ProxyConfigResource[], { namespace, labels }: ProxyConfigTarget) {
  return resources.find((resource) => {
    if (resource.namespace !== namespace || resource.selector === undefined) return false;
    const wanted = Object.entries(resource.selector);
    return wanted.length > 0 && wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  });
}

function withResource(config: ProxyConfig, resource: ProxyConfigResource | undefined): ProxyConfig {
  return resource === undefined ? config : mergerOfResources(config)(resource);
}

const mergerOfResources = memoizeObject((config: ProxyConfig) =>
  memoizeObject(({ settings }: ProxyConfigResource) => mergeProxyConfig(config, settings)),
);

const mergerOfTexts = memoizeObject((config: ProxyConfig) => memoize((text) => mergedWithText(config, text)));

function mergedWithText(config: ProxyConfig, text: string): ProxyConfig {
  try {
    return mergeProxyConfigText(config, text);
  } catch (error) {
    ownError(error);
    return config;
  }
}
