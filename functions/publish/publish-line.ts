// The line of log of one call of the publish function, with its metrics.
import type { ErrorCode } from "@outrigger/base";
import type { PublisherResult } from "@outrigger/publisher";
import { metricLine } from "@outrigger/serving";

type MetricName = keyof NonNullable<Parameters<typeof metricLine>[0]["metrics"]>;

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
 * | an edit waits for a person                            | `EditHeld`       |
 * | the schedule has looked at the source tree            | `OldestUnpublishedEditSeconds`, in seconds |
 *
 * A tree that is published as a whole counts `PublishRefused` as 0: the alarm stays up until then, however long no edit comes.
 */
export function publishLine({ trigger, action = "publish", result, stage, time, started, age }: Call): string {
  const fields = { trigger, action, milliseconds: time - started };
  const counts = metricsOf(trigger, action, result);
  const metrics = {
    ...(isSound(action, result, age) && { PublishRefused: 0 }),
    ...Object.fromEntries(counts.map((name) => [name, 1])),
    ...(age !== undefined && { OldestUnpublishedEditSeconds: Math.round(age / 1000) }),
  };
  const common = { event: "publish", stage, timestamp: time, metrics };
  if (!result.ok) {
    const level = counts.length > 0 ? "error" : "warn";
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

/** Whether the whole tree was published, or is what is served already: then nothing is refused any more. */
function isSound(action: string, result: PublisherResult, age: number | undefined): boolean {
  const isWhole = result.ok && (result.problems ?? []).length === 0;
  return isWhole && action === "publish" && (result.release !== undefined || age === 0);
}

function metricsOf(trigger: string, action: string, result: PublisherResult): readonly MetricName[] {
  if (action.endsWith("(dry run)")) return [];
  if (!result.ok) {
    if (isFailure(result.error.code)) return ["PublishFailed"];
    // A typo, and what waits for this person: they know.
    const isKnown = result.error.code === "usage" || result.error.code === "edit-held";
    return isKnown || (trigger === "request" && action !== "publish") ? [] : ["PublishRefused"];
  }
  return [
    ...(result.held !== undefined ? (["EditHeld"] as const) : result.changed ? (["Published"] as const) : []),
    ...((result.problems ?? []).length > 0 ? (["PublishRefused"] as const) : []),
  ];
}
