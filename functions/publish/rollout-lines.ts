// The lines of log of a look at rollouts: one for each that moved or could not, none for those that wait.

import type { reconcileRollouts } from "@outrigger/publisher";
import { metricLine } from "@outrigger/serving";

interface Look {
  readonly stage: string;
  readonly time: number;
  readonly started: number;
}

/**
 * | what happened                              | level | metric           |
 * |--------------------------------------------|-------|------------------|
 * | the next share is served                   | info  | `Published`      |
 * | an alarm is up, and the share is taken back | error | `PublishRefused`, `Published` |
 * | a step was refused, or alarms cannot be read | error | `PublishFailed` |
 * | another call, or a person, came first      | none  |                  |
 * | it waits                                   | none  |                  |
 */
export function rolloutLines(
  stepped: Awaited<ReturnType<typeof reconcileRollouts>>,
  { stage, time, started }: Look,
): readonly string[] {
  return stepped.flatMap(({ channel, verdict, result }) => {
    if (result === undefined || (!result.ok && result.error.code === "channel-moved")) return [];
    const fields = {
      trigger: "schedule",
      action: "rollout",
      milliseconds: time - started,
      channel,
      verdict: verdict.kind,
    };
    const common = { event: "publish", stage, timestamp: time };
    if (!result.ok) {
      const metrics = { PublishFailed: 1 };
      return [metricLine({ ...common, level: "error", metrics, fields: { ...fields, error: result.error } })];
    }
    const { message, release, seq, changed } = result;
    const isBack = verdict.kind === "abort";
    const metrics = { ...(changed && { Published: 1 }), ...(isBack && changed && { PublishRefused: 1 }) };
    const said = { ...fields, message: `${message}: ${verdict.why}`, release, seq, changed };
    return [metricLine({ ...common, level: isBack ? "error" : "info", metrics, fields: said })];
  });
}
