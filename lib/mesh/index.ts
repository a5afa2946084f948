// The face of @outrigger/mesh: what other packages and other people may use. Everything else is internal.
export { describeSkew, type Skew } from "./describe-skew.ts";
export { baseProxyConfig, effectiveProxyConfig } from "./effective-proxy-config.ts";
export { ISTIO_RELEASES, type IstioRelease, isIstioRelease, isSince, taggedMinor } from "./istio-release.ts";
export { defaultMeshConfig, type MeshConfig, messageType, readMeshConfig } from "./mesh-config.ts";
export { type MeshField, meshFields } from "./mesh-fields.ts";
export {
  annotatedProxyConfig,
  type ProxyConfig,
  proxyConfigDifferences,
  unknownProxyConfigFields,
} from "./proxy-config.ts";
export { type ProxyConfigResource, parseProxyConfigResources } from "./proxy-config-resources.ts";
export { validateProxyConfig } from "./validate-proxy-config.ts";
export {
  describeWrong,
  podRules,
  printable,
  ruleProblem,
  type ValueRule,
  valueForms,
  valueRules,
} from "./value-rules.ts";
