// Metrics as CloudWatch would have them: of lines that the functions write, of lines of the gateway's log through the
// template's filters, and of AWS's own services. An alarm's samples are found by namespace, name and dimensions.
import { isObject, type JsonObject, objectsOf } from "@outrigger/base";
import { readMetrics } from "../../support/read-metrics.ts";
import { alarmStates, type Sample } from "./alarm-state.ts";
import type { Template } from "./template.ts";

/** Samples by metric. */
export type Metrics = ReadonlyMap<string, readonly Sample[]>;
export type Measured = readonly [metric: string, sample: Sample];

export function metricsOf(measured: readonly Measured[]): Metrics {
  const metrics = new Map<string, Sample[]>();
  for (const [key, sample] of measured) metrics.set(key, [...(metrics.get(key) ?? []), sample]);
  return metrics;
}

function keyOf(namespace: unknown, name: unknown, dimensions: readonly (readonly [string, unknown])[]): string {
  const text = dimensions.map(([dimension, value]) => `${dimension}=${JSON.stringify(value)}`).sort();
  return `${namespace} ${name} ${text.join(" ")}`;
}

/** What a line in the embedded metric format says, so many times. */
export function ofLine(line: string, at: number, times = 1): readonly Measured[] {
  return readMetrics(line).flatMap(({ name, value, dimensions }) => {
    const key = keyOf("Outrigger", name, Object.entries(dimensions));
    return Array.from({ length: times }, (): Measured => [key, { at, value }]);
  });
}

/** A metric of an AWS service; a dimension's value is as the template has it. */
export function ofService(
  namespace: string,
  name: string,
  dimension: readonly [string, unknown],
  sample: Sample,
): Measured {
  return [keyOf(namespace, name, [dimension]), sample];
}

export interface AccessEntry {
  readonly status: string;
  readonly route: string;
}

/** What the template's filters count of a line of the gateway's log, so many times. */
export function ofAccess({ Resources }: Template, entry: AccessEntry, at: number, times = 1): readonly Measured[] {
  const line: Readonly<Record<string, string>> = { stage: "dev", ...entry };
  const counted = Object.values(Resources).flatMap(({ Type, Properties = {} }) => {
    if (Type !== "AWS::Logs::MetricFilter" || !isMatch(String(Properties["FilterPattern"]), line)) return [];
    return objectsOf(Properties["MetricTransformations"]).map(
      ({ MetricNamespace, MetricName, Dimensions }): Measured => {
        const dimensions = objectsOf(Dimensions).map(
          ({ Key, Value }) => [String(Key), line[String(Value).replace("$.", "")]] as const,
        );
        return [keyOf(MetricNamespace, MetricName, dimensions), { at, value: times }];
      },
    );
  });
  return [
    ...counted,
    ofService("AWS/Logs", "IncomingLogEvents", ["LogGroupName", { Ref: "AccessLogs" }], { at, value: times }),
  ];
}

/** The terms of a filter's pattern that the templates use: members, equal or not to a text with `*` at its end, joined by `&&`. */
function isMatch(pattern: string, line: Readonly<Record<string, string>>): boolean {
  const terms = [...pattern.matchAll(/\$\.(\w+) (!?=) "([^"]*)"/g)];
  if (terms.length === 0) throw new Error(`Cannot read the pattern ${pattern}`);
  return terms.every(([, member = "", operator, text = ""]) => {
    const value = line[member] ?? "";
    const isSame = text.endsWith("*") ? value.startsWith(text.slice(0, -1)) : value === text;
    return isSame === (operator === "=");
  });
}

/**
 * Returns the minutes from `start` (seconds) to the end of the period in which each alarm fires, by the alarm's name.
 */
export function firing(
  { Resources }: Template,
  metrics: Metrics,
  start: number,
  until: number,
): ReadonlyMap<string, number> {
  const fired = new Map<string, number>();
  for (const { Type, Properties: alarm = {} } of Object.values(Resources)) {
    if (Type !== "AWS::CloudWatch::Alarm") continue;
    const asked = alarm["MetricName"] === undefined ? objectsOf(alarm["Metrics"]).flatMap(metricIn) : [alarm];
    const samples = asked.flatMap(({ Namespace, MetricName, Dimensions }) => {
      const dimensions = objectsOf(Dimensions).map(({ Name, Value }) => [String(Name), Value] as const);
      return metrics.get(keyOf(Namespace, MetricName, dimensions)) ?? [];
    });
    const period = Number(alarm["Period"] ?? 60);
    const states = alarmStates(alarm, samples, Math.max(until, period));
    const index = states.findIndex((state, at) => state === "ALARM" && (at + 1) * period > start);
    if (index >= 0)
      fired.set(String(alarm["AlarmName"]).replace("outrigger-dev-", ""), ((index + 1) * period - start) / 60);
  }
  return fired;
}

function metricIn({ MetricStat }: JsonObject): readonly JsonObject[] {
  return isObject(MetricStat) && isObject(MetricStat["Metric"]) ? [MetricStat["Metric"]] : [];
}
