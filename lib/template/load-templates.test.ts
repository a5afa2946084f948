import { describe, expect, test } from "vitest";
import { OutriggerError } from "../errors.ts";
import { compileTemplates } from "./compile-templates.ts";
import { helpers } from "./helpers/helpers.ts";
import { type LoadOptions, loadTemplates, type TemplateData } from "./load-templates.ts";

function load(text: string, options: Partial<LoadOptions> = {}, partials: Record<string, string> = {}) {
  const compiled = compileTemplates({ templates: { t: text }, partials }, Object.keys(helpers));
  return loadTemplates(JSON.parse(JSON.stringify(compiled)), { helpers, constants: {}, defaults: {}, ...options });
}

function render(text: string, data: TemplateData = {}, partials: Record<string, string> = {}) {
  return load(text, {}, partials).render("t", data);
}

function errorOf(run: () => unknown): OutriggerError {
  try {
    run();
  } catch (error) {
    if (error instanceof OutriggerError) return error;
    throw error;
  }
  throw new Error("expected an error");
}

describe("render()", () => {
  test("gives a whole plain scalar its own type when the value has one", () => {
    const spec = { a: "true", b: 5, c: false, d: { e: [1] } };
    const overlay = render("a: {{spec.a}}\nb: {{spec.b}}\nc: {{spec.c}}\nd: {{spec.d}}\n", { spec });
    expect(overlay).toEqual(spec);
    expect(overlay["d"]).toBe(spec.d);
  });

  test("joins values as text when they stand in longer, quoted or block scalars", () => {
    const text = 'a: x-{{spec.n}}\nb: "{{spec.n}}"\nc: |\n  {{spec.n}} {{spec.l}}\n{{spec.n}}: k\n';
    expect(render(text, { spec: { n: 5, l: [1, "b"] } })).toEqual({ a: "x-5", b: "5", c: "5 1,b\n", "5": "k" });
  });

  test("leaves the entry or item out when the whole value is missing or null", () => {
    expect(render("a: {{spec.no}}\nb: [1, {{spec.nil}}]\nc: null\nd: x{{spec.no}}\n", { spec: { nil: null } })).toEqual({
      b: [1],
      c: null,
      d: "x",
    });
  });

  test("names the place when an object stands inside a text", () => {
    const error = errorOf(() => render("a:\n  b: x{{spec}}\n", { spec: {} }));
    expect(error).toMatchObject({ code: "template-render", line: 2, column: 7 });
    expect(error.message).toContain("toJson");
  });

  test("names the place in the partial when its YAML is wrong", () => {
    const error = errorOf(() => render("a: 1\n{{> p}}\n", {}, { p: "b: 2\nc: : 3\n" }));
    expect(error).toMatchObject({ code: "template-render", path: "partials/p", line: 2 });
  });

  test.each([
    ["a comment", "# {{revision}}\na: 1\n"],
    ["an anchor", "a: &{{revision}} 1\n"],
    ["a tag", "a: !{{revision}} 1\n"],
  ])("refuses a slot that stands in %s", (_, text) => {
    expect(errorOf(() => render(text, { revision: "r" })).code).toBe("template-render");
  });

  test("gives the same frozen objects each time when nothing depends on the data", () => {
    const set = load("a: {b: [1]}\nc: {{revision}}\n");
    const first = set.render("t", { revision: "1" });
    const second = set.render("t", { revision: "2" });
    expect(second["a"]).toBe(first["a"]);
    expect(Object.isFrozen(first["a"])).toBe(true);
  });

  test("makes an empty overlay when the text is empty", () => {
    expect(render("{{#if revision}}a: 1{{/if}}")).toEqual({});
  });
});
