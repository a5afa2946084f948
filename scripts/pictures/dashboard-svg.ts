// Draws the dashboard of infra/dashboard.yml as SVG: its widgets in their places, with the lines that their metrics have in some
// data. CloudWatch draws them in its own way. Pure.
import { linesOf, type Widget } from "./dashboard-widgets.ts";
import { type Datapoint, MINUTES } from "./simulate-hour.ts";
import { escaped } from "./terminal-svg.ts";

const [UNIT_X, UNIT_Y, GAP] = [50, 36, 6];
const COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"];
/** Inside a widget: above the plot, below it, to the left and to the right. */
const [TOP, BOTTOM, LEFT, RIGHT] = [34, 34, 44, 14];

const STYLE = `
text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #16191f }
.t { font-weight: 600; font-size: 13px } .q { fill: #5f6b7a } .page { fill: #f2f3f3 }
.w { fill: #fff; stroke: #d5dbdb } .a { fill: #f2f8f0; stroke: #b7dba9 } .g { stroke: #d5dbdb }
@media (prefers-color-scheme: dark) {
text { fill: #d5dbdb } .q { fill: #95a5a6 } .page { fill: #16191f } .w { fill: #1e242c; stroke: #414d5c }
.a { fill: #22311f; stroke: #46663b } .g { stroke: #414d5c } }`;

interface Series {
  readonly label: string;
  readonly values: readonly number[];
}

export function dashboardSvg(widgets: readonly Widget[], points: readonly Datapoint[]): string {
  const rows = Math.max(...widgets.map(({ y, height }) => y + height));
  const [width, height] = [24 * UNIT_X, rows * UNIT_Y];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>The dashboard outrigger-prod-eu-west-1, with data of a simulated hour</title><style>${STYLE}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    ...widgets.map((widget) => widgetSvg(widget, points)),
    "</svg>\n",
  ].join("\n");
}

function widgetSvg(widget: Widget, points: readonly Datapoint[]): string {
  const { x, y, width, height, properties } = widget;
  const [w, h] = [width * UNIT_X - GAP, height * UNIT_Y - GAP];
  const content =
    properties.alarms === undefined
      ? plot(seriesOf(widget, points), properties.stacked === true, w, h)
      : chips(properties.alarms, w);
  return [
    `<g transform="translate(${x * UNIT_X + GAP / 2} ${y * UNIT_Y + GAP / 2})">`,
    `<rect class="w" width="${w}" height="${h}" rx="4"/><text class="t" x="12" y="20">${escaped(properties.title)}</text>`,
    ...content,
    "</g>",
  ].join("\n");
}

/** Their names; states are CloudWatch's. */
function chips(alarms: readonly string[], width: number): readonly string[] {
  const columns = 8;
  const step = (width - 24) / columns;
  return alarms.map((alarm, at) => {
    const [x, y] = [12 + (at % columns) * step, 32 + Math.floor(at / columns) * 30];
    const name = alarm.replace("outrigger-prod-", "");
    return `<rect class="a" x="${x}" y="${y}" width="${step - 6}" height="24" rx="3"/><text x="${x + 8}" y="${y + 16}">${name}</text>`;
  });
}

/** Each line of a widget, or one for each combination of dimensions that its search finds. */
export function seriesOf(widget: Widget, points: readonly Datapoint[]): readonly Series[] {
  return linesOf(widget).flatMap(({ namespace, name, dimensions, stat }) => {
    const keys = Object.keys(dimensions);
    const found = points.filter(
      (point) =>
        point.namespace === namespace &&
        point.name === name &&
        Object.keys(point.dimensions).length === keys.length &&
        keys.every(
          (key) => key in point.dimensions && (dimensions[key] ?? point.dimensions[key]) === point.dimensions[key],
        ),
    );
    const open = keys.filter((key) => dimensions[key] === undefined);
    const groups = groupBy(found, (point) => open.map((key) => point.dimensions[key]).join(" "));
    if (open.length === 0) {
      const label = stat === "Sum" || stat === "Average" ? name : `${name} ${stat}`;
      return [{ label, values: perMinute(found, stat) }];
    }
    return [...groups]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([label, group]) => ({ label, values: perMinute(group, stat) }));
  });
}

function perMinute(points: readonly Datapoint[], stat: string): readonly number[] {
  const minutes = groupBy(points, ({ minute }) => minute);
  return Array.from({ length: MINUTES }, (_, minute) =>
    statistic(
      (minutes.get(minute) ?? []).map(({ value }) => value).toSorted((a, b) => a - b),
      stat,
    ),
  );
}

function statistic(sorted: readonly number[], stat: string): number {
  if (sorted.length === 0) return 0;
  if (stat === "Maximum") return sorted.at(-1) ?? 0;
  const percentile = /^p(\d+)$/.exec(stat)?.[1];
  if (percentile !== undefined) return sorted[Math.floor((sorted.length - 1) * (Number(percentile) / 100))] ?? 0;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return stat === "Average" ? sum / sorted.length : sum;
}

function plot(series: readonly Series[], isStacked: boolean, width: number, height: number): readonly string[] {
  const [w, h] = [width - LEFT - RIGHT, height - TOP - BOTTOM];
  const drawn = isStacked ? stacked(series) : series.map(({ values }) => values);
  const top = niceTop(Math.max(...drawn.flat(), 0));
  const at = (minute: number, value: number) =>
    `${(LEFT + (minute / (MINUTES - 1)) * w).toFixed(1)},${(TOP + h - (value / top) * h).toFixed(1)}`;
  const axis = [0, 0.5, 1].map((part) => {
    const y = TOP + h - part * h;
    const text = `<text class="q" x="${LEFT - 6}" y="${y + 4}" text-anchor="end">${Number((top * part).toPrecision(3))}</text>`;
    return `<line class="g" x1="${LEFT}" x2="${LEFT + w}" y1="${y}" y2="${y}"/>${text}`;
  });
  const lines = drawn.map((values, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const upper = values.map((value, minute) => at(minute, value));
    if (!isStacked) return `<polyline points="${upper.join(" ")}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
    const lower = (drawn[index - 1] ?? values.map(() => 0)).map((value, minute) => at(minute, value)).toReversed();
    return `<polygon points="${[...upper, ...lower].join(" ")}" fill="${colour}" fill-opacity="0.75"/>`;
  });
  return [...axis, ...lines, ...legend(series, height)];
}

function legend(series: readonly Series[], height: number): readonly string[] {
  let x = LEFT;
  return series.map(({ label }, index) => {
    const from = x;
    x += 20 + label.length * 5.6;
    const colour = COLOURS[index % COLOURS.length];
    return `<rect x="${from.toFixed(0)}" y="${height - 18}" width="9" height="9" fill="${colour}"/><text x="${(from + 13).toFixed(0)}" y="${height - 10}">${escaped(label)}</text>`;
  });
}

function stacked(series: readonly Series[]): readonly (readonly number[])[] {
  let below: readonly number[] = Array.from({ length: MINUTES }, () => 0);
  return series.map(({ values }) => {
    below = values.map((value, minute) => value + (below[minute] ?? 0));
    return below;
  });
}

/** The next of 1, 2, 5, 10, … that is not below. */
function niceTop(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power;
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
