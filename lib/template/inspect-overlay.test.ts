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
