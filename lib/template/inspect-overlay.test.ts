import { describe, expect, it } from "vitest";
import { helpers } from "./helpers/helpers.ts";
import { inspectOverlay, takenBranches } from "./inspect-overlay.ts";
import { compileTemplates } from "./testing/render-text.ts";

function query(text: string, data = {}, partials = {}) {
  return { compiled: compileTemplates({ templates: { t: text }, partials }), helpers, name: "t", data };
}

describe("inspectOverlay()", () => {
  it("knows the decisions that a constant takes, and the text in them", () => {
    const asked = query("a: 1\n{{> p isOn=true}}\n", {}, { p: "{{#if isOn}}\nb: {{spec.x}}\n{{/if}}\n" });
    expect(takenBranches(asked)).toEqual([{ position: { source: "partials/p", line: 1, column: 1 }, taken: true }]);
    expect(inspectOverlay(asked).locate(["b"], "key")).toEqual({ source: "partials/p", line: 2, column: 1 });
    const off = query("a: 1\n{{> p isOn=false}}\n", {}, { p: "{{#if isOn}}\nb: 2\n{{else}}\nc: 3\n{{/if}}\n" });
    expect(takenBranches(off)).toMatchObject([{ taken: false }]);
    expect(inspectOverlay(off).locate(["c"], "key")).toEqual({ source: "partials/p", line: 4, column: 1 });
  });

  it.each([
    ["nothing", "b: {{spec.x}}\n", []],
    ["a condition", "{{#if spec.yes}}\nb: 1\n{{/if}}\n", [["partials/p", 1, true]]],
    ["a condition's other branch", "{{#if spec.no}}\nb: 1\n{{/if}}\n", [["partials/p", 1, false]]],
    [
      "a condition in a loop",
      "{{#each spec.list}}\n{{#if this}}\nb{{@index}}: 1\n{{/if}}\n{{/each}}\n",
      [
        ["partials/p", 1, true],
        ["partials/p", 2, true],
        ["partials/p", 2, false],
      ],
    ],
    [
      "a condition in what an empty loop gives",
      "{{#each spec.none}}\na: 1\n{{else}}\n{{#if spec.yes}}\nb: 1\n{{/if}}\n{{/each}}\n",
      [
        ["partials/p", 1, false],
        ["partials/p", 4, true],
      ],
    ],
    ["a constant condition", "{{#if true}}\nb: 1\n{{/if}}\n", [["partials/p", 1, true]]],
  ])("knows the decisions of an indented partial of %s, and those after it", (_what, partial, decisions) => {
    const data = { spec: { yes: 1, list: [1, 0] } };
    const asked = query("a:\n  {{> p}}\n{{#if spec.no}}\nc: 1\n{{else}}\nd: 1\n{{/if}}\n", data, { p: partial });
    const taken = takenBranches(asked).map(({ position, taken }) => [position.source, position.line, taken]);
    expect(taken).toEqual([...decisions, ["t", 3, false]]);
  });

  it("knows the decisions that the data take", () => {
    const text = "{{#if spec.a}}\na: 1\n{{/if}}\n{{#each spec.list}}\n'{{this}}': 1\n{{/each}}\n";
    const taken = (data: object) =>
      takenBranches(query(text, data)).map((branch) => [branch.position.line, branch.taken]);
    expect(taken({ spec: { a: 1, list: ["x"] } })).toEqual(
      expect.arrayContaining([
        [1, true],
        [4, true],
      ]),
    );
    expect(taken({ spec: { list: [] } })).toEqual([
      [1, false],
      [4, false],
    ]);
  });

  it("gives renderings with the same decisions the same list", () => {
    const asked = query("{{#if spec.a}}\na: {{spec.a}}\n{{/if}}\n", { spec: { a: 1 } });
    expect(takenBranches({ ...asked, data: { spec: { a: 2 } } })).toBe(takenBranches(asked));
    expect(takenBranches({ ...asked, data: { spec: {} } })).toMatchObject([{ taken: false }]);
  });
});

describe("tagAt()", () => {
  const DATA = { metadata: { name: "web", labels: { a: "x" } }, spec: { n: 5, map: { deep: [1] } } };
  const tagIn = (text: string, ...steps: readonly (string | number)[]) =>
    inspectOverlay(query(text, DATA)).tagAt(steps);

  it.each<[string, string, readonly (string | number)[], number, unknown, readonly (string | number)[]]>([
    ["a whole value", "a: {{metadata.name}}\n", ["a"], 4, "web", []],
    ["a value between others", "a: {{spec.n}}\nb: {{metadata.name}}\nc: {{spec.n}}\n", ["b"], 4, "web", []],
    ["a value in quotes", "a: '{{metadata.name}}'\n", ["a"], 5, "web", []],
    ["a value in double quotes", 'a: "{{spec.n}}"\n', ["a"], 5, 5, []],
    ["what is inside of a value", "a: {{spec.map}}\n", ["a", "deep", 0], 4, { deep: [1] }, ["deep", 0]],
    ["an item", "a:\n- 1\n- {{spec.n}}\n", ["a", 1], 3, 5, []],
    ["a value below a key that is a tag", "{{metadata.name}}:\n  b: {{spec.n}}\n", ["web", "b"], 6, 5, []],
  ])("is the tag of %s", (_what, text, steps, column, value, rest) => {
    expect(tagIn(text, ...steps)).toMatchObject({ value, rest, position: { source: "t", column } });
  });

  it.each<[string, string, readonly (string | number)[]]>([
    ["a constant", "a: 1\nb: {{spec.n}}\n", ["a"]],
    ["a tag with text before it", "a: x{{spec.n}}\n", ["a"]],
    ["a tag with text after it", "a: {{spec.n}}x\n", ["a"]],
    ["two tags", "a: {{spec.n}}{{spec.n}}\n", ["a"]],
    ["a tag with text before it in quotes", "a: 'x{{spec.n}}'\n", ["a"]],
    ["a tag with text after it in quotes", "a: '{{spec.n}}x'\n", ["a"]],
    ["a tag of YAML", "a: !!str {{spec.n}}\n", ["a"]],
    ["a tag of YAML on a text in quotes", "a: !!str '{{spec.n}}'\n", ["a"]],
    ["a block of text", "a: |\n  {{spec.n}}\n", ["a"]],
    ["a list", "a: [{{spec.n}}]\n", ["a"]],
    ["a field that is not there", "a: {b: {{spec.n}} }\n", ["a", "c"]],
  ])("is none for %s", (_what, text, steps) => {
    expect(tagIn(text, ...steps)).toBeUndefined();
  });
});

describe("what is in an overlay", () => {
  it("are the tags that print a value, in the order of the text, with the values known and read", () => {
    const text = "a: {{spec.x}}\n{{> p isOn=5}}\n{{#each spec.list}}\n'k{{@index}}': {{this}}\n{{/each}}\n";
    const { tags } = inspectOverlay(query(text, { spec: { x: 1, list: ["y"] } }, { p: "b: {{isOn}}\n" }));
    expect(tags().map(({ position: { source, line }, value }) => [source, line, value])).toEqual([
      ["t", 1, 1],
      ["partials/p", 1, 5],
      ["t", 4, 0],
      ["t", 4, "y"],
    ]);
    expect(inspectOverlay(query("a: 1\n")).tags()).toEqual([]);
  });

  it("are the fields and items under which nothing is written, with their places", () => {
    const text = "a:\nb:\n  c:\n  d: null\n  e: ''\nf:\n- \n- 1\n-\ng: {{spec.x}}\nh: !!str\n";
    expect(inspectOverlay(query(text)).emptyFields()).toEqual([
      { steps: ["a"], position: { source: "t", line: 1, column: 1 } },
      { steps: ["b", "c"], position: { source: "t", line: 3, column: 3 } },
      { steps: ["f", 0], position: { source: "t", line: 7, column: 1 } },
      { steps: ["f", 2], position: { source: "t", line: 9, column: 1 } },
    ]);
    expect(inspectOverlay(query("a: 1\nb: {{spec.x}}\n")).emptyFields()).toEqual([]);
    expect(inspectOverlay(query("{{#if spec.x}}\na:\n{{/if}}\nb: 1\n")).emptyFields()).toEqual([]);
  });
});
