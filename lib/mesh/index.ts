// The face of @outrigger/mesh: what other packages and other people may use. Everything else is internal.
export { isIpPrefix } from "./addresses.ts";
export { describeSkew, type Skew } from "./describe-skew.ts";
export { baseProxyConfig, effectiveProxyConfig } from "./effective-proxy-config.ts";
export { ISTIO_RELEASES, type IstioRelease, isIstioRelease, isSince } from "./istio-release.ts";
export { defaultMeshConfig, type MeshConfig, readMeshConfig } from "./mesh-config.ts";
export { messageType } from "./message-type.ts";
export { type ProxyConfig, proxyConfigDifferences } from "./proxy-config.ts";
export { type ProxyConfigResource, parseProxyConfigResources } from "./proxy-config-resources.ts";
export { taggedMinor } from "./tagged-release.ts";
export { validateProxyConfig } from "./validate-proxy-config.ts";
