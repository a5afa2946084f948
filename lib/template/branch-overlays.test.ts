import { describe, expect, it } from "vitest";
import { branchOverlays, UNKNOWN } from "./branch-overlays.ts";
import { helpers } from "./helpers/helpers.ts";
import { compileTemplates } from "./testing/render-text.ts";

function overlaysOf(text: string, { partials = {}, constants = {} } = {}) {
  const compiled = compileTemplates({ templates: { t: text }, partials });
  return branchOverlays({ compiled, helpers, constants, name: "t" });
}

describe("branchOverlays()", () => {
  it.each([
    ["no branch", "a: 1\n", [{ a: 1 }]],
    ["a condition", "{{#if spec.x}}\na: 1\n{{else}}\nb: 2\n{{/if}}\n", [{ a: 1 }, { b: 2 }]],
    ["a loop, once", "{{#each spec.list}}\na: 1\n{{else}}\nb: 2\n{{/each}}\n", [{ a: 1 }, { b: 2 }]],
    [
      "a branch in a branch",
      "{{#if spec.x}}\na: 1\n{{#unless spec.y}}\nb: 2\n{{/unless}}\n{{/if}}\n",
      [{ a: 1 }, { a: 1, b: 2 }],
    ],
    ["a partial", "c: 1\n{{> p}}\n", [{ c: 1 }, { c: 1, a: 1 }]],
    [
      "two that go together only",
      "{{#if spec.x}}\na:\n{{/if}}\n{{#if spec.y}}\n  b: 1\n{{/if}}\n",
      [{ a: { b: 1 } }, { b: 1 }],
    ],
    [
      "two that do not go together",
      "{{#if spec.x}}\na: 1\n{{/if}}\n{{#if spec.y}}\na: 2\n{{/if}}\n",
      [{ a: 1 }, { a: 2 }],
    ],
  ])("writes %s", (_what, text, expected) => {
    const overlays = overlaysOf(text, { partials: { p: "{{#if spec.z}}\na: 1\n{{/if}}\n" } }).map(
      ({ overlay }) => overlay,
    );
    for (const each of expected) expect(overlays).toContainEqual(each);
  });

  it("leaves out what a constant rules out, and marks what data decides", () => {
    const text = '{{#if values.no}}\na: 1\n{{/if}}\nb: {{values.x}}\nc: {{spec.x}}\n"d{{spec.x}}": e{{spec.x}}\n';
    const [first, ...others] = overlaysOf(text, { constants: { values: { x: 2 } } });
    expect(first?.overlay).toEqual({ b: 2, c: UNKNOWN, [`d${UNKNOWN}`]: `e${UNKNOWN}` });
    expect(others).toEqual([]);
  });

  it("locates what it writes, in a partial too", () => {
    const overlays = overlaysOf("a: 1\n{{> p}}\n", { partials: { p: "{{#if spec.x}}\nlist:\n- name: b\n{{/if}}\n" } });
    const { locate } = overlays.find(({ overlay }) => JSON.stringify(overlay).includes("list")) ?? {};
    expect(locate?.(["list", 0, "name"])).toEqual({ source: "partials/p", line: 3, column: 3 });
  });
});
