// The widgets of infra/dashboard.yml, with the names that a deployment `prod` gives to what they show.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../bundled-release.ts";

/** An entry of `metrics`: names, which `.` and `...` repeat from the entry before, and options; or an expression. */
type MetricEntry = readonly (string | MetricOptions)[];

interface MetricOptions {
  readonly stat?: string;
  readonly expression?: string;
  readonly label?: string;
  readonly yAxis?: string;
}

export interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title: string;
    readonly stacked?: boolean;
    readonly stat?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly MetricEntry[];
  };
}

/** One line of a widget, or all lines that a search finds. */
export interface Line {
  readonly name: string;
  readonly stat: string;
  /** Dimension → value; undefined is any, as a search has it. */
  readonly dimensions: Readonly<Record<string, string | undefined>>;
  readonly namespace: string;
}

const NAMES: Readonly<Record<string, string>> = {
  Stage: "prod",
  Alarm: "outrigger-prod",
  "AWS::Region": "eu-west-1",
  InjectLambdaFunction: "outrigger-prod-inject",
};

export function readWidgets(): readonly Widget[] {
  const text = readFileSync(join(projectRoot, "infra/dashboard.yml"), "utf8");
  const body = /- \|\n([\s\S]*?)\n {8}- Stage:/.exec(text)?.[1] ?? "{}";
  const named = body.replaceAll(/\$\{(!?)([\w:]+)/g, (_, bang, name) => (bang === "!" ? `\${${name}` : `\0${name}`));
  const document: { readonly widgets: readonly Widget[] } = JSON.parse(
    named.replaceAll(/\0([\w:]+)\}/g, (_, name: string) => NAMES[name] ?? name),
  );
  return document.widgets;
}

export function linesOf({ properties: { metrics = [], stat = "Average" } }: Widget): readonly Line[] {
  const lines: Line[] = [];
  let names: readonly string[] = [];
  for (const entry of metrics) {
    const options = entry.find((part): part is MetricOptions => typeof part !== "string") ?? {};
    if (options.expression !== undefined) {
      lines.push(searched(options.expression));
      continue;
    }
    const written = entry.filter((part): part is string => typeof part === "string");
    names = written[0] === "..." ? names : written.map((part, at) => (part === "." ? (names[at] ?? "") : part));
    const [namespace = "", name = "", ...pairs] = names;
    const dimensions = Object.fromEntries(
      pairs.flatMap((key, at) => (at % 2 === 0 ? [[key, pairs[at + 1] ?? ""] as const] : [])),
    );
    lines.push({ namespace, name, dimensions, stat: options.stat ?? stat });
  }
  return lines;
}

/** `SEARCH('{Namespace,Dimension,…} MetricName="Name" Dimension="value"', 'Stat', period)`. */
function searched(expression: string): Line {
  const [, schema = "", rest = "", stat = "Sum"] = /SEARCH\('\{([^}]*)\}([^']*)', '(\w+)'/.exec(expression) ?? [];
  const [namespace = "", ...keys] = schema.split(",");
  const given = Object.fromEntries(
    [...rest.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
  );
  const dimensions = Object.fromEntries(keys.map((key) => [key, given[key]]));
  return { namespace, name: given["MetricName"] ?? "", dimensions, stat };
}
