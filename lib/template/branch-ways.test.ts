import { describe, expect, it } from "vitest";
import { readOrUndefined, waysOf } from "./branch-ways.ts";
import { helpers } from "./helpers/helpers.ts";
import { compileTemplates } from "./testing/render-text.ts";

function read(text: string, partials: Readonly<Record<string, string>> = {}, constants = {}) {
  const compiled = compileTemplates({ templates: { t: text }, partials });
  return waysOf({ compiled, helpers, constants, name: "t" });
}

/** The texts of the ways that were tried, each branch in its own list. */
const textsOf = (text: string, partials = {}) =>
  read(text, partials).ways.map((ways) =>
    ways.map(({ text: { text: written } }) => written.replaceAll(/\s+/g, " ").trim()),
  );

const when = (condition: string, text: string) => `{{#if ${condition}}}\n${text}\n{{/if}}\n`;

describe("waysOf()", () => {
  it("has one way through a template without branches", () => {
    expect(textsOf("a: 1\n")).toEqual([["a: 1", "a: 1"]]);
    expect(textsOf("")).toEqual([["", ""]]);
  });

  it("has each branch with all others off, and with all others on", () => {
    expect(textsOf(when("spec.x", "a: 1") + when("spec.y", "b: 2"))).toEqual([
      ["", "a: 1 b: 2"],
      ["a: 1", "a: 1 b: 2"],
      ["", "b: 2"],
      ["b: 2", "a: 1 b: 2"],
      ["", "a: 1"],
    ]);
  });

  it("has each branch with each other one besides, where all of them do not go together", () => {
    const both = when("spec.x", "a: 1") + when("spec.y", "a: 2");
    expect(textsOf(both)).toEqual([
      ["", "a: 1 a: 2", "a: 1", "a: 2"],
      ["a: 1", "a: 1 a: 2", "a: 1", "a: 1 a: 2"],
      ["", "a: 2"],
      ["a: 2", "a: 1 a: 2", "a: 1 a: 2", "a: 2"],
      ["", "a: 1"],
    ]);
    const shapes = read(both).ways.map((ways) => ways.map(({ shape, isCut }) => [shape !== undefined, isCut]));
    expect(shapes[1]?.slice(0, 2)).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it("leads to a branch of a branch, and takes a loop once", () => {
    expect(textsOf(when("spec.x", when("spec.y", "a: 1")))).toEqual([
      ["", "a: 1"],
      ["", "a: 1"],
      ["a: 1", "a: 1"],
      ["", ""],
      ["", ""],
    ]);
    expect(textsOf(`{{#each spec.l}}\n- ${"{{#if spec.x}}y{{/if}}"}z\n{{else}}\n- none\n{{/each}}\n- end\n`)).toEqual([
      ["- none - end", "- yz - end"],
      ["- z - end", "- yz - end"],
      ["- yz - end", "- yz - end"],
      ["- z - end", "- z - end"],
      ["- none - end", "- none - end"],
    ]);
  });

  it("decides in the same way what is tested twice, wherever it is written", () => {
    const twice = `${when('(eq spec.x "1")', "a: 1")}\n   ${when('(eq spec.x "1")', "b: 2")}`;
    expect(textsOf(twice)).toEqual([
      ["", "a: 1 b: 2"],
      ["a: 1 b: 2", "a: 1 b: 2"],
      ["", ""],
      ["a: 1 b: 2", "a: 1 b: 2"],
      ["", ""],
    ]);
    expect(textsOf(when("spec.x", when("spec.x", "a: 1")))).toEqual([
      ["", "a: 1"],
      ["a: 1", "a: 1"],
      ["a: 1", "a: 1"],
      ["", ""],
    ]);
  });

  it("decides apart what is tested with other options, or of what a block around it says", () => {
    const options = `${when("spec.x", "a: 1")}${when("spec.x includeZero=true", "b: 2")}`;
    expect(textsOf(options)[1]).toEqual(["a: 1", "a: 1 b: 2"]);
    const around = ["y", "z"].map((name) => `{{#with spec.${name}}}\n${when("x", `${name}: 1`)}{{/with}}\n`).join("");
    expect(textsOf(around)).toContainEqual(["y: 1", "y: 1 z: 1"]);
  });

  it("leaves out what a constant rules out", () => {
    const ways = read(`${when("values.x", "a: 1")}${when("values.y", "b: 2")}`, {}, { values: { x: true } }).ways;
    expect(ways.flat().map(({ text: { text } }) => text)).toEqual(["a: 1\n", "a: 1\n"]);
  });

  it("goes into partials", () => {
    expect(textsOf("a:\n  {{> p}}\n", { p: when("spec.x", "b: 1") })).toEqual([
      ["a:", "a: b: 1"],
      ["a: b: 1", "a: b: 1"],
      ["a:", "a:"],
    ]);
  });

  it("takes the same way once, however often it is tried", () => {
    const [first, second] = read(when("spec.x", "a: 1")).ways;
    expect(first?.[1]).toBe(second?.[0]);
    expect(second?.[0]).toBe(second?.[1]);
  });

  it("is whole where all branches were tried, and gives up where there are too many", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => `{{#if (eq spec.x "${at}")}}{{/if}}`).join("");
    expect(read(many(5))).toMatchObject({ isWhole: true });
    expect(read(many(5)).ways).toHaveLength(11);
    expect(read(many(751))).toMatchObject({ isWhole: false, ways: [] });
  });

  it("gives the same object for equal inputs, and another for other ones", () => {
    const text = when("spec.x", "a: {{values.x}}");
    const values = (x: number) => ({ values: { x } });
    expect(read(text, {}, values(1))).toBe(read(text, {}, values(1)));
    expect(read(text, {}, values(2))).not.toBe(read(text, {}, values(1)));
  });
});

it("readOrUndefined() gives what it reads, and nothing where that fails", () => {
  expect(readOrUndefined(() => 5)).toBe(5);
  expect(
    readOrUndefined(() => {
      throw new Error("no");
    }),
  ).toBeUndefined();
});
