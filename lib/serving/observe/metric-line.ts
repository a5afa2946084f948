// A line of the log with metrics, for everything but a request.

import { directiveText, type MetricName, metadataText } from "./embedded-metrics.ts";

interface MetricLine {
  readonly level: "info" | "warn" | "error";
  /** The kind of event: `publish`, `canary`. */
  readonly event: string;
  /** The deployment's stage. Without it, the line has no metrics. */
  readonly stage?: string;
  /** The time in milliseconds since 1970. */
  readonly timestamp: number;
  readonly metrics?: Readonly<Partial<Record<MetricName, number>>>;
  /**
   * The other members of the line. They contain no pod contents, no tokens and no secrets; for an error, they are what
   * describeError() returns.
   */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * The most characters of a text, which every message of Outrigger is within. A log event that is too long loses its
 * metrics.
 */
const MAX_TEXT = 2000;

/**
 * The line, its line break included. Texts are cut to a bounded length.
 *
 * @example
 * ```ts
 * metricLine({ level: "info", event: "canary", timestamp: 0, fields: { status: 200 } }) // => '{"level":"info","event":"canary","status":200}\n'
 * ```
 */
export function metricLine({ level, event, stage, timestamp, metrics = {}, fields = {} }: MetricLine): string {
  const text = JSON.stringify({ level, event, ...fields }, clipped);
  const names = Object.keys(metrics) as MetricName[];
  if (stage === undefined || names.length === 0) return `${text}\n`;
  const members = JSON.stringify({ Stage: stage, ...metrics }).slice(1, -1);
  return `${text.slice(0, -1)},${metadataText(timestamp, directiveText(["Stage"], names))},${members}}\n`;
}

function clipped(_key: string, value: unknown): unknown {
  return typeof value === "string" && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
}
