// CloudWatch's evaluation of an alarm on one metric, or on the sum of some, as its documentation has it: periods, datapoints to alarm, and what
// missing data count as. Only what the alarms of this project use.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";

export interface Sample {
  /** Seconds. */
  readonly at: number;
  readonly value: number;
}

export type AlarmState = "OK" | "ALARM" | "INSUFFICIENT_DATA";

/** The state, with samples of its metrics together, after each period from 0 to `until` (seconds). */
export function alarmStates(alarm: JsonObject, samples: readonly Sample[], until: number): readonly AlarmState[] {
  const [first] = objectsOf(alarm["Metrics"]).flatMap(({ MetricStat }) =>
    MetricStat === undefined ? [] : [MetricStat],
  );
  const period = Number(alarm["Period"] ?? objectOf(first)["Period"]);
  const span = Number(alarm["EvaluationPeriods"]);
  const needed = Number(alarm["DatapointsToAlarm"] ?? span);
  const count = Math.ceil(until / period);
  const datapoints = Array.from({ length: count }, (_, index) => {
    const values = samples.filter(({ at }) => Math.floor(at / period) === index).map(({ value }) => value);
    if (values.length === 0) return undefined;
    if (alarm["Statistic"] === "SampleCount") return values.length;
    if (alarm["Statistic"] === "Minimum") return Math.min(...values);
    return alarm["Statistic"] === "Maximum" ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
  });
  const isBreaching = (value: number | undefined) => {
    if (value === undefined) return alarm["TreatMissingData"] === "breaching";
    const threshold = Number(alarm["Threshold"]);
    return alarm["ComparisonOperator"] === "LessThanThreshold" ? value < threshold : value >= threshold;
  };
  let state: AlarmState = "INSUFFICIENT_DATA";
  return datapoints.map((_, index) => {
    const window = datapoints.slice(Math.max(0, index + 1 - span), index + 1);
    const isSilent = window.every((value) => value === undefined);
    if (!(isSilent && alarm["TreatMissingData"] === "ignore"))
      state = window.filter(isBreaching).length >= needed ? "ALARM" : "OK";
    return state;
  });
}
