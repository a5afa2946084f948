// Checks of the parts of MeshConfig that say how traffic is spread: localities, connection pools, outliers, retries. Each gives what
// is wrong with the field, and undefined where nothing is.
// Injection uses none of them, but a mesh config that the reference refuses is refused here too.

import { isObject, type JsonObject, type JsonValue, listOf, objectOf, textOf } from "@outrigger/base";
import { MILLISECOND, nanosecondsOf } from "./duration.ts";
import { unless } from "./validate-proxy-config.ts";
import { ruleProblem, valueRules } from "./value-rules.ts";

const TOPOLOGY_LABELS: ReadonlySet<JsonValue> = new Set(
  "topology.kubernetes.io/region topology.kubernetes.io/zone topology.istio.io/subzone".split(" "),
);

const RETRY_POLICIES: ReadonlySet<string> = new Set(
  (
    "5xx gateway-error reset reset-before-request connect-failure retriable-4xx refused-stream retriable-status-codes " +
    "retriable-headers envoy-ratelimited http3-post-connect-failure cancelled deadline-exceeded internal " +
    "resource-exhausted unavailable"
  ).split(" "),
);

/** Status codes that Go's net/http has a text for. */
const STATUS_CODES: ReadonlySet<number> = new Set([
  ...[100, 101, 102, 103, 200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303, 304, 305, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423],
  ...[424, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511],
]);

const HTTP_COUNTS =
  "http1MaxPendingRequests http2MaxRequests maxRequestsPerConnection maxRetries maxConcurrentStreams".split(" ");

export function localityProblem(setting: JsonValue | undefined): string | undefined {
  const path = "localityLbSetting";
  const { distribute, failover, failoverPriority } = objectOf(setting);
  const [spread, regions] = [mappings(distribute), mappings(failover)];
  if (spread.length > 0 && regions.length > 0) return `${path} cannot have both distribute and failover`;
  const label = listOf(failoverPriority).find((each) => TOPOLOGY_LABELS.has(each));
  if (regions.length > 0 && label !== undefined)
    return `${path}.failoverPriority cannot name ${label} together with failover`;
  return (
    first(spread, (each) => weightsProblem(each["to"])) ??
    overlapProblem(spread.map((each) => textOf(each["from"]) ?? "")) ??
    first(regions, (each) => regionsProblem(each, path))
  );
}

export function zoneProblem(setting: JsonValue | undefined): string | undefined {
  const path = "zoneAwareLbSetting";
  const { failover, failoverPriority } = objectOf(setting);
  const label = listOf(failoverPriority).find((each) => TOPOLOGY_LABELS.has(each));
  if (label !== undefined)
    return `${path}.failoverPriority cannot name ${label}: regions and zones are seen to already`;
  return first(mappings(failover), (each) => regionsProblem(each, path));
}

export function trafficPolicyProblem(policy: JsonValue | undefined): string | undefined {
  const { connectionPool, outlierDetection } = objectOf(policy);
  return (
    (connectionPool === undefined ? undefined : poolProblem(objectOf(connectionPool))) ??
    outlierProblem(objectOf(outlierDetection))
  );
}

export function retryProblem(policy: JsonValue | undefined): string | undefined {
  if (!isObject(policy)) return undefined;
  const path = "defaultInboundHttpRetryPolicy";
  const { perTryTimeout, retryOn, retryRemoteLocalities, backoff } = policy;
  const attempts = numberOf(policy["attempts"]);
  if (attempts < 0) return `${path}.attempts must not be negative`;
  const given = perTryTimeout ?? retryOn ?? retryRemoteLocalities ?? backoff;
  if (attempts === 0 && given !== undefined)
    return `${path} cannot set anything together with attempts: 0, which turns retries off`;
  const policies = retryOn === undefined ? [] : (textOf(retryOn) ?? "").split(",");
  const isStatusCode = (text: string) => /^[-+]?[0-9]{1,9}$/.test(text) && STATUS_CODES.has(Number(text));
  const wrong = policies.findIndex((each) => !RETRY_POLICIES.has(each) && !isStatusCode(each));
  return (
    givenDurationProblem(perTryTimeout, `${path}.perTryTimeout`) ??
    unless(
      wrong === -1,
      `${path}.retryOn must be conditions that Envoy knows, joined by commas (entry ${wrong + 1} is not one)`,
    ) ??
    givenDurationProblem(backoff, `${path}.backoff`)
  );
}

function weightsProblem(to: JsonValue | undefined): string | undefined {
  const weights = Object.values(objectOf(to)).map(numberOf);
  if (weights.some((weight) => weight < 1 || weight > 100))
    return "localityLbSetting.distribute must have weights from 1 to 100";
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total !== 100) return `localityLbSetting.distribute must have weights that add up to 100, not ${total}`;
  return overlapProblem(Object.keys(objectOf(to)));
}

function regionsProblem(failover: JsonObject, path: string): string | undefined {
  const from = textOf(failover["from"]) ?? "";
  const to = textOf(failover["to"]) ?? "";
  if (from === to) return `${path}.failover must name different regions`;
  return /[/*]/.test(from + to) ? `${path}.failover must name regions, without zones and wildcards` : undefined;
}

/**
 * Returns the problem of localities, `region/zone/subzone`, that overlap: the reference wants none to lie within
 * another that comes before it.
 */
function overlapProblem(localities: readonly string[]): string | undefined {
  const isWrong = localities.some((locality, index) => {
    if (locality.slice(0, -1).includes("*") || partsOf(locality).includes("")) return true;
    return localities.slice(0, index).some((earlier) => earlier === "*" || overlap(earlier, locality));
  });
  return unless(!isWrong, "localityLbSetting.distribute must have localities like region/zone/* that do not overlap");
}

function overlap(earlier: string, later: string): boolean {
  const [a, b] = [partsOf(earlier), partsOf(later)];
  if (b.length < a.length) return b.every((part, index) => part === a[index]);
  return a.every((part, index) => part === b[index] || (index === a.length - 1 && index > 0 && part === "*"));
}

/** Splits a locality as Go's SplitN(…, 3) does: everything after the second slash is one part. */
function partsOf(locality: string): readonly string[] {
  const [region = "", zone, ...subzone] = locality.split("/");
  return [region, zone, subzone.length === 0 ? undefined : subzone.join("/")].filter((part) => part !== undefined);
}

function poolProblem({ http, tcp }: JsonObject): string | undefined {
  const path = "defaultTrafficPolicy.connectionPool";
  if (http === undefined && tcp === undefined) return `${path} must have http or tcp`;
  const requests = objectOf(http);
  const connections = objectOf(tcp);
  const negative = HTTP_COUNTS.find((name) => numberOf(requests[name]) < 0);
  if (negative !== undefined) return `${path}.http.${negative} must not be negative`;
  if (numberOf(connections["maxConnections"]) < 0) return `${path}.tcp.maxConnections must not be negative`;
  if (requests["h2UpgradePolicy"] === "UPGRADE" && requests["useClientProtocol"] === true) {
    return `${path}.http.useClientProtocol cannot be true with h2UpgradePolicy UPGRADE`;
  }
  const keepalive = objectOf(connections["tcpKeepalive"]);
  // Less than a millisecond turns the timeout off.
  const nanoseconds = nanosecondsOf(connections["idleTimeout"]);
  const isOff = nanoseconds > -MILLISECOND && nanoseconds < MILLISECOND;
  const idle = isOff ? undefined : connections["idleTimeout"];
  return (
    givenDurationProblem(requests["idleTimeout"], `${path}.http.idleTimeout`) ??
    givenDurationProblem(connections["connectTimeout"], `${path}.tcp.connectTimeout`) ??
    givenDurationProblem(connections["maxConnectionDuration"], `${path}.tcp.maxConnectionDuration`) ??
    givenDurationProblem(idle, `${path}.tcp.idleTimeout`) ??
    givenDurationProblem(keepalive["time"], `${path}.tcp.tcpKeepalive.time`) ??
    givenDurationProblem(keepalive["interval"], `${path}.tcp.tcpKeepalive.interval`)
  );
}

function outlierProblem(outlier: JsonObject): string | undefined {
  const path = "defaultTrafficPolicy.outlierDetection";
  if (outlier["splitExternalLocalOriginErrors"] !== true && numberOf(outlier["consecutiveLocalOriginFailures"]) > 0) {
    return `${path}.consecutiveLocalOriginFailures needs splitExternalLocalOriginErrors: true`;
  }
  const percent = ["maxEjectionPercent", "minHealthPercent"].find((name) => {
    const value = numberOf(outlier[name]);
    return value < 0 || value > 100;
  });
  if (percent !== undefined) return `${path}.${percent} must be from 0 to 100`;
  return (
    givenDurationProblem(outlier["baseEjectionTime"], `${path}.baseEjectionTime`) ??
    givenDurationProblem(outlier["interval"], `${path}.interval`)
  );
}

function givenDurationProblem(value: JsonValue | undefined, path: string): string | undefined {
  const problem = value === undefined ? undefined : ruleProblem(valueRules.duration, String(value));
  return problem && `${path} ${problem}`;
}

function first<T>(items: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function mappings(value: JsonValue | undefined): readonly JsonObject[] {
  return listOf(value).map(objectOf);
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
