// The line of log of a look that compared what was declared with what is served: the metric, and what was finished for whom.
import type { reconcileRollouts } from "@outrigger/publisher";
import { metricLine } from "@outrigger/serving";
import type { LookTime } from "./rollout-lines.ts";

type Settled = Awaited<ReturnType<typeof reconcileRollouts>>["settled"];

const MAX_PROBLEMS = 5;

/**
 * | the look has found                      | level | metrics                                                    |
 * |-----------------------------------------|-------|------------------------------------------------------------|
 * | what was declared is what is served     | info  | `Unsettled` 0                                              |
 * | a difference, which it has finished     | warn  | `Unsettled` 0, `Published`; `RolloutReturned` for a return |
 * | a difference that is left               | error | `Unsettled`, in seconds                                    |
 * | one of the last ten seconds             | info  | `Unsettled`, in seconds                                    |
 */
export function settledLines(
  { age, finished, problems }: Settled,
  { stage, time, started }: LookTime,
): readonly string[] {
  const isReturn = finished?.changes.some(({ id }) => /^rollout-.*-back$/.test(id)) === true;
  const metrics = {
    Unsettled: Math.ceil(age / 1000),
    ...(finished !== undefined && { Published: 1 }),
    ...(isReturn && { RolloutReturned: 1 }),
  };
  const fields = {
    trigger: "schedule",
    action: "settle",
    milliseconds: time - started,
    ...(finished !== undefined && { message: finished.message, changes: finished.changes.map(({ number }) => number) }),
    ...(problems.length > 0 && { problems: problems.slice(0, MAX_PROBLEMS) }),
  };
  const level = problems.length > 0 ? "error" : finished === undefined ? "info" : "warn";
  return [metricLine({ event: "publish", stage, timestamp: time, level, metrics, fields })];
}
