// What Istio's data plane fixes: the names of injected containers, and the ports that its processes take.

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
