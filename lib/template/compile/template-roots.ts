// The root names of the template data. The injector supplies the values: lib/injector/render/template-data.ts.

/** Every root that a template may name. Any other name is a finding. */
export const TEMPLATE_ROOTS: readonly string[] = (
  "metadata spec owner values meshConfig proxyConfig revision cluster network nativeSidecars proxyImage proxyInitImage " +
  "proxyUID proxyGID inboundTrafficPolicyMode compliancePolicy"
).split(" ");
