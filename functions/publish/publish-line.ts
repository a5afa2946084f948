// Owns the line of log of one call of the publish function, with its metrics.
import type { ErrorCode } from "../../lib/errors.ts";
import type { MetricName } from "../../lib/observe/embedded-metrics.ts";
import { metricLine } from "../../lib/observe/metric-line.ts";
import type { PublisherResult } from "../../lib/publish/publisher-request.ts";

interface Call {
  /** Who called: `request`, `edit`, `schedule` or `deploy`. */
  readonly trigger: string;
  readonly action?: string | undefined;
  readonly result: PublisherResult;
  readonly stage: string;
  readonly time: number;
  readonly started: number;
  /** Milliseconds since the oldest edit that is not published: given by the schedule alone. */
  readonly age?: number;
}

const MAX_WARNINGS = 5;

/** Faults that are not of what is published: retrying may help, or the function lacks a permission. */
export function isFailure(code: ErrorCode): boolean {
  return code === "store-unavailable" || code === "store-denied" || code === "deadline-exceeded";
}

/**
 * The line, its line break included.
 *
 * | what happened                                         | metric           |
 * |-------------------------------------------------------|------------------|
 * | what is served has changed                            | `Published`      |
 * | an edit, a deploy or a publish was refused            | `PublishRefused` |
 * | it was done, but a record or release cannot be read   | `PublishRefused` |
 * | Parameter Store did not answer, or not let it through | `PublishFailed`  |
 * | a person's other request was refused                  | none: they know  |
 * | the schedule has looked at the source tree            | `UnpublishedEditAge`, in seconds |
 */
export function publishLine({ trigger, action = "publish", result, stage, time, started, age }: Call): string {
  const fields = { trigger, action, milliseconds: time - started };
  const counts = Object.fromEntries(metricsOf(trigger, action, result).map((name) => [name, 1]));
  const metrics = { ...counts, ...(age === undefined ? {} : { UnpublishedEditAge: Math.round(age / 1000) }) };
  const common = { event: "publish", stage, timestamp: time, metrics };
  if (!result.ok) {
    const level = Object.keys(counts).length > 0 ? "error" : "warn";
    return metricLine({ ...common, level, fields: { ...fields, error: result.error } });
  }
  const { message, release, channel, seq, changed, warnings, problems = [] } = result;
  return metricLine({
    ...common,
    level: problems.length > 0 ? "error" : "info",
    fields: {
      ...fields,
      message,
      channel,
      release,
      seq,
      changed,
      warnings: warnings.slice(0, MAX_WARNINGS),
      ...(problems.length > 0 ? { problems: problems.slice(0, MAX_WARNINGS) } : {}),
    },
  });
}

function metricsOf(trigger: string, action: string, result: PublisherResult): readonly MetricName[] {
  if (action.endsWith("(dry run)")) return [];
  if (!result.ok) {
    if (isFailure(result.error.code)) return ["PublishFailed"];
    const isTypo = result.error.code === "usage";
    return isTypo || (trigger === "request" && action !== "publish") ? [] : ["PublishRefused"];
  }
  return [
    ...(result.changed ? (["Published"] as const) : []),
    ...((result.problems ?? []).length > 0 ? (["PublishRefused"] as const) : []),
  ];
}
