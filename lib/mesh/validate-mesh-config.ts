// Whether a MeshConfig is one that a mesh can run with: Istio's checks of it, as far as they are errors there.

import { isObject, type JsonObject, type JsonValue, listOf, objectOf } from "@outrigger/base";
import { isTrustDomain, isWildcardHostName } from "./addresses.ts";
import { parseDuration } from "./duration.ts";
import { localityProblem, retryProblem, trafficPolicyProblem, zoneProblem } from "./validate-load-balancing.ts";
import { durationProblem, portProblem, proxyConfigProblem } from "./validate-proxy-config.ts";

/** What is wrong with a MeshConfig, the field first; undefined where nothing is. */
export function meshConfigProblem(config: JsonObject): string | undefined {
  const proxyProblem = isObject(config["defaultConfig"]) ? proxyConfigProblem(config["defaultConfig"]) : "must be set";
  return (
    portProblem(config["proxyListenPort"], "proxyListenPort") ??
    connectTimeoutProblem(config["connectTimeout"]) ??
    detectionTimeoutProblem(config["protocolDetectionTimeout"]) ??
    (proxyProblem === undefined ? undefined : `defaultConfig.${proxyProblem}`) ??
    localityProblem(config["localityLbSetting"]) ??
    zoneProblem(config["zoneAwareLbSetting"]) ??
    hostsProblem(config["serviceSettings"]) ??
    trustDomainsProblem(config) ??
    curvesProblem(config["meshMTLS"]) ??
    trafficPolicyProblem(config["defaultTrafficPolicy"]) ??
    retryProblem(config["defaultInboundHttpRetryPolicy"])
  );
}

function connectTimeoutProblem(value: JsonValue | undefined): string | undefined {
  const problem = durationProblem(value, "connectTimeout");
  if (problem !== undefined) return problem;
  return nanosecondsOf(value) <= 3_600_000_000_000n ? undefined : "connectTimeout must be at most 1h";
}

function detectionTimeoutProblem(value: JsonValue | undefined): string | undefined {
  return nanosecondsOf(value) % 1_000_000n === 0n
    ? undefined
    : "protocolDetectionTimeout must be a whole number of milliseconds";
}

function hostsProblem(settings: JsonValue | undefined): string | undefined {
  if (!Array.isArray(settings)) return undefined;
  for (const [index, setting] of settings.entries()) {
    const hosts = listOf(objectOf(setting)["hosts"]);
    const wrong = hosts.findIndex((host) => !isWildcardHostName(String(host)));
    if (wrong !== -1) return `serviceSettings[${index}].hosts[${wrong}] must be a host name, like *.example.com`;
  }
  return undefined;
}

function trustDomainsProblem(config: JsonObject): string | undefined {
  if (!isTrustDomain(String(config["trustDomain"] ?? ""))) return "trustDomain must be a domain, like cluster.local";
  const aliases = listOf(config["trustDomainAliases"]);
  const wrong = aliases.findIndex((alias) => !isTrustDomain(String(alias)));
  return wrong === -1 ? undefined : `trustDomainAliases[${wrong}] must be a domain, like cluster.local`;
}

function curvesProblem(tls: JsonValue | undefined): string | undefined {
  return isObject(tls) && tls["ecdhCurves"] !== undefined
    ? "meshMTLS.ecdhCurves cannot be set: tlsDefaults takes curves"
    : undefined;
}

function nanosecondsOf(value: JsonValue | undefined): bigint {
  return typeof value === "string" ? (parseDuration(value) ?? 0n) : 0n;
}
