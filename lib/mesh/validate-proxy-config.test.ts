import { describe, expect, it } from "vitest";
import { validateProxyConfig } from "./validate-proxy-config.ts";

describe("validateProxyConfig()", () => {
  it.each([
    ["{", "The text is not YAML"],
    ["{concurrency: 1", "The text is not YAML"],
    ["- a", "The text must be a mapping of fields"],
    ["configPath: ''", "configPath must be set"],
    ["serviceCluster: ''", "serviceCluster or tracingServiceName must be set"],
    ["drainDuration: 0s", 'drainDuration cannot be "0s": use a duration of whole seconds from 1s'],
    ["statusPort: 0", 'statusPort cannot be "0": use a port from 1 to 65535'],
    ["drainDuration: 1.5s", 'drainDuration cannot be "1.500s": use a duration of whole seconds'],
    ["drainDuration: 1us", 'drainDuration cannot be "0.000001s": use a duration of whole seconds'],
    [
      "terminationDrainDuration: -5s",
      'terminationDrainDuration cannot be "-5s": use a duration with its unit, like 5s',
    ],
    ["terminationDrainDuration: 5", 'terminationDrainDuration cannot be "5": use a duration with its unit, like 5s'],
    ["statusPort: x", 'statusPort cannot be "x": use a port from 1 to 65535'],
    ["image: {imageType: a b}", 'image.imageType cannot be "a b": use a variant of the image'],
    ["discoveryAddress: ''", 'discoveryAddress cannot be "": use a host and a port from 1 to 65535'],
    ["proxyAdminPort: 0", 'proxyAdminPort cannot be "0": use a port from 1 to 65535'],
    ["controlPlaneAuthPolicy: INHERIT", "controlPlaneAuthPolicy must be NONE or MUTUAL_TLS"],
    ["envoyMetricsService: {address: a}", 'envoyMetricsService.address cannot be "a": use a host and a port'],
    ["tracing: {lightstep: {address: 'a:1'}}", "tracing.lightstep.accessToken must be set"],
    ["tracing: {zipkin: {}}", 'tracing.zipkin.address cannot be "": use a host and a port'],
    ["tracing: {tlsSettings: {mode: MUTUAL}}", "tracing.tlsSettings.clientCertificate must be set"],
    ["tracing: {tlsSettings: {mode: MUTUAL, clientCertificate: c}}", "tracing.tlsSettings.privateKey must be set"],
    [
      "tracing: {tlsSettings: {credentialName: 'configmap://a'}}",
      "tracing.tlsSettings.credentialName cannot be a ConfigMap",
    ],
    ["tracing: {tlsSettings: {mode: SIMPLE, credentialName: c, privateKey: k}}", "together with credentialName"],
    ["tracing: {tlsSettings: {mode: SIMPLE, insecureSkipVerify: true, caCertificates: c}}", "with insecureSkipVerify"],
    ["tracing: {tlsSettings: {mode: SIMPLE, insecureSkipVerify: true, credentialName: c}}", "with insecureSkipVerify"],
    ["privateKeyProvider: {}", "privateKeyProvider must be cryptomb or qat"],
    ["privateKeyProvider: {qat: {pollDelay: 0s}}", "privateKeyProvider.qat.pollDelay must be set and not zero"],
    ["connectionSettings: {http2InitialStreamWindowSize: 1}", "must be at least 65535"],
    ["connectionSettings: {httpMaxConcurrentStreams: 0}", "httpMaxConcurrentStreams must be at least 1"],
    ["connectionSettings: {listenerConnectionLimit: 0}", "listenerConnectionLimit must be at least 1"],
    ["connectionSettings: {globalDownstreamConnectionLimit: 0}", "globalDownstreamConnectionLimit must be at least 1"],
    ["connectionSettings: {http2InitialConnectionWindowSize: 65534}", "must be at least 65535"],
    ["connectionSettings: {listenerPerConnectionBufferLimitBytes: -1}", "must be at least 0"],
    ["connectionSettings: {clusterPerConnectionBufferLimitBytes: -1}", "must be at least 0"],
    ["connectionSettings: {httpIdleTimeout: -1s}", "connectionSettings.httpIdleTimeout must not be negative"],
  ])("says what is wrong when the text is %j", (text, problem) => {
    expect(validateProxyConfig(text)).toContain(problem);
  });

  it.each([
    "tracing: {datadog: {address: '$(HOST_IP):8126'}}",
    "tracing: {zipkin: {address: '[::1]:9411'}}",
    "tracing: {tlsSettings: {mode: MUTUAL, credentialName: c}}",
    "tracing: {tlsSettings: {mode: SIMPLE, insecureSkipVerify: true}}",
    "tracing: {tlsSettings: {mode: MUTUAL, insecureSkipVerify: true, credentialName: c}}",
    "privateKeyProvider: {cryptomb: {pollDelay: 10ms}}",
    "connectionSettings: {httpMaxConcurrentStreams: 1}",
    "tracingServiceName: CANONICAL_NAME_ONLY",
    "interceptionMode: 7",
    // As for every field, null is as if it were not written.
    "{drainDuration: null, statusPort: null, discoveryAddress: null}",
  ])("finds nothing when the text is %j", (text) => {
    expect(validateProxyConfig(text)).toBeUndefined();
  });
});
