import { describe, expect, it } from "vitest";
import { readBranches } from "./branch-overlays.ts";
import { helpers } from "./helpers/helpers.ts";
import { compileTemplates } from "./testing/render-text.ts";
import { UNKNOWN } from "./unknown.ts";

function overlaysOf(text: string, { partials = {}, constants = {} } = {}) {
  const compiled = compileTemplates({ templates: { t: text }, partials });
  return readBranches({ compiled, helpers, constants, name: "t" }).overlays;
}

describe("overlays of readBranches()", () => {
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

  it("has what two branches write together, where not all of them go together", () => {
    const apart = ["1", "2"].map((value) => `{{#if (eq spec.x "${value}")}}\nc: 1\n{{/if}}\n`).join("");
    const overlays = overlaysOf(`${apart}{{#if spec.y}}\na:\n{{/if}}\n{{#if spec.z}}\n  true\n{{/if}}\n`);
    expect(overlays.map(({ overlay }) => overlay)).toContainEqual({ a: true });
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

describe("faults of readBranches()", () => {
  const doubled = (text: string, partials = {}) => {
    const compiled = compileTemplates({ templates: { t: text }, partials });
    return readBranches({ compiled, helpers, constants: {}, name: "t" })
      .faults()
      .map(({ path, line }) => `${path}:${line}`);
  };
  const eq = (value: string, text: string) => `{{#if (eq spec.x "${value}")}}\n${text}\n{{/if}}\n`;

  it.each([
    ["no branch", "a: 1\na: 2\n", ["t:2"]],
    ["a branch", "{{#if spec.x}}\na: 1\na: 2\n{{/if}}\n", ["t:3"]],
    ["a branch of a branch", "{{#if spec.x}}\n{{#if spec.y}}\na:\n  b: 1\n  b: 2\n{{/if}}\n{{/if}}\n", ["t:5"]],
    ["the other branch", "{{#if spec.x}}\nb: 1\n{{else}}\na: 1\na: 2\n{{/if}}\n", ["t:5"]],
    ["a branch and what is around it", "a: 1\n{{#if spec.x}}\na: 2\n{{/if}}\n", ["t:3"]],
    ["a loop", "{{#each spec.list}}\na: 1\na: 2\n{{/each}}\n", ["t:3"]],
    ["a partial", "{{#if spec.x}}\na: 1\n{{> p}}\n{{/if}}\n", ["p:1"]],
    ["two blocks with one condition", eq("1", "a: 1") + eq("1", "a: 2"), ["t:5"]],
    [
      "a branch, where others do not go together",
      `${eq("1", "b: 1")}${eq("2", "b: 2")}{{#if spec.y}}\na: 1\na: 2\n{{/if}}\n`,
      ["t:9"],
    ],
  ])("finds a key that is given twice in %s", (_what, text, expected) =>
    expect(doubled(text, { p: "a: 2\n" })).toEqual(expected.map((place) => place.replace("p:", "partials/p:"))),
  );

  it.each([
    ["two branches of one block", "{{#if spec.x}}\na: 1\n{{else}}\na: 2\n{{/if}}\n"],
    ["blocks with opposite conditions", "{{#if spec.x}}\na: 1\n{{/if}}\n{{#unless spec.x}}\na: 2\n{{/unless}}\n"],
    ["blocks of which a pod takes one", eq("1", "a: 1") + eq("2", "a: 2") + eq("3", "a: 3")],
    ["a key by a tag", "{{metadata.name}}: 1\n{{metadata.namespace}}: 2\n{{metadata.name}}: 3\n"],
    [
      "what is written where another branch is not, and others do not go together",
      `${eq("1", "b: 1")}${eq("2", "b: 2")}{{#if spec.y}}\na: 1\n{{/if}}\n{{#unless spec.y}}\na: 2\n{{/unless}}\n`,
    ],
  ])("leaves %s", (_what, text) => expect(doubled(text)).toEqual([]));

  it("refuses more branches than are judged", () => {
    const apart = Array.from({ length: 100 }, (_, at) => eq(`${at}`, `a: ${at}`)).join("");
    expect(doubled(apart)).toEqual(["t:1"]);
  });

  // Each calls the next one twice.
  it.each([8, 11])("refuses the branches of %i partials that double", (count) => {
    const partials = Array.from({ length: count }, (_, at) => {
      const next = `{{> p${at + 1}}}\n`;
      return [`p${at}`, `{{#if spec.x${at}}}\n${next}${next}{{/if}}\n`];
    });
    const all = { ...Object.fromEntries(partials), [`p${count}`]: "k: v\n" };
    expect(doubled("{{> p0}}\n", all)).toEqual(["t:1"]);
  });
});
