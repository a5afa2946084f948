// The face of @outrigger/mesh: what other packages and other people may use. Everything else is internal.
export { isIpPrefix } from "./addresses.ts";
export { describeSkew, type Skew } from "./describe-skew.ts";
export { parseDuration } from "./duration.ts";
export { baseProxyConfig, effectiveProxyConfig } from "./effective-proxy-config.ts";
export { meshSchema } from "./generated/mesh-schema.ts";
export { proxySchema } from "./generated/proxy-schema.ts";
export { ISTIO_RELEASES, type IstioRelease, isIstioRelease, isSince } from "./istio-release.ts";
export { defaultMeshConfig, type MeshConfig, readMeshConfig } from "./mesh-config.ts";
export { fieldsOf, type ProtoField, type ProtoSchema } from "./proto-schema.ts";
export { defaultProxyConfig, mergeProxyConfigText, type ProxyConfig, proxyConfigDifferences } from "./proxy-config.ts";
export { type ProxyConfigResource, parseProxyConfigResources } from "./proxy-config-resources.ts";
export { taggedMinor } from "./tagged-release.ts";
export { validateProxyConfig } from "./validate-proxy-config.ts";
