// The lines of log of the publish function, with their metrics: of one call; of a look at rollouts, one for each that moved, could not
// or is stuck; and of a look that compared what was declared with what is served.
import type { ErrorCode } from "@outrigger/base";
import type { PublisherResult, reconcileRollouts } from "@outrigger/publisher";
import { describeError, metricLine } from "@outrigger/serving";

type Line = Parameters<typeof metricLine>[0];
type Fields = NonNullable<Line["fields"]>;
type MetricName = keyof NonNullable<Line["metrics"]>;

interface Call extends LookTime {
  /** The kind of caller: `request`, `edit`, `schedule` or `deploy`. */
  readonly trigger: string;
  readonly action?: string | undefined;
  readonly result: PublisherResult;
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
export function publishLine({ trigger, action = "publish", result, age, ...look }: Call): string {
  const counts = metricsOf(trigger, action, result);
  const metrics = {
    ...(isSound(action, result, age) && { PublishRefused: 0 }),
    ...Object.fromEntries(counts.map((name) => [name, 1])),
    ...(age !== undefined && { OldestUnpublishedEditSeconds: Math.round(age / 1000) }),
  };
  const line = (level: Line["level"], said: Fields) => lineOf(look, { trigger, action, ...said }, level, metrics);
  if (!result.ok) return line(counts.length > 0 ? "error" : "warn", { error: result.error });
  const { message, release, channel, seq, changed, problems = [] } = result;
  const warnings = result.warnings.slice(0, MAX_WARNINGS);
  const level = problems.length > 0 ? "error" : "info";
  return line(level, { message, channel, release, seq, changed, warnings, ...few(problems) });
}

function lineOf(
  { stage, time, started }: LookTime,
  { trigger, action, ...said }: Fields,
  level: Line["level"],
  metrics: NonNullable<Line["metrics"]>,
): string {
  const fields = { trigger, action, milliseconds: time - started, ...said };
  return metricLine({ event: "publish", stage, timestamp: time, level, metrics, fields });
}

function few(problems: Settled["problems"]) {
  return problems.length > 0 ? { problems: problems.slice(0, MAX_WARNINGS) } : {};
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
    const isKnown = ["usage", "request-unknown", "edit-held"].includes(result.error.code);
    return isKnown || (trigger === "request" && action !== "publish") ? [] : ["PublishRefused"];
  }
  return [
    ...(result.held !== undefined ? (["EditHeld"] as const) : result.changed ? (["Published"] as const) : []),
    ...((result.problems ?? []).length > 0 ? (["PublishRefused"] as const) : []),
  ];
}

interface LookTime {
  readonly stage: string;
  readonly time: number;
  readonly started: number;
}

/**
 * | what happened                              | level | metric           |
 * |--------------------------------------------|-------|------------------|
 * | the next share is served                   | info  | `Published`      |
 * | an alarm is up, and the share is taken back | error | `RolloutReturned`, `Published` |
 * | a step was refused, or alarms cannot be read | error | `PublishFailed`, `RolloutStuck` |
 * | it is stuck: only a person can change that | warn  | `RolloutStuck`, in seconds |
 * | another call, or a person, came first      | none  |                  |
 * | it waits                                   | none  |                  |
 */
export function rolloutLines(stepped: Awaited<ReturnType<typeof reconcileRollouts>>["stepped"], look: LookTime) {
  return stepped.flatMap(({ channel, verdict, result }) => {
    const stuck = verdict.kind === "wait" ? verdict.stuck : undefined;
    if (result === undefined && stuck === undefined) return [];
    if (result?.ok === false && result.error.code === "channel-moved") return [];
    const rollout = { trigger: "schedule", action: "rollout", channel, verdict: verdict.kind };
    const line = (level: Line["level"], metrics: NonNullable<Line["metrics"]>, said: Fields) => [
      lineOf(look, { ...rollout, ...said }, level, metrics),
    ];
    if (result === undefined) {
      const message = `The rollout of ${channel} is stuck: ${verdict.why}`;
      return line("warn", { RolloutStuck: stuck ?? 0 }, { message });
    }
    if (!result.ok) return line("error", { PublishFailed: 1, RolloutStuck: stuck ?? 1 }, { error: result.error });
    const { message, release, seq, changed } = result;
    const isBack = verdict.kind === "abort";
    const metrics = { ...(changed && { Published: 1 }), ...(isBack && changed && { RolloutReturned: 1 }) };
    return line(isBack ? "error" : "info", metrics, { message: `${message}: ${verdict.why}`, release, seq, changed });
  });
}

type Settled = Awaited<ReturnType<typeof reconcileRollouts>>["settled"];

/**
 * | the look has found                      | level | metrics                                                    |
 * |-----------------------------------------|-------|------------------------------------------------------------|
 * | what was declared is what is served     | info  | `Unsettled` 0                                              |
 * | a difference, which it has finished     | warn  | `Unsettled` 0, `Published`; `RolloutReturned` for a return |
 * | a difference that is left               | error | `Unsettled`, in seconds                                    |
 * | one of the last ten seconds             | info  | `Unsettled`, in seconds                                    |
 */
export function settledLine({ age, finished, problems }: Settled, look: LookTime): string {
  const isReturn = finished?.changes.some(({ id }) => /^rollout-.*-back$/.test(id)) === true;
  const metrics = {
    Unsettled: Math.ceil(age / 1000),
    ...(finished !== undefined && { Published: 1 }),
    ...(isReturn && { RolloutReturned: 1 }),
  };
  const done = finished && { message: finished.message, changes: finished.changes.map(({ number }) => number) };
  const level = problems.length > 0 ? "error" : finished === undefined ? "info" : "warn";
  return lineOf(look, { trigger: "schedule", action: "settle", ...done, ...few(problems) }, level, metrics);
}

/** The line of a look that has sent events of changes, or could not: then it counts `EventsFailed`, and the next look tries again. */
export function eventsLine(
  { sent = 0, error }: { readonly sent?: number; readonly error?: unknown },
  look: LookTime,
): string {
  const fields = { trigger: "schedule", action: "events" };
  if (error === undefined) return lineOf(look, { ...fields, sent }, "info", {});
  return lineOf(look, { ...fields, error: describeError(error) }, "error", { EventsFailed: 1 });
}
