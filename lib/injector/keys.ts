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

/** Ports that the data plane uses. Source: pilot-agent. */
export const reservedPorts: Readonly<Record<string, string>> = {
  "15000": "Envoy admin",
  "15001": "outbound traffic capture",
  "15004": "pilot debug",
  "15006": "inbound traffic capture",
  "15008": "HBONE tunnel",
  "15020": "the agent's own metrics",
  "15021": "Envoy health",
  "15053": "DNS proxy",
  "15090": "Envoy metrics, merged already",
};
