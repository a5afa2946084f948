// How many metrics a deployment makes, and how long its log lines are: counted on lines that the product writes.
import { type AdmissionRecord, logAdmission, metricLine } from "@outrigger/serving";
import { readMetrics } from "../../test/support/read-metrics.ts";

const RELEASE = "0123456789ab";
const CALL: AdmissionRecord = {
  cluster: "",
  decision: "skipped",
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
const INJECTED: Partial<AdmissionRecord> = { decision: "injected", templates: ["sidecar"] };
const USUAL: readonly Partial<AdmissionRecord>[] = [
  { ...INJECTED, cold: true },
  { decision: "skipped", reason: "opted-out" },
  { decision: "skipped", reason: "host-network" },
  { decision: "skipped", reason: "system-namespace" },
];

export interface MetricCounts {
  /** Of the deployment itself. */
  readonly shared: number;
  /** That each cluster adds. */
  readonly perCluster: number;
  /** That each cluster would add with its latency. */
  readonly perClusterWithLatency: number;
  /** Of a usual line. */
  readonly lineBytes: number;
}

type MetricChanges = { readonly clusterLatency?: boolean };

/**
 * Metrics of the deployment, those that each cluster adds, and the bytes of a usual line. The canary is a cluster of its
 * own, and makes three metrics more.
 */
export function countMetrics(): MetricCounts {
  const linesOf = (cluster: string, call: Partial<AdmissionRecord>, options: MetricChanges = {}) => {
    const lines: string[] = [];
    const metrics = { stage: "production", now: () => 1_800_000_000_000, ...options };
    logAdmission({ ...CALL, cluster, ...call }, { write: (line) => lines.push(line), metrics });
    return lines;
  };
  const fleet = (clusters: readonly string[], options?: MetricChanges) =>
    clusters.flatMap((name) => USUAL.flatMap((call) => linesOf(name, call, options)));
  const canary = [
    ...linesOf("canary", { ...INJECTED, cold: true }),
    ...[{ CanarySucceeded: 1, CanaryLatency: 1 }, { DeploymentDrift: 0 }].map((metrics) =>
      metricLine({ level: "info", event: "canary", stage: "production", timestamp: 1_800_000_000_000, metrics }),
    ),
  ];
  const count = (lines: readonly string[]) => new Set(lines.flatMap(metricsIn)).size;
  const perCluster = count(fleet(["a", "b"])) - count(fleet(["a"]));
  return {
    perCluster,
    shared: count([...fleet(["a"]), ...canary]) - perCluster,
    perClusterWithLatency:
      count(fleet(["a", "b"], { clusterLatency: true })) - count(fleet(["a"], { clusterLatency: true })),
    lineBytes: Buffer.byteLength(linesOf("production-east", INJECTED).join("")),
  };
}

/** Each metric of a line as one text: its name and the values of its dimensions. */
function metricsIn(line: string): readonly string[] {
  return readMetrics(line).map(({ name, dimensions }) => JSON.stringify([name, dimensions]));
}
