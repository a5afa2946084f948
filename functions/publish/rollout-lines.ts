// The lines of log of a look at rollouts: one for each that moved, could not or is stuck, none for those that wait.

import type { reconcileRollouts } from "@outrigger/publisher";
import { metricLine } from "@outrigger/serving";

/** The call whose lines they are. */
export interface LookTime {
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
export function rolloutLines(
  stepped: Awaited<ReturnType<typeof reconcileRollouts>>["stepped"],
  { stage, time, started }: LookTime,
): readonly string[] {
  return stepped.flatMap(({ channel, verdict, result }) => {
    const stuck = verdict.kind === "wait" ? verdict.stuck : undefined;
    if (result === undefined && stuck === undefined) return [];
    if (result?.ok === false && result.error.code === "channel-moved") return [];
    const fields = {
      trigger: "schedule",
      action: "rollout",
      milliseconds: time - started,
      channel,
      verdict: verdict.kind,
    };
    const common = { event: "publish", stage, timestamp: time };
    if (result === undefined) {
      const message = `The rollout of ${channel} is stuck: ${verdict.why}`;
      return [
        metricLine({ ...common, level: "warn", metrics: { RolloutStuck: stuck ?? 0 }, fields: { ...fields, message } }),
      ];
    }
    if (!result.ok) {
      const metrics = { PublishFailed: 1, RolloutStuck: stuck ?? 1 };
      return [metricLine({ ...common, level: "error", metrics, fields: { ...fields, error: result.error } })];
    }
    const { message, release, seq, changed } = result;
    const isBack = verdict.kind === "abort";
    const metrics = { ...(changed && { Published: 1 }), ...(isBack && changed && { RolloutReturned: 1 }) };
    const said = { ...fields, message: `${message}: ${verdict.why}`, release, seq, changed };
    return [metricLine({ ...common, level: isBack ? "error" : "info", metrics, fields: said })];
  });
}
