import { describe, expect, it } from "vitest";
import { examineTemplates } from "./compile/compile-templates.ts";
import { helpers } from "./helpers/helpers.ts";
import { templateInputs } from "./template-inputs.ts";

const CONSTANTS = { values: { a: { b: "1", list: ["x"] }, c: "2" }, revision: "r" };

/** The inputs of a template. */
function inputsOf(text: string, constants: object = CONSTANTS, partials: Readonly<Record<string, string>> = {}) {
  const { compiled } = examineTemplates({ templates: { t: text }, partials }, helpers);
  return templateInputs({ compiled, constants: { ...constants }, name: "t" });
}

const edited = (values: object) => ({ ...CONSTANTS, values: { ...CONSTANTS.values, ...values } });

describe("templateInputs()", () => {
  it.each([
    ["a path", "a: {{values.a.b}}"],
    ["a path below it", "a: {{values.a}}"],
    ["a condition", "{{#if values.a.b}}a: 1{{/if}}"],
    ["an argument", 'a: {{default "x" values.a.b}}'],
    ["a lookup", 'a: {{lookup values.a "b"}}'],
    ["a key that the pod has", "a: {{lookup values.a metadata.name}}"],
    ["a context", "{{#with values.a}}a: {{b}}{{/with}}"],
    ["a variable", "{{#let values.a as |v|}}a: {{v.b}}{{/let}}"],
    ["a loop", "{{#each values.a}}- {{this}}\n{{/each}}"],
    ["an argument in a loop", "{{#each values.a}}- {{toJson this}}\n{{/each}}"],
    ["a loop in a partial", "{{> r}}"],
    ["the item of a loop as a context", "{{#each values.a}}{{#with this}}- {{this}}\n{{/with}}{{/each}}"],
    ["a context that is all", "{{#with values.a}}a: {{toJson this}}{{/with}}"],
    ["a context around", "{{#with metadata}}a: {{../values.a.b}}{{/with}}"],
    ["all data", "a: {{lookup (lookup this metadata.name) metadata.name}}"],
    ["the root", "a: {{@root.values.a.b}}"],
    ["an argument of a partial", "{{> p x=values.a.b}}"],
    ["a context of a partial", "{{> p values.a}}"],
    ["a partial", "{{> q}}"],
  ])("differ with a value that is read by %s, and not with another", (_, text) => {
    const partials = { p: "a: {{x}}", q: "a: {{values.a.b}}", r: "{{#each values.a}}- {{this}}\n{{/each}}" };
    const before = inputsOf(text, CONSTANTS, partials);
    expect(inputsOf(text, edited({ a: { b: "3", list: ["x"] } }), partials)).not.toBe(before);
    // Where it is not known what is read, all of it counts.
    if (!text.includes("lookup this")) expect(inputsOf(text, edited({ c: "3" }), partials)).toBe(before);
  });

  it.each([
    ["in a loop that has none", "{{#each values.d}}- 1\n{{else}}a: {{toJson this}}{{/each}}"],
    ["above a loop", "{{#each metadata.labels}}- {{toJson ..}}\n{{/each}}"],
    ["around a loop", "{{#with this}}{{#each metadata.labels}}- {{toJson ..}}\n{{/each}}{{/with}}"],
    ["in a condition", "{{#if metadata.name}}a: {{toJson this}}{{/if}}"],
    ["in a partial that a loop calls", "{{#each metadata.labels}}{{> p}}{{/each}}"],
    [
      "in a partial that is written in a loop",
      '{{#each metadata.labels}}{{#*inline "i"}}a: {{toJson this}}{{/inline}}{{/each}}',
    ],
  ])("differ with any value where all data is read: %s", (_, text) => {
    const partials = { p: "- {{toJson this}}\n" };
    expect(inputsOf(text, edited({ c: "3" }), partials)).not.toBe(inputsOf(text, CONSTANTS, partials));
  });

  it.each([
    ["the length of a list", "a: {{values.a.list.length}}", { a: { b: "1", list: ["x", "y"] } }],
    ["a part of a text", "a: {{values.a.b.length}}", { a: { b: "10", list: ["x"] } }],
    ["a value that is null, and one that is missing", "a: {{values.d}}", { d: null }],
    ["the order of keys", "{{#each values.a}}- {{@key}}\n{{/each}}", { a: { list: ["x"], b: "1" } }],
  ])("differ with %s", (_, text, values) => {
    expect(inputsOf(text, edited(values))).not.toBe(inputsOf(text));
  });

  it("differ with a partial that is reached through another, and not with one that is not", () => {
    const text = "{{> one}}";
    const partials = { one: "{{> two}}", two: "a: 1", three: "a: 1" };
    const before = inputsOf(text, CONSTANTS, partials);
    expect(inputsOf(text, CONSTANTS, { ...partials, two: "a: 2" })).not.toBe(before);
    expect(inputsOf(text, CONSTANTS, { ...partials, three: "a: 2" })).toBe(before);
  });

  it("leave out a root that each rendering reads", () => {
    expect(inputsOf("a: {{revision}}")).not.toBe(inputsOf("a: {{revision}}", edited({})).replace('"r"', '"s"'));
    const { revision: _, ...constants } = CONSTANTS;
    expect(inputsOf("a: {{revision}}", constants)).not.toBe(inputsOf("a: {{revision}}"));
  });
});
