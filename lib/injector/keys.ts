// The annotation and label keys that injection reads or writes, and the names of injected containers.

/** Annotation keys. Source: istio.io/api/annotation, and the conventions of Kubernetes and Prometheus. */
export const annotationKeys = {
  inject: "sidecar.istio.io/inject",
  templates: "inject.istio.io/templates",
  status: "sidecar.istio.io/status",
  overrides: "proxy.istio.io/overrides",
  revision: "istio.io/rev",
  proxyConfig: "proxy.istio.io/config",
  nativeSidecar: "sidecar.istio.io/nativeSidecar",
  interceptionMode: "sidecar.istio.io/interceptionMode",
  rewriteProbes: "sidecar.istio.io/rewriteAppHTTPProbers",
  statusPort: "status.sidecar.istio.io/port",
  mergeMetrics: "prometheus.istio.io/merge-metrics",
  securePort: "prometheus.istio.io/secure-port",
} as const;

/** Label keys. */
export const labelKeys = {
  inject: "sidecar.istio.io/inject",
  network: "topology.istio.io/network",
  canonicalName: "service.istio.io/canonical-name",
} as const;

/** Names of the containers that the shipped templates inject. */
export const containerNames = {
  proxy: "istio-proxy",
  init: "istio-init",
  validation: "istio-validation",
  coreDump: "enable-core-dump",
} as const;
