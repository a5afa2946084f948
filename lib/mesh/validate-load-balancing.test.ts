import { describe, expect, it } from "vitest";
import { parseMeshConfig } from "../../test/support/parse-mesh-config.ts";
import { localityProblem, trafficPolicyProblem, zoneProblem } from "./validate-load-balancing.ts";

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
    [
      "connectionPool: {tcp: {connectTimeout: 0s}}",
      'tcp.connectTimeout cannot be "0s": use a duration of whole milliseconds from 1ms',
    ],
    [
      "connectionPool: {tcp: {tcpKeepalive: {time: 1us}}}",
      'tcp.tcpKeepalive.time cannot be "0.000001s": use a duration of whole milliseconds from 1ms',
    ],
    ["outlierDetection: {consecutiveLocalOriginFailures: 1}", "needs splitExternalLocalOriginErrors"],
    ["outlierDetection: {maxEjectionPercent: 101}", "maxEjectionPercent must be from 0 to 100"],
    [
      "outlierDetection: {interval: 0s}",
      'outlierDetection.interval cannot be "0s": use a duration of whole milliseconds from 1ms',
    ],
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
    ["attempts: 1, perTryTimeout: 0s", 'perTryTimeout cannot be "0s": use a duration of whole milliseconds from 1ms'],
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

describe("the numbers of a traffic policy", () => {
  const problemOf = (policy: object) => trafficPolicyProblem(policy as never);
  const ofPool = (pool: object) => problemOf({ connectionPool: pool });
  const POOL = "defaultTrafficPolicy.connectionPool";
  const OUTLIER = "defaultTrafficPolicy.outlierDetection";
  const inMilliseconds = (path: string) =>
    new RegExp(`${path} cannot be "-?[0-9.]+s": use a duration of whole milliseconds from 1ms`);

  it.each([
    "http1MaxPendingRequests",
    "http2MaxRequests",
    "maxRequestsPerConnection",
    "maxRetries",
    "maxConcurrentStreams",
  ])("may be 0 in http.%s, and not less", (name) => {
    expect(ofPool({ http: { [name]: 0 } })).toBeUndefined();
    expect(ofPool({ http: { [name]: -1 } })).toBe(`${POOL}.http.${name} must not be negative`);
  });

  it("may be 0 in tcp.maxConnections, and not less", () => {
    expect(ofPool({ tcp: { maxConnections: 0 } })).toBeUndefined();
    expect(ofPool({ tcp: { maxConnections: -1 } })).toBe(`${POOL}.tcp.maxConnections must not be negative`);
  });

  it.each([
    ["http.idleTimeout", (time: string) => ({ http: { idleTimeout: time } })],
    ["tcp.connectTimeout", (time: string) => ({ tcp: { connectTimeout: time } })],
    ["tcp.maxConnectionDuration", (time: string) => ({ tcp: { maxConnectionDuration: time } })],
    ["tcp.tcpKeepalive.time", (time: string) => ({ tcp: { tcpKeepalive: { time } } })],
    ["tcp.tcpKeepalive.interval", (time: string) => ({ tcp: { tcpKeepalive: { interval: time } } })],
  ] as const)("are at least a millisecond in %s", (name, pool) => {
    expect(ofPool(pool("0.001s"))).toBeUndefined();
    expect(ofPool(pool("0.000999s"))).toMatch(inMilliseconds(`${POOL}.${name}`));
    expect(ofPool(pool("-1s"))).toMatch(inMilliseconds(`${POOL}.${name}`));
  });

  it("are at least a millisecond in tcp.idleTimeout, or turn it off", () => {
    for (const idleTimeout of ["0s", "0.000999s", "-0.000999s", "0.001s"]) {
      expect(ofPool({ tcp: { idleTimeout } })).toBeUndefined();
    }
    expect(ofPool({ tcp: { idleTimeout: "-0.001s" } })).toMatch(inMilliseconds(`${POOL}.tcp.idleTimeout`));
    expect(ofPool({ tcp: { idleTimeout: "x" } })).toBeUndefined();
  });

  it("may upgrade to HTTP/2, or keep the client's protocol", () => {
    expect(ofPool({ http: { h2UpgradePolicy: "UPGRADE" } })).toBeUndefined();
    expect(ofPool({ http: { useClientProtocol: true } })).toBeUndefined();
    expect(ofPool({ http: { h2UpgradePolicy: "DO_NOT_UPGRADE", useClientProtocol: true } })).toBeUndefined();
    expect(ofPool({ http: { h2UpgradePolicy: "UPGRADE", useClientProtocol: true } })).toBe(
      `${POOL}.http.useClientProtocol cannot be true with h2UpgradePolicy UPGRADE`,
    );
  });

  it.each(["maxEjectionPercent", "minHealthPercent"])("are from 0 to 100 in %s", (name) => {
    const problems = [-1, 0, 100, 101].map((value) => problemOf({ outlierDetection: { [name]: value } }));
    const message = `${OUTLIER}.${name} must be from 0 to 100`;
    expect(problems).toEqual([message, undefined, undefined, message]);
  });

  it("are named in the order of the fields", () => {
    expect(problemOf({ outlierDetection: { minHealthPercent: -1, maxEjectionPercent: 101 } })).toContain("maxEjection");
  });

  it.each(["baseEjectionTime", "interval"])("are at least a millisecond in %s", (name) => {
    expect(problemOf({ outlierDetection: { [name]: "1s" } })).toBeUndefined();
    expect(problemOf({ outlierDetection: { [name]: "0s" } })).toMatch(inMilliseconds(`${OUTLIER}.${name}`));
  });

  it("count failures of a local origin only where these are split", () => {
    const failures = (part: object) => problemOf({ outlierDetection: { consecutiveLocalOriginFailures: 1, ...part } });
    expect(failures({ splitExternalLocalOriginErrors: true })).toBeUndefined();
    expect(failures({ consecutiveLocalOriginFailures: 0 })).toBeUndefined();
    expect(failures({})).toBe(`${OUTLIER}.consecutiveLocalOriginFailures needs splitExternalLocalOriginErrors: true`);
  });

  it("are none where there is no policy", () => {
    expect([undefined, {}, null].map((policy) => trafficPolicyProblem(policy as never))).toEqual(
      Array(3).fill(undefined),
    );
  });
});

describe("the localities that a mesh may name", () => {
  const distribute = (...spread: readonly object[]) => localityProblem({ distribute: spread } as never);
  const OVERLAP = "localityLbSetting.distribute must have localities like region/zone/* that do not overlap";

  it.each([
    [{ a: 100 }, undefined],
    [{ a: 1, b: 99 }, undefined],
    [{ a: 0, b: 100 }, "localityLbSetting.distribute must have weights from 1 to 100"],
    [{ a: 101 }, "localityLbSetting.distribute must have weights from 1 to 100"],
    [{ a: 50, b: 49 }, "localityLbSetting.distribute must have weights that add up to 100, not 99"],
    [{ a: 50, "a/b": 50 }, OVERLAP],
  ])("with the weights %j: %s", (to, problem) => {
    expect(distribute({ from: "x", to })).toBe(problem);
  });

  it.each([
    [["a", "b"], undefined],
    [["a/b", "a/c"], undefined],
    [["a/b/c", "a/b/d"], undefined],
    [["a/*", "b/*"], undefined],
    [["a/b/*", "a/c/*"], undefined],
    [["*"], undefined],
    [["a*b"], OVERLAP],
    [["*/a"], OVERLAP],
    [["a//b"], OVERLAP],
    [["a/"], OVERLAP],
    [[""], OVERLAP],
    [["*", "a"], OVERLAP],
    [["a", "a"], OVERLAP],
    [["a", "a/b"], OVERLAP],
    [["a/b", "a"], OVERLAP],
    [["a/b/c", "a/b"], OVERLAP],
    [["a/b/c", "a/d"], undefined],
    [["a/b/c", "d/b"], undefined],
    [["a/b/c", "a"], OVERLAP],
    [["a/b/c", "d"], undefined],
    [["a/*", "a/b"], OVERLAP],
    [["a/b/*", "a/b/c"], OVERLAP],
    [["a/b/*", "a/c/d"], undefined],
    [["a/b/c/d", "a/b/c/e"], undefined],
  ])("from %j: %s", (froms, problem) => {
    expect(distribute(...froms.map((from) => ({ from, to: { z: 100 } })))).toBe(problem);
  });

  it.each([
    [{ from: "a", to: "b" }, undefined],
    [{ from: "a", to: "a" }, "must name different regions"],
    [{}, "must name different regions"],
    [{ from: "a/b", to: "c" }, "must name regions, without zones and wildcards"],
    [{ from: "a", to: "*" }, "must name regions, without zones and wildcards"],
  ])("fail over by %j: %s", (one, problem) => {
    const expected = (path: string) => (problem === undefined ? undefined : `${path}.failover ${problem}`);
    expect(localityProblem({ failover: [one] } as never)).toBe(expected("localityLbSetting"));
    expect(zoneProblem({ failover: [one] } as never)).toBe(expected("zoneAwareLbSetting"));
  });

  it.each(["topology.kubernetes.io/region", "topology.kubernetes.io/zone", "topology.istio.io/subzone"])(
    "have no priority by %s where regions and zones are seen to",
    (label) => {
      const failover = [{ from: "a", to: "b" }];
      expect(localityProblem({ failoverPriority: ["x", label] })).toBeUndefined();
      expect(localityProblem({ failover, failoverPriority: ["x"] } as never)).toBeUndefined();
      expect(localityProblem({ failover, failoverPriority: ["x", label] } as never)).toBe(
        `localityLbSetting.failoverPriority cannot name ${label} together with failover`,
      );
      expect(zoneProblem({ failoverPriority: ["x"] })).toBeUndefined();
      expect(zoneProblem({ failoverPriority: ["x", label] })).toBe(
        `zoneAwareLbSetting.failoverPriority cannot name ${label}: regions and zones are seen to already`,
      );
    },
  );

  it("name the first of several labels", () => {
    const failoverPriority = ["x", "topology.istio.io/subzone", "topology.kubernetes.io/zone"];
    const failover = [{ from: "a", to: "b" }];
    expect(localityProblem({ failover, failoverPriority } as never)).toContain(" topology.istio.io/subzone ");
    expect(zoneProblem({ failoverPriority })).toContain(" topology.istio.io/subzone:");
  });

  it("are distributed or fail over, and not both", () => {
    const [spread, failover] = [[{ from: "a", to: { b: 100 } }], [{ from: "a", to: "b" }]];
    expect(localityProblem({ distribute: spread, failover } as never)).toBe(
      "localityLbSetting cannot have both distribute and failover",
    );
    expect(localityProblem({ distribute: spread, failover: [] } as never)).toBeUndefined();
    expect(localityProblem(undefined)).toBeUndefined();
  });
});
