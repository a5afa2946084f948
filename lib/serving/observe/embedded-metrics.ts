// CloudWatch's embedded metric format: a log line declares which of its members are metrics, and their dimensions. Knows
// nothing about requests. Source: CloudWatch's specification of the format.

/** The namespace of all metrics. Alarms and the dashboard name it too. */
const NAMESPACE = "Outrigger";

/** All metrics. Each is used in infra/alarms.yml, infra/dashboard.yml or docs/operations.md. */
export type MetricName =
  | ("Latency" | "ColdStart" | "Late" | "Calls" | "TokenCalls" | "Decisions" | "Served")
  | ("Injected" | "Skipped" | "Denied" | "Refused" | "Failed" | "Regressed")
  | ("ServingStale" | "ServingBundled" | "StoreErrors" | "ReleaseUnsupported" | "ImageInvalid")
  | ("Published" | "PublishRefused" | "PublishFailed" | "OldestUnpublishedEditSeconds" | "EditHeld")
  | ("Unsettled" | "RestartStopped" | "RolloutReturned" | "RolloutStuck" | "EventsFailed")
  | ("CanarySucceeded" | "CanaryFailed" | "CanaryLatency" | "DeploymentDrift");

/** All dimensions. CloudWatch charges for each combination of a metric and its dimension values. */
type DimensionName = "Stage" | "Cluster" | "TokenSlot" | "Reason" | "Release";

const MILLISECONDS: ReadonlySet<MetricName> = new Set(["Latency", "CanaryLatency"]);

/**
 * Declares the members `metrics` of a line as metrics with the members `dimensions`: one entry of `CloudWatchMetrics`, as
 * JSON text. The names need no escaping.
 */
export function directiveText(dimensions: readonly DimensionName[], metrics: readonly MetricName[]): string {
  // Counts have no unit: no alarm or dashboard needs it, and it would take 15 bytes of log for each.
  const unitOf = (metric: MetricName) => (MILLISECONDS.has(metric) ? ',"Unit":"Milliseconds"' : "");
  const definitions = metrics.map((metric) => `{"Name":"${metric}"${unitOf(metric)}}`).join(",");
  return `{"Namespace":"${NAMESPACE}","Dimensions":[["${dimensions.join('","')}"]],"Metrics":[${definitions}]}`;
}

/**
 * The member that makes CloudWatch read metrics from a line, as JSON text.
 *
 * @param timestamp milliseconds since 1970
 * @param directives from {@link directiveText}, with commas between them
 */
export function metadataText(timestamp: number, directives: string): string {
  return `"_aws":{"Timestamp":${timestamp},"CloudWatchMetrics":[${directives}]}`;
}

/** True for a valid dimension value: 1 to 128 visible ASCII characters. */
export function isDimensionValue(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text);
}
