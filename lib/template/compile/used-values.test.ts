import { describe, expect, it } from "vitest";
import { compileTemplates } from "../testing/render-text.ts";
import { usedValues } from "./used-values.ts";

function used(text: string, partials: Readonly<Record<string, string>> = {}): readonly string[] {
  return usedValues(compileTemplates({ templates: { t: text }, partials })).map((path) => path.join("."));
}

describe("usedValues()", () => {
  it.each([
    ["a slot", "a: {{values.a.b}}\n", ["a.b"]],
    ["a slot of the root", "{{#each spec.containers}}\na: {{@root.values.a}}\n{{/each}}\n", ["a"]],
    ["a condition", "{{#if values.a}}\na: 1\n{{else if values.b}}\nb: 1\n{{/if}}\n", ["a", "b"]],
    ["an argument", "a: {{upper (default values.a values.b.c)}}\n", ["a", "b.c"]],
    ["the context of a partial", "{{> p values.a}}\n", ["a"]],
    ["an argument of a partial", "{{> p x=values.a}}\n", ["a"]],
    ["an argument of a partial that is a call", '{{> p x=(get values.a "b")}}\n', ["a.b"]],
    ["an option of a block", "{{#if spec.a includeZero=values.b}}\na: 1\n{{/if}}\n", ["b"]],
  ])("has the path of %s", (_where, text, paths) => {
    expect(used(text, { p: "b: 1\n" })).toEqual(paths);
  });

  it.each(["lookup", "get", "index", "hasKey", "isset"])(
    "has the whole path that %s reads by a literal key",
    (helper) => {
      expect(used(`a: {{${helper} values.a "b.c/d"}}\n`)).toEqual(["a.b.c/d"]);
      expect(
        usedValues(compileTemplates({ templates: { t: `a: {{${helper} values.a "b.c/d"}}\n` }, partials: {} })),
      ).toEqual([["a", "b.c/d"]]);
    },
  );

  it("has a number as a key, and an entry of the values themselves", () => {
    expect(used("a: {{index values.a 0}}\n")).toEqual(["a.0"]);
    expect(used('a: {{lookup values "b"}}\n')).toEqual(["b"]);
  });

  it("has the map alone where the key is not known, and the key where it is a value", () => {
    expect(used("a: {{get values.a metadata.name}}\n")).toEqual(["a"]);
    expect(used("a: {{get values.a values.b}}\n")).toEqual(["a", "b"]);
  });

  it("has further arguments of a lookup", () => {
    expect(used('a: {{index values.a "b" values.c}}\n')).toEqual(["a.b", "c"]);
  });

  it("has neither what other helpers make of a literal, nor what other roots have", () => {
    expect(used('a: {{omit values.a "b"}}\n')).toEqual(["a"]);
    expect(used('a: {{get metadata.labels "values"}}\nb: {{spec.values}}\nc: {{upper "x"}}\n')).toEqual([]);
  });

  it("has no path of values that are passed on as a whole, and each path once", () => {
    expect(used("{{> p values}}\na: {{values.a}}\nb: {{values.a}}\n", { p: "c: {{values.d}}\n" })).toEqual(["a", "d"]);
  });
});
