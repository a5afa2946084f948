import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outriggerCalls, pages, ROOT, textOf } from "../../test/pages/code-blocks.ts";
import { unknownWords } from "../../test/pages/unknown-words.ts";
import { dashboardSvg, seriesOf } from "./dashboard-svg.ts";
import { linesOf, readWidgets } from "./dashboard-widgets.ts";
import { SCENES } from "./scenes.ts";
import { pointsOfLine } from "./simulate-hour.ts";
import { escaped } from "./terminal-svg.ts";

const ALL = pages().map(textOf).join("\n");
const pictureOf = (path: string) => readFileSync(join(ROOT, "docs/images", path), "utf8");

describe("the pictures of terminals", () => {
  it.each(SCENES)("$name is shown on a page, in words too", ({ name, alt }) => {
    expect(existsSync(join(ROOT, `docs/images/terminal/${name}.svg`))).toBe(true);
    expect(ALL).toContain(`![${alt}](`);
    expect(ALL).toContain(`images/terminal/${name}.svg)`);
  });

  it.each(SCENES)(
    "$name shows the commands of its scene as they are now: npm run docs:pictures",
    ({ name, commands }) => {
      const picture = pictureOf(`terminal/${name}.svg`);
      for (const command of commands) expect(picture).toContain(`<tspan class="b">${escaped(command)}</tspan>`);
    },
  );

  it.each(SCENES)("$name types commands and options that exist", ({ commands }) => {
    const calls = outriggerCalls({ language: "sh", marks: [], text: commands.join("\n"), line: 1 });
    expect(calls).toHaveLength(commands.length);
    for (const call of calls) expect(unknownWords(call), call.join(" ")).toEqual([]);
  });
});

describe("the picture of the dashboard", () => {
  const widgets = readWidgets();

  it("has the widgets of infra/dashboard.yml as they are now: npm run docs:pictures", () => {
    const titles = [...pictureOf("dashboard.svg").matchAll(/<text class="t"[^>]*>([^<]*)</g)].map(([, title]) => title);
    expect(titles).toEqual(widgets.map(({ properties }) => escaped(properties.title)));
    expect(ALL).toContain("images/dashboard.svg)");
  });

  it("repeats the names that an entry leaves to the one before", () => {
    const outcomes = widgets.find(({ properties }) => properties.title === "Outcomes");
    expect(outcomes && linesOf(outcomes)).toContainEqual({
      namespace: "Outrigger",
      name: "Late",
      dimensions: { Stage: "prod" },
      stat: "Sum",
    });
  });

  it("draws a line for each value that a search finds, and the sum of a minute", () => {
    const calls = widgets.find(({ properties }) => properties.title === "Calls by cluster");
    const line = (cluster: string) =>
      `{"_aws":{"CloudWatchMetrics":[{"Namespace":"Outrigger","Dimensions":[["Stage","Cluster"]],"Metrics":[{"Name":"Calls"}]}]},"Stage":"prod","Cluster":"${cluster}","Calls":1}`;
    const points = [line("b"), line("a"), line("b")].flatMap((text) => pointsOfLine(text, 7));
    const found = calls === undefined ? [] : seriesOf(calls, points);
    expect(found.map(({ label, values }) => [label, values[7]])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    expect(dashboardSvg(widgets, points)).toContain(">b</text>");
  });
});
