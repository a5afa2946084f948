import { expect, it } from "vitest";
import { chartHunks } from "./chart-hunks.ts";
import { layeredFiles } from "./layered-tree.ts";
import { placeHunk } from "./place-hunk.ts";

const BASE = {
  "templates/sidecar": "spec:\n  containers:\n  {{> proxy}}\n",
  "partials/proxy": `${[
    "- name: istio-proxy",
    "  {{> image}}",
    "  args:",
    ...Array.from({ length: 10 }, (_, at) => `  - "--a${at}"`),
    "  env:",
    "  {{> env-cpu}}",
    "  - name: LAST",
    "    value: x",
  ].join("\n")}\n`,
  "partials/image":
    '{{#let values.image as |image|}}\nimage: {{ternary image proxyImage (contains "/" image)}}\n{{/let}}\n',
  "partials/env-cpu": "- name: CPU\n  resource: limits.cpu\n",
};
const CHART = [
  "spec:",
  "  containers:",
  "  - name: istio-proxy",
  '{{#if (contains "/" values.image)}}',
  '    image: "{{values.image}}"',
  "{{else}}",
  '    image: "{{proxyImage}}"',
  "{{/if}}",
  "    args:",
  ...Array.from({ length: 10 }, (_, at) => `    - "--a${at}"`),
  "    env:",
  "    - name: CPU",
  "      resource: limits.cpu",
  "    - name: LAST",
  "      value: x",
  "",
].join("\n");

/** The files that a change of the chart changes. */
function filesFor(newer: string) {
  const edits = chartHunks("sidecar", CHART, newer).map((hunk) => placeHunk(BASE, CHART, hunk));
  return layeredFiles(
    BASE,
    edits.flatMap((edit) => edit ?? []),
    "1.31",
  );
}

it.each<[string, string, Readonly<Record<string, string>>]>([
  [
    "edits a small partial, and keeps the old one in the layer",
    CHART.replace("      resource: limits.cpu\n", '      resource: limits.cpu\n      divisor: "1"\n'),
    {
      "partials/env-cpu": '- name: CPU\n  resource: limits.cpu\n  divisor: "1"\n',
      "releases/1.31/partials/env-cpu": BASE["partials/env-cpu"],
    },
  ],
  [
    "changes the words of a line that is written otherwise",
    CHART.replace("{{proxyImage}}", "{{proxyInitImage}}"),
    {
      "partials/image": BASE["partials/image"].replace("proxyImage", "proxyInitImage"),
      "releases/1.31/partials/image": BASE["partials/image"],
    },
  ],
  [
    "makes a partial of what is added to a long file",
    CHART.replace("    - name: LAST\n", "    - name: NEW_ONE\n      value: {{values.new}}\n    - name: LAST\n"),
    {
      "partials/proxy": BASE["partials/proxy"].replace("  - name: LAST\n", "  {{> new-one}}\n  - name: LAST\n"),
      "partials/new-one": "- name: NEW_ONE\n  value: {{values.new}}\n",
      "releases/1.31/partials/new-one": "{{! Since the release after 1.31 }}\n",
    },
  ],
  [
    "empties a partial whose lines are gone",
    CHART.replace("    - name: CPU\n      resource: limits.cpu\n", ""),
    {
      "partials/env-cpu": "{{! Only releases up to 1.31 have lines here }}\n",
      "releases/1.31/partials/env-cpu": BASE["partials/env-cpu"],
    },
  ],
])("a change of the chart %s", (_, newer, files) => expect(filesFor(newer)).toEqual(files));

it("chartHunks() closes a let at the end of the lines that use it, and keeps a block whole", () => {
  const older = "a\n{{#if x}}\nb\n{{/if}}\nend\n";
  const newer = "a\n{{#if x}}\nb\n{{#if y}}\nc\n{{/if}}\n{{/if}}\n{{#let z as |v|}}\nd {{v}}\nend\n{{/let}}\n";
  expect(chartHunks("t", older, newer).map(({ added }) => added)).toEqual([
    ["{{#if y}}", "c", "{{/if}}"],
    ["{{#let z as |v|}}", "d {{v}}", "{{/let}}"],
  ]);
});
