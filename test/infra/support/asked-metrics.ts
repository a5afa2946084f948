// Which metrics a template's alarms and dashboard ask for, each as CloudWatch identifies it: namespace, name, names of
// dimensions, and the unit where one is asked for.
import { isObject, type JsonObject, listOf, objectsOf } from "@outrigger/base";
import type { Template } from "./template.ts";

export interface AskedMetric {
  /** The alarm's name, or the widget's title. */
  readonly by: string;
  readonly namespace: string;
  readonly name: string;
  /** Sorted. */
  readonly dimensions: readonly string[];
  readonly unit?: string;
}

/** One line for each metric: `Outrigger Latency [Stage]`, the unit behind it where there is one. */
export function metricKey({ namespace, name, dimensions, unit }: Omit<AskedMetric, "by">): string {
  return `${namespace} ${name} [${[...dimensions].sort().join(",")}]${unit === undefined ? "" : ` ${unit}`}`;
}

function metricOf(by: string, metric: JsonObject): AskedMetric {
  const dimensions = objectsOf(metric["Dimensions"]).map(({ Name }) => String(Name));
  const unit = metric["Unit"] === undefined ? {} : { unit: String(metric["Unit"]) };
  return { by, namespace: String(metric["Namespace"]), name: String(metric["MetricName"]), dimensions, ...unit };
}

/** Returns the metrics that an alarm's properties ask for, as the template or PutMetricAlarm has them. */
export function alarmMetrics(alarm: JsonObject): readonly AskedMetric[] {
  const by = String(alarm["AlarmName"]);
  if (alarm["MetricName"] !== undefined) return [metricOf(by, alarm)];
  return objectsOf(alarm["Metrics"]).flatMap(({ MetricStat }) => {
    if (!isObject(MetricStat) || !isObject(MetricStat["Metric"])) return [];
    return [metricOf(by, MetricStat["Metric"])];
  });
}

/** The body of the dashboard: its text with the variables of Fn::Sub left in, save those whose value is a part of the JSON. */
export function dashboardBody({ Resources }: Template): JsonObject {
  const dashboard = Object.values(Resources).find(({ Type }) => Type === "AWS::CloudWatch::Dashboard");
  const body = dashboard?.Properties?.["DashboardBody"];
  const [text, variables] = isObject(body) ? listOf(body["Fn::Sub"]) : [];
  const partOf = (name: string) => {
    const value = isObject(variables) ? variables[name] : undefined;
    return isObject(value) ? String(value["Fn::Sub"]) : String(value);
  };
  return JSON.parse(String(text).replaceAll(/\$\{(With\w+)\}/g, (_, name: string) => partOf(name)));
}

/** Alarms that the dashboard shows: the end of each name. */
export function dashboardAlarms(body: JsonObject): readonly string[] {
  const names = objectsOf(body["widgets"]).flatMap(({ properties }) => {
    const alarms = isObject(properties) ? properties["alarms"] : [];
    return listOf(alarms).map(String);
  });
  return names.map((name) => name.replace(/^(?:\$\{Alarm\}|.*:alarm:outrigger-\w+)-/, ""));
}

/**
 * Returns the metrics that the widgets ask for. In a list of metrics, `.` repeats the field above and `...` all fields
 * before it.
 */
export function dashboardMetrics(body: JsonObject): readonly AskedMetric[] {
  return objectsOf(body["widgets"]).flatMap(({ properties }) => {
    if (!isObject(properties) || !Array.isArray(properties["metrics"])) return [];
    const by = String(properties["title"]);
    let above: readonly string[] = [];
    return listOf(properties["metrics"]).flatMap((row): readonly AskedMetric[] => {
      const fields = listOf(row);
      const [first] = fields;
      if (isObject(first)) return searched(by, String(first["expression"]));
      const texts = fields.filter((field) => typeof field === "string");
      above = texts[0] === "..." ? above : texts.map((text, index) => (text === "." ? (above[index] ?? text) : text));
      const [namespace = "", name = "", ...pairs] = above;
      return [{ by, namespace, name, dimensions: pairs.filter((_, index) => index % 2 === 0).sort() }];
    });
  });
}

/**
 * Returns the metrics that an expression searches for: `SEARCH('{Outrigger,Stage,Reason} MetricName="Decisions" …',
 * 'Sum', 60)`
 */
function searched(by: string, expression: string): readonly AskedMetric[] {
  const [, schema = "", name = ""] = /\{([^}]*)\} MetricName="(\w+)"/.exec(expression) ?? [];
  const [namespace = "", ...dimensions] = schema.split(",");
  return [{ by, namespace, name, dimensions: dimensions.sort() }];
}
