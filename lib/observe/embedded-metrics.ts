// Owns CloudWatch's embedded metric format: how a line of the log says which of its members are metrics, and of what.
// Knows nothing of requests. Source: CloudWatch's specification of the format.

/** The namespace of all metrics. Alarms and the dashboard name it too. */
const NAMESPACE = "Outrigger";

/** Every metric that there is. A name here is one in infra/alarms.yml, infra/dashboard.yml or docs/operations.md. */
export type MetricName =
  | "Latency"
  | "ColdStart"
  | "Injected"
  | "Skipped"
  | "Denied"
  | "Refused"
  | "Failed"
  | "Late"
  | "ServingStale"
  | "ServingBundled"
  | "StoreErrors"
  | "ReleaseUnsupported"
  | "ImageInvalid"
  | "Calls"
  | "TokenCalls"
  | "Decisions"
  | "Served"
  | "Published"
  | "PublishRefused"
  | "PublishFailed"
  | "CanarySucceeded"
  | "CanaryFailed"
  | "CanaryLatency";

/** Every dimension that there is. Each pair of a metric and values of its dimensions is paid for as a metric of its own. */
export type DimensionName = "Stage" | "Cluster" | "TokenSlot" | "Reason" | "Release";

const MILLISECONDS: ReadonlySet<MetricName> = new Set(["Latency", "CanaryLatency"]);

/**
 * Says that the members `metrics` of a line are metrics, by the members `dimensions`: one entry of `CloudWatchMetrics`, as
 * JSON text. Names are ours and need no escape.
 */
export function directiveText(dimensions: readonly DimensionName[], metrics: readonly MetricName[]): string {
  const definitions = metrics.map(definitionText).join(",");
  return `{"Namespace":"${NAMESPACE}","Dimensions":[["${dimensions.join('","')}"]],"Metrics":[${definitions}]}`;
}

/** Counts have no unit: it would be 15 bytes of log for each, and nothing is shown or alarmed by it. */
function definitionText(metric: MetricName): string {
  return MILLISECONDS.has(metric) ? `{"Name":"${metric}","Unit":"Milliseconds"}` : `{"Name":"${metric}"}`;
}

/**
 * The member of a line that makes CloudWatch read metrics from it, as JSON text.
 *
 * @param timestamp milliseconds since 1970
 * @param directives from {@link directiveText}, with commas between them
 */
export function metadataText(timestamp: number, directives: string): string {
  return `"_aws":{"Timestamp":${timestamp},"CloudWatchMetrics":[${directives}]}`;
}

/** True for what may be a dimension's value: ASCII that can be seen, and not as much of it as somebody likes. */
export function isDimensionValue(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text);
}
