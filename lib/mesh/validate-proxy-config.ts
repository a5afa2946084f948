// Whether a ProxyConfig is one that a proxy can run with: Istio's checks, each with a message that says the way out.

import { isObject, type JsonObject, type JsonValue, memoize, ownError } from "@outrigger/base";
import { proxyFieldProblem } from "./field-rules.ts";
import { applyProxyConfig, defaultProxyConfig } from "./proxy-config.ts";

const MIN_WINDOW = 65535;

/** Fields of `connectionSettings` that may not be less than the number. */
const CONNECTION_LIMITS: readonly (readonly [string, number])[] = [
  ["listenerPerConnectionBufferLimitBytes", 0],
  ["clusterPerConnectionBufferLimitBytes", 0],
  ["httpMaxConcurrentStreams", 1],
  ["http2InitialStreamWindowSize", MIN_WINDOW],
  ["http2InitialConnectionWindowSize", MIN_WINDOW],
  ["listenerConnectionLimit", 1],
  ["globalDownstreamConnectionLimit", 1],
];

const AUTH_POLICIES: ReadonlySet<unknown> = new Set([undefined, "NONE", "MUTUAL_TLS"]);

const CONNECTION_TIMES = (
  "httpIdleTimeout httpMaxConnectionDuration httpDrainTimeout httpRequestTimeout httpRequestHeadersTimeout " +
  "httpStreamIdleTimeout httpMaxStreamDuration"
).split(" ");

/**
 * Returns what is wrong with a YAML text as a `proxy.istio.io/config` annotation, or undefined if it is valid. As in
 * the reference, it is judged over the defaults, not over the mesh's own configuration.
 */
export const validateProxyConfig: (text: string) => string | undefined = memoize((text) => {
  try {
    return proxyConfigProblem(applyProxyConfig(defaultProxyConfig, text));
  } catch (error) {
    return ownError(error).message;
  }
});

/** Returns what is wrong with a ProxyConfig, the field first, or undefined if it is valid. */
export function proxyConfigProblem(config: JsonObject): string | undefined {
  return (
    required(config, "configPath") ??
    required(config, "binaryPath") ??
    unless(
      config["tracingServiceName"] !== undefined || Boolean(config["serviceCluster"]),
      "serviceCluster or tracingServiceName must be set",
    ) ??
    proxyFieldProblem(config) ??
    tracingProblem(config["tracing"]) ??
    unless(AUTH_POLICIES.has(config["controlPlaneAuthPolicy"]), "controlPlaneAuthPolicy must be NONE or MUTUAL_TLS") ??
    keyProviderProblem(config["privateKeyProvider"]) ??
    connectionProblem(config["connectionSettings"])
  );
}

export function unless(isRight: boolean, problem: string): string | undefined {
  return isRight ? undefined : problem;
}

function required(config: JsonObject, name: string): string | undefined {
  return unless(Boolean(config[name]), `${name} must be set`);
}

function tracingProblem(tracing: JsonValue | undefined): string | undefined {
  if (!isObject(tracing)) return undefined;
  const { lightstep, tlsSettings } = tracing;
  const hasToken = !isObject(lightstep) || Boolean(lightstep["accessToken"]);
  return hasToken ? tlsProblem(tlsSettings) : "tracing.lightstep.accessToken must be set";
}

function tlsProblem(tls: JsonValue | undefined): string | undefined {
  if (!isObject(tls)) return undefined;
  const path = "tracing.tlsSettings";
  const { mode, credentialName, caCertificates, subjectAltNames, clientCertificate, privateKey, caCrl } = tls;
  if (typeof credentialName === "string" && credentialName.startsWith("configmap://")) {
    return `${path}.credentialName cannot be a ConfigMap here: name a Secret`;
  }
  const verifies = caCertificates !== undefined || subjectAltNames !== undefined;
  if (tls["insecureSkipVerify"] === true) {
    if (mode === "SIMPLE" && (verifies || credentialName !== undefined)) {
      return `${path} cannot have caCertificates, credentialName or subjectAltNames with insecureSkipVerify`;
    }
    if (mode === "MUTUAL" && verifies)
      return `${path} cannot have caCertificates or subjectAltNames with insecureSkipVerify`;
  }
  if ((mode === "SIMPLE" || mode === "MUTUAL") && credentialName !== undefined) {
    const given = clientCertificate ?? caCertificates ?? privateKey ?? caCrl;
    return given === undefined ? undefined : `${path} cannot have certificates or keys together with credentialName`;
  }
  if (mode === "MUTUAL" && clientCertificate === undefined)
    return `${path}.clientCertificate must be set for mode MUTUAL`;
  if (mode === "MUTUAL" && privateKey === undefined) return `${path}.privateKey must be set for mode MUTUAL`;
  return undefined;
}

function keyProviderProblem(provider: JsonValue | undefined): string | undefined {
  if (!isObject(provider)) return undefined;
  const name = ["cryptomb", "qat"].find((each) => provider[each] !== undefined);
  if (name === undefined) return "privateKeyProvider must be cryptomb or qat";
  const delay = child(provider[name], "pollDelay");
  return delay === undefined || delay === "0s"
    ? `privateKeyProvider.${name}.pollDelay must be set and not zero`
    : undefined;
}

function connectionProblem(settings: JsonValue | undefined): string | undefined {
  if (!isObject(settings)) return undefined;
  for (const [name, least] of CONNECTION_LIMITS) {
    const value = settings[name];
    if (typeof value === "number" && value < least) return `connectionSettings.${name} must be at least ${least}`;
  }
  const negative = CONNECTION_TIMES.find((name) => String(settings[name] ?? "").startsWith("-"));
  return negative === undefined ? undefined : `connectionSettings.${negative} must not be negative`;
}

function child(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}
