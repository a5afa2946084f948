import { describe, expect, it } from "vitest";
import { parseMeshConfig } from "../../test/support/parse-mesh-config.ts";

function distribute(...entries: readonly (readonly [string, Readonly<Record<string, number>>])[]): string {
  return JSON.stringify({ localityLbSetting: { distribute: entries.map(([from, to]) => ({ from, to })) } });
}

describe("localityProblem()", () => {
  it.each([
    [distribute(["a/b/*", { "a/b/*": 60, "c/d/*": 40 }], ["a/c", { "*": 100 }])],
    [distribute(["a/b", { x: 100 }], ["a/*", { x: 100 }])],
    ["localityLbSetting: {failover: [{from: a, to: b}], failoverPriority: [x]}"],
  ])("finds nothing when it is %s", (text) => {
    expect(() => parseMeshConfig([text], "mesh")).not.toThrow();
  });

  it.each([
    [distribute(["a", { b: 60, c: 30 }]), "add up to 100, not 90"],
    [distribute(["a", { b: 101 }]), "weights from 1 to 100"],
    [distribute(["a", {}]), "add up to 100, not 0"],
    [distribute(["a", { b: 100 }], ["a/b", { b: 100 }]), "do not overlap"],
    [distribute(["a/b/c", { b: 100 }], ["a", { b: 100 }]), "do not overlap"],
    [distribute(["a/*", { b: 100 }], ["a/b/c", { b: 100 }]), "do not overlap"],
    [distribute(["a/b/c", { b: 100 }], ["a/b", { b: 100 }]), "do not overlap"],
    [distribute(["*", { b: 100 }], ["x", { b: 100 }]), "do not overlap"],
    [distribute(["a/*/b", { b: 100 }]), "do not overlap"],
    [distribute(["a//b", { b: 100 }]), "do not overlap"],
    ["localityLbSetting: {distribute: [{from: a, to: {b: 100}}], failover: [{from: a, to: b}]}", "cannot have both"],
    ["localityLbSetting: {failover: [{from: a, to: a}]}", "must name different regions"],
    ["localityLbSetting: {failover: [{from: a, to: b/c}]}", "must name regions"],
    [
      "localityLbSetting: {failover: [{from: a, to: b}], failoverPriority: [topology.kubernetes.io/zone]}",
      "cannot name topology.kubernetes.io/zone",
    ],
  ])("finds what the reference finds when it is %s", (text, problem) => {
    expect(() => parseMeshConfig([text], "mesh")).toThrow(problem);
  });
});

describe("zoneProblem()", () => {
  it("refuses topology labels and zones when they are named", () => {
    const label = "zoneAwareLbSetting: {failoverPriority: [topology.istio.io/subzone]}";
    expect(() => parseMeshConfig([label], "mesh")).toThrow("zoneAwareLbSetting.failoverPriority");
    expect(() => parseMeshConfig(["zoneAwareLbSetting: {failover: [{from: a/b, to: c}]}"], "mesh")).toThrow(
      "must name regions",
    );
  });
});

describe("trafficPolicyProblem()", () => {
  it.each([
    ["connectionPool: {}", "must have http or tcp"],
    ["connectionPool: {http: {maxRetries: -1}}", "http.maxRetries must not be negative"],
    ["connectionPool: {http: {h2UpgradePolicy: UPGRADE, useClientProtocol: true}}", "useClientProtocol"],
    ["connectionPool: {tcp: {maxConnections: -1}}", "tcp.maxConnections must not be negative"],
    ["connectionPool: {tcp: {connectTimeout: 0s}}", "tcp.connectTimeout must be at least 1ms"],
    ["connectionPool: {tcp: {tcpKeepalive: {time: 1us}}}", "tcp.tcpKeepalive.time must be at least 1ms"],
    ["outlierDetection: {consecutiveLocalOriginFailures: 1}", "needs splitExternalLocalOriginErrors"],
    ["outlierDetection: {maxEjectionPercent: 101}", "maxEjectionPercent must be from 0 to 100"],
    ["outlierDetection: {interval: 0s}", "outlierDetection.interval must be at least 1ms"],
  ])("finds what the reference finds when it is %s", (policy, problem) => {
    expect(() => parseMeshConfig([`defaultTrafficPolicy: {${policy}}`], "mesh")).toThrow(problem);
  });

  it("lets an idle timeout be zero when that turns it off", () => {
    expect(() =>
      parseMeshConfig(["defaultTrafficPolicy: {connectionPool: {tcp: {idleTimeout: 0s}}}"], "mesh"),
    ).not.toThrow();
  });
});

describe("retryProblem()", () => {
  it("takes conditions and status codes when Envoy knows them", () => {
    expect(() =>
      parseMeshConfig(["defaultInboundHttpRetryPolicy: {attempts: 2, retryOn: '5xx,503'}"], "mesh"),
    ).not.toThrow();
  });

  it.each([
    ["attempts: -1", "attempts must not be negative"],
    ["retryOn: 5xx", "together with attempts: 0"],
    ["retryRemoteLocalities: true", "together with attempts: 0"],
    ["backoff: 1s", "together with attempts: 0"],
    ["perTryTimeout: 1s", "together with attempts: 0"],
    ["attempts: 1, retryOn: '5xx,nope'", "entry 2 is not one"],
    ["attempts: 1, retryOn: '599'", "entry 1 is not one"],
    ["attempts: 1, perTryTimeout: 0s", "perTryTimeout must be at least 1ms"],
  ])("finds what the reference finds when it is %s", (policy, problem) => {
    expect(() => parseMeshConfig([`defaultInboundHttpRetryPolicy: {${policy}}`], "mesh")).toThrow(problem);
  });
});

describe("the retry policies that a mesh may name", () => {
  const parse = (retryOn: string) => () =>
    parseMeshConfig([JSON.stringify({ defaultInboundHttpRetryPolicy: { attempts: 1, retryOn } })], "mesh");

  it.each(
    "5xx gateway-error reset reset-before-request connect-failure retriable-4xx refused-stream retriable-status-codes retriable-headers envoy-ratelimited http3-post-connect-failure cancelled deadline-exceeded internal resource-exhausted unavailable 503 505".split(
      " ",
    ),
  )("include %s", (policy) => {
    expect(parse(policy)).not.toThrow();
    expect(parse(`5xx,${policy}`)).not.toThrow();
  });

  it.each(["6xx", "x", "99", "600", "5xx,x"])("do not include %s", (policy) => {
    expect(parse(policy)).toThrow();
  });
});
