// The names that template data have at their root. Owns the list alone: what stands under them is the inject room's.

/** Every root that a template may name; anything else is a finding. */
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
