import { describe, expect, it } from "vitest";
import { helpers } from "../helpers/helpers.ts";
import { type InspectedOverlay, inspectOverlay } from "../inspect-overlay.ts";
import { compileTemplates } from "../testing/render-text.ts";

type Steps = Parameters<InspectedOverlay["locate"]>[0];
type Part = Parameters<InspectedOverlay["locate"]>[1];

const DATA = {
  metadata: { labels: { a: "x", "b:c": "y" }, name: "n" },
  spec: { containers: [{ name: "one" }, { name: "two" }] },
  values: { list: [1, 2], map: { deep: { deeper: 1 } } },
};

function locate(text: string, steps: Steps, part: Part, partials = {}) {
  const compiled = compileTemplates({ templates: { t: text }, partials });
  const { source, line, column } = inspectOverlay({ compiled, helpers, name: "t", data: DATA }).locate(steps, part);
  return [source, line, column];
}

describe("locate()", () => {
  it.each<[string, string, Steps, readonly [line: number, column: number], readonly [number, number]]>([
    ["static text", "a:\n  b:\n    c: 1\n", ["a", "b", "c"], [3, 5], [3, 8]],
    ["a flow map", "a: {b: [x, {c: 1}]}\n", ["a", "b", 1, "c"], [1, 13], [1, 16]],
    ["an item", "a:\n- b: 1\n- c: 2\n", ["a", 1], [3, 3], [3, 3]],
    ["quoted keys", "'a''b':\n  \"c\\td\": 1\n", ["a'b", "c\td"], [2, 3], [2, 11]],
    ["a tag", "a:\n  b: {{metadata.name}}\n", ["a", "b"], [2, 3], [2, 6]],
    ["a tag as a key", "a:\n  b: 1\n  {{metadata.name}}: 1\n", ["a", "n"], [3, 3], [3, 22]],
    ["a key with a tag in it", "a:\n  'x-{{metadata.name}}': 1\n", ["a", "x-n"], [2, 3], [2, 26]],
    ["what a tag's value brings along", "a:\n  b: {{values.map}}\n", ["a", "b", "deep", "deeper"], [2, 6], [2, 6]],
    ["an entry without a value", "a:\n  b:\n", ["a", "b"], [2, 3], [2, 3]],
    ["the last of equal keys", "{{metadata.name}}: 1\n'n': 2\n", ["n"], [2, 1], [2, 6]],
    [
      "an item after one that is left out",
      "a:\n- {{metadata.nothing}}\n- {{metadata.name}}\n- 'c'\n",
      ["a", 1],
      [4, 3],
      [4, 3],
    ],
    ["a second round", "a:\n{{#each spec.containers}}\n- b: {{name}}\n{{/each}}\n", ["a", 1, "b"], [3, 3], [3, 6]],
    ["a key of a second round", "{{#each metadata.labels}}\n{{@key}}: {{this}}\n{{/each}}\n", ["b:c"], [2, 1], [2, 11]],
    ["a branch", "{{#if metadata.name}}\na: 1\n{{else}}\nb: 1\n{{/if}}\n", ["a"], [2, 1], [2, 4]],
    ["what an alias repeats", "a: &x {b: 1}\nc: *x\n", ["c", "b"], [2, 4], [2, 4]],
  ])("finds %s", (_what, text, steps, key, value) => {
    expect(locate(text, steps, "key")).toEqual(["t", ...key]);
    expect(locate(text, steps, "value")).toEqual(["t", ...value]);
  });

  it("finds it in the partial that makes it", () => {
    const partials = { outer: "b:\n  {{> inner}}\n", inner: "c: 1\nd: {{metadata.name}}\n" };
    const text = "a:\n  {{> outer}}\n  e: 1\n";
    expect(locate(text, ["a", "b", "c"], "key", partials)).toEqual(["partials/inner", 1, 1]);
    expect(locate(text, ["a", "b", "d"], "value", partials)).toEqual(["partials/inner", 2, 4]);
    expect(locate(text, ["a", "b"], "key", partials)).toEqual(["partials/outer", 1, 1]);
    expect(locate(text, ["a", "e"], "key", partials)).toEqual(["t", 3, 3]);
  });

  it.each<[string, string, string, Steps, readonly [line: number, column: number]]>([
    ["the first line", "b: 1\nc: 2\nd:\n- e: 3\n", "key", ["a", "b"], [1, 1]],
    ["the second line", "b: 1\nc: 2\nd:\n- e: 3\n", "key", ["a", "c"], [2, 1]],
    ["a later line", "b: 1\nc: 2\nd:\n- e: 3\n", "value", ["a", "d", 0, "e"], [4, 6]],
    ["the line after a tag", "b: {{metadata.name}}\nc: 2\nd: 3\n", "key", ["a", "d"], [3, 1]],
    ["a line of a branch", "{{#if metadata.name}}\nb: 1\nc: 2\n{{/if}}\nd: 3\n", "value", ["a", "c"], [3, 4]],
    ["the line after a branch", "{{#if metadata.name}}\nb: 1\nc: 2\n{{/if}}\nd: 3\n", "value", ["a", "d"], [5, 4]],
    ["a line after an empty one", "b: 1\n\n\nc: 2\n", "key", ["a", "c"], [4, 1]],
  ])("finds %s of an indented partial", (_what, partial, part, steps, place) => {
    const partials = { inner: partial, outer: "a:\n  {{> inner}}\n" };
    expect(locate("a:\n    {{> inner}}\n", steps, part as Part, partials)).toEqual(["partials/inner", ...place]);
    const deeper = locate("x:\n  {{> outer}}\n", ["x", ...steps], part as Part, partials);
    expect(deeper).toEqual(["partials/inner", ...place]);
  });

  it("gives what is nearest when there is no such field", () => {
    expect(locate("a:\n  b:\n    c: 1\n", ["a", "b", "x", "y"], "value")).toEqual(["t", 2, 3]);
    expect(locate("", ["a"], "key")).toEqual(["", 1, 1]);
  });
});
