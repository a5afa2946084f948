// The root names of the template data. Owns the list only: lib/injector/render/template-data.ts supplies the values.

/** Every root that a template may name. Any other name is a finding. */
export const TEMPLATE_ROOTS: readonly string[] = [
  "metadata",
  "spec",
  "owner",
  "values",
  "meshConfig",
  "proxyConfig",
  "revision",
  "cluster",
  "network",
  "nativeSidecars",
  "proxyImage",
  "proxyInitImage",
  "proxyUID",
  "proxyGID",
  "inboundTrafficPolicyMode",
  "compliancePolicy",
];
