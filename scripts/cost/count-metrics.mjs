// Owns how many metrics a deployment makes, and how long its log lines are: counted on lines that the product writes.
import { importTypeScript } from "../bundled-release.mjs";

const RELEASE = "0123456789ab";
const CALL = {
  uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
  namespace: "shop",
  name: "web-7d9f8c6b5-*",
  status: 200,
  release: RELEASE,
  milliseconds: 0.812,
  served: "current",
  tokenSlot: 1,
};

/** Kinds of calls that any cluster makes in any hour. */
const USUAL = [
  { decision: "injected", templates: ["sidecar"], cold: true },
  { decision: "skipped", reason: "opted-out" },
  { decision: "skipped", reason: "host-network" },
  { decision: "skipped", reason: "system-namespace" },
];

/**
 * Metrics of the deployment, those that each cluster adds, and the bytes of a usual line. The canary is a cluster of its
 * own, and makes two metrics beside.
 */
export async function countMetrics() {
  const { logAdmission } = await importTypeScript("lib/observe/log.ts");
  const { metricLine } = await importTypeScript("lib/observe/metric-line.ts");
  const linesOf = (cluster, call, options = {}) => {
    const lines = [];
    const metrics = { stage: "production", now: () => 1_800_000_000_000, ...options };
    logAdmission({ ...CALL, cluster, ...call }, { write: (line) => lines.push(line), metrics });
    return lines;
  };
  const fleet = (clusters, options) =>
    clusters.flatMap((name) => USUAL.flatMap((call) => linesOf(name, call, options)));
  const canary = [
    ...linesOf("canary", USUAL[0]),
    metricLine({
      level: "info",
      event: "canary",
      stage: "production",
      timestamp: 1_800_000_000_000,
      metrics: { CanarySucceeded: 1, CanaryLatency: 1 },
    }),
  ];
  const count = (lines) => new Set(lines.flatMap(metricsIn)).size;
  const perCluster = count(fleet(["a", "b"])) - count(fleet(["a"]));
  return {
    perCluster,
    shared: count([...fleet(["a"]), ...canary]) - perCluster,
    perClusterWithLatency:
      count(fleet(["a", "b"], { clusterLatency: true })) - count(fleet(["a"], { clusterLatency: true })),
    lineBytes: Buffer.byteLength(linesOf("production-east", { ...USUAL[0], cold: undefined })[0]),
  };
}

/** Each metric of a line as one text: its name and the values of its dimensions. */
function metricsIn(line) {
  const members = JSON.parse(line);
  return (members._aws?.CloudWatchMetrics ?? []).flatMap(({ Dimensions, Metrics }) =>
    Dimensions.flatMap((names) =>
      Metrics.map(({ Name }) => JSON.stringify([Name, names.map((name) => members[name])])),
    ),
  );
}
