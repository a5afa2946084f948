import { describe, expect, it } from "vitest";
import type { Program } from "../compiled-templates.ts";
import { helpers } from "../helpers/helpers.ts";
import { compileTemplates, renderText } from "../testing/render-text.ts";
import { bindProgram } from "./bind-program.ts";

const VALUE = {
  zero: 0,
  one: 1,
  empty: "",
  text: "ab",
  no: false,
  none: null,
  list: ["x", "y"],
  nothing: [],
  map: { b: 1, a: 2 },
  object: {},
  deep: {
    list: [
      { n: 1, l: ["p"] },
      { n: 2, l: ["q", "r"] },
    ],
  },
};

/** The text of a template, with `spec` read when it is rendered and `values` known before: both have the same fields. */
function rendered(text: string): string {
  const compiled = compileTemplates({ templates: { t: text }, partials: {} });
  return renderText(compiled, { helpers, constants: { values: VALUE } }, "t", { spec: VALUE, values: VALUE });
}

/** The same text, with what is read and with what is known. */
function both(text: string): readonly string[] {
  return [rendered(text), rendered(text.replaceAll("spec.", "values."))];
}

const twice = (text: string) => [text, text];

describe("a condition", () => {
  it.each([
    ["zero", false],
    ["one", true],
    ["empty", false],
    ["text", true],
    ["no", false],
    ["none", false],
    ["missing", false],
    ["list", true],
    ["nothing", false],
    ["map", true],
    ["object", true],
  ])("of %s is %s", (name, isTrue) => {
    expect(both(`{{#if spec.${name}}}yes{{else}}no{{/if}}`)).toEqual(twice(isTrue ? "yes" : "no"));
    expect(both(`{{#unless spec.${name}}}yes{{else}}no{{/unless}}`)).toEqual(twice(isTrue ? "no" : "yes"));
    expect(both(`{{#if spec.${name}}}yes{{/if}}`)).toEqual(twice(isTrue ? "yes" : ""));
  });

  it.each([
    ["zero", "true", true],
    ["zero", "false", false],
    ["zero", "spec.one", true],
    ["zero", "spec.no", false],
    ["zero", "values.one", true],
    ["one", "false", true],
    ["empty", "true", false],
    ["nothing", "true", false],
  ])("of %s with includeZero=%s is %s", (name, zero, isTrue) => {
    expect(both(`{{#if spec.${name} includeZero=${zero}}}yes{{else}}no{{/if}}`)).toEqual(twice(isTrue ? "yes" : "no"));
    expect(both(`{{#unless spec.${name} includeZero=${zero}}}no{{else}}yes{{/unless}}`)).toEqual(
      twice(isTrue ? "yes" : "no"),
    );
    expect(rendered(`{{#if values.${name} includeZero=${zero}}}yes{{else}}no{{/if}}`)).toBe(isTrue ? "yes" : "no");
  });
});

describe("#with", () => {
  it.each([
    ["map", "1"],
    ["object", ""],
    ["zero", ""],
    ["text", ""],
    ["none", "none"],
    ["missing", "none"],
    ["nothing", "none"],
    ["no", "none"],
  ])("of %s writes %j", (name, text) => {
    expect(both(`{{#with spec.${name}}}{{b}}{{else}}none{{/with}}`)).toEqual(twice(text));
  });

  it("has its value as the context, and by its parameter", () => {
    expect(both("{{#with spec.map as |m|}}{{b}}{{m.b}}{{this.a}}{{#with m}}{{b}}{{../a}}{{/with}}{{/with}}")).toEqual(
      twice("11212"),
    );
    expect(both("{{#with spec.zero as |z|}}{{z}}{{this}}{{/with}}")).toEqual(twice("00"));
    expect(rendered("{{#with this as |all|}}{{all.spec.one}}{{all.values.one}}{{/with}}")).toBe("11");
  });

  it("has the context around in its other branch", () => {
    expect(both("{{#with spec.map}}{{#with missing}}x{{else}}{{b}}{{/with}}{{/with}}")).toEqual(twice("1"));
  });
});

describe("#let", () => {
  it("gives names to values, and leaves the context as it is", () => {
    expect(
      both("{{#with spec.map}}{{#let b (upper spec.text) 5 as |x y z|}}{{x}}{{y}}{{z}}{{a}}{{/let}}{{/with}}"),
    ).toEqual(twice("1AB52"));
    expect(both("{{#let spec.map as |m|}}{{#let m.a as |n|}}{{m.b}}{{n}}{{/let}}{{/let}}")).toEqual(twice("12"));
    expect(both("{{#let spec.one as |x|}}{{#let spec.text as |x|}}{{x}}{{/let}}{{x}}{{/let}}")).toEqual(twice("ab1"));
  });
});

describe("#each", () => {
  const LOOP =
    "{{#each spec.NAME as |item key|}}{{item}}{{key}}{{this}}{{@key}}{{@index}}{{@first}}{{@last}} {{else}}none{{/each}}";

  it.each([
    ["list", "x0x00truefalse y1y11falsetrue "],
    ["map", "1b1b0truefalse 2a2a1falsetrue "],
    ["nothing", "none"],
    ["object", "none"],
    ["none", "none"],
    ["missing", "none"],
    ["text", "none"],
    ["one", "none"],
  ])("of %s writes %j", (name, text) => {
    expect(both(LOOP.replace("NAME", name))).toEqual(twice(text));
  });

  it("has the loops and contexts around", () => {
    const inner = "{{#each l}}{{../n}}{{@../index}}{{@../last}}{{this}}{{@index}}{{@last}} {{/each}}";
    expect(both(`{{#each spec.deep.list}}${inner}{{/each}}`)).toEqual(
      twice("10falsep0true 21trueq0false 21truer1true "),
    );
    expect(both("{{#with spec.map}}{{#each spec.list}}{{../b}}{{this}}{{/each}}{{/with}}")).toEqual(twice("1x1y"));
    expect(both("{{#with spec.map}}{{#each spec.nothing}}x{{else}}{{b}}{{/each}}{{/with}}")).toEqual(twice("1"));
  });

  it("has what is decided for each item", () => {
    expect(
      both("{{#each spec.deep.list}}{{#if @first}}f{{else}}o{{/if}}{{#each l}}{{this}}{{/each}}{{/each}}"),
    ).toEqual(twice("fpoqr"));
    expect(both("{{#each spec.list}}a{{/each}}")).toEqual(twice("aa"));
    expect(both("{{#each spec.list}}{{#if @last}}!{{/if}}{{/each}}")).toEqual(twice("!"));
  });

  it.each([1, 63, 64, 65, 200])("writes the same of %i items that are known and that are read", (count) => {
    const items = Array.from({ length: count }, (_, at) => `i${at}`);
    const text = "{{#each values.l as |item at|}}{{item}}{{at}}{{@first}}{{@last}} {{else}}none{{/each}}";
    const compiled = compileTemplates({ templates: { t: text }, partials: {} });
    const data = { values: { l: items } };
    const expected = items.map((item, at) => `${item}${at}${at === 0}${at === count - 1} `).join("");
    expect(renderText(compiled, { helpers, constants: data }, "t", data)).toBe(expected);
    expect(renderText(compiled, { helpers, constants: {} }, "t", data)).toBe(expected);
  });
});

describe("decisions that are known", () => {
  const piecesOf = (text: string, keepsDecisions: boolean) => {
    const compiled = compileTemplates({ templates: { t: text }, partials: {} });
    const program = compiled.templates["t"] as Program;
    return bindProgram({ name: "t", program, partials: {}, helpers, constants: { values: VALUE }, keepsDecisions })
      .pieces;
  };

  it.each([
    ["{{#if values.one}}a{{/if}}", true],
    ["{{#if values.zero}}{{else}}a{{/if}}", false],
    // What is tested is true, whichever branch that is.
    ["{{#unless values.one}}{{else}}a{{/unless}}", true],
    ["{{#with values.map}}a{{/with}}", true],
    ["{{#with values.none}}{{else}}a{{/with}}", false],
    ["{{#with this}}a{{/with}}", true],
    ["{{#each values.nothing}}{{else}}a{{/each}}", false],
    ["{{#each values.map}}{{#if @first}}{{/if}}{{/each}}", true],
  ])("are kept for %s where they are asked for", (text, taken) => {
    expect(piecesOf(text, true)[0]).toMatchObject({
      kind: "decided",
      taken,
      position: { source: "t", line: 1, column: 1 },
    });
    expect(piecesOf(text, false).map(({ kind }) => kind)).not.toContain("decided");
  });
});
