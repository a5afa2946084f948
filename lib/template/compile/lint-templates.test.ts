import { describe, expect, it } from "vitest";
import { helpers } from "../helpers/helpers.ts";
import { examineTemplates } from "./compile-templates.ts";

const lint = (text: string, partials: Readonly<Record<string, string>> = {}) =>
  examineTemplates({ templates: { t: text }, partials }, helpers).findings;

/** Each finding as `code template:line:column`. */
const placesIn = (text: string, partials: Readonly<Record<string, string>> = {}) =>
  lint(text, partials).map(({ code, template, line, column }) => `${code} ${template}:${line}:${column}`);

const messagesIn = (text: string, partials: Readonly<Record<string, string>> = {}) =>
  lint(text, partials).map(({ message }) => message);

describe("names", () => {
  it.each([
    ["{{metadta.name}}", '"metadta" is not in the template data, did you mean "metadata"'],
    ["{{other}}", '"other" is not in the template data'],
    ["{{this.other}}", '"other" is not in the template data'],
    ["{{#if other}}{{/if}}", '"other" is not in the template data'],
    ["{{#each other}}{{/each}}", '"other" is not in the template data'],
    ["{{#let other as |x|}}{{/let}}", '"other" is not in the template data'],
    ["{{#if spec includeZero=other}}{{/if}}", '"other" is not in the template data'],
    ["{{len other}}", '"other" is not in the template data'],
    ["{{default spec spec x=other}}", '"other" is not in the template data'],
    ["{{#if spec}}{{other}}{{/if}}", '"other" is not in the template data'],
    ["{{#if spec}}{{else}}{{other}}{{/if}}", '"other" is not in the template data'],
    ["{{#with spec}}{{else}}{{other}}{{/with}}", '"other" is not in the template data'],
    ["{{#with spec}}{{../other}}{{/with}}", '"other" is not in the template data'],
    ["{{#let spec as |x|}}{{/let}}{{x}}", '"x" is not in the template data'],
    ["{{@other}}", '"@other" is not known: use @root, @key, @index, @first or @last'],
    ["{{@index}}", '"@index" is used outside of #each'],
    ["{{#each spec}}{{@../key}}{{/each}}", '"@../key" is used outside of #each'],
    ["{{#each spec}}{{else}}{{@first}}{{/each}}", '"@first" is used outside of #each'],
    ["{{#with spec}}{{@last}}{{/with}}", '"@last" is used outside of #each'],
    ["{{../spec}}", '"../" leads out of the template'],
    ["{{#with spec}}{{../../a}}{{/with}}", '"../../" leads out of the template'],
  ])("that are not known in %s", (text, message) => {
    expect(messagesIn(text)).toEqual([message]);
  });

  it.each([
    "{{metadata.field.thing}}{{@root.field}}{{this}}",
    "{{#with spec}}{{field}}{{this.field}}{{./field}}{{../metadata}}{{/with}}",
    "{{#each spec}}{{field}}{{@key}}{{@index}}{{@first}}{{@last}}{{#each field}}{{@../key}}{{../field}}{{../../spec}}{{/each}}{{/each}}",
    "{{#each spec as |item at|}}{{item.field}}{{at}}{{/each}}",
    "{{#let spec 5 as |x y|}}{{x.field}}{{y}}{{#if x}}{{y}}{{else}}{{x}}{{/if}}{{/let}}",
    "{{#with spec as |x|}}{{#with x.a}}{{x}}{{metadata}}{{/with}}{{/with}}",
  ])("that are known in %s", (text) => {
    expect(messagesIn(text)).toEqual([]);
  });
});

describe("helpers", () => {
  it.each([
    ["{{uper spec}}", 'helper "uper" is not known, did you mean "upper"'],
    ["{{somethingElse spec}}", 'helper "somethingElse" is not known; "outrigger print helpers" lists those that are'],
    ["{{nindent 4 spec}}", '"nindent" is not needed: '],
    ["{{toYaml}}", '"toYaml" is not needed: '],
    ["{{upper}}", 'helper "upper" takes 1 argument, not 0; for the field of that name write {{this.upper}}'],
    ["{{upper spec spec}}", 'helper "upper" takes 1 argument, not 2'],
    ["{{eq spec}}", 'helper "eq" takes at least 2 arguments, not 1'],
    ["{{and}}", 'helper "and" takes at least 1 argument, not 0; for the field'],
    ["{{slice spec}}", 'helper "slice" takes 2 to 3 arguments, not 1'],
    ["{{slice spec 1 2 3}}", 'helper "slice" takes 2 to 3 arguments, not 4'],
    ["{{lookup spec}}", 'helper "lookup" takes 2 arguments, not 1'],
    ["{{replace 'a' 'b'}}", 'helper "replace" takes 3 arguments, not 2'],
    ["{{regexMatch '(' revision}}", "the regular expression has a ( that is not closed"],
    ["{{regexReplaceAll 'a**' revision ''}}", "the regular expression repeats a repetition"],
    ["{{default (upper) spec}}", 'helper "upper" takes 1 argument, not 0'],
  ])("in %s", (text, message) => {
    expect(messagesIn(text)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    "{{upper revision}}{{lookup spec 'a'}}{{eq spec 1 2 3}}{{slice spec 1}}{{slice spec 1 2}}{{list}}",
    "{{regexMatch '^a+$' revision}}{{regexMatch spec.a revision}}{{replace '(' '' revision}}",
    "{{#let spec as |upper|}}{{upper}}{{/let}}{{#with spec}}{{this.upper}}{{./len}}{{a.upper}}{{/with}}",
  ])("that %s calls rightly", (text) => {
    expect(messagesIn(text)).toEqual([]);
  });

  it("say in a warning what is needless around a whole value, with the place", () => {
    expect(lint("a: 1\nb: {{quote revision}}\n")).toEqual([
      {
        code: "needless-helper",
        severity: "warning",
        template: "t",
        line: 2,
        column: 4,
        message: '"quote" puts quotes into the value: {{x}} keeps text as text, write "{{x}}" to force it',
      },
    ]);
    expect(lint("a: x {{upper (quote revision)}}")).toEqual([]);
    expect(lint("{{#if (quote revision)}}a{{/if}}")).toEqual([]);
  });
});

describe("partials", () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["{{> other}}", {}, ["missing-partial t:1:1"]],
    ["{{#if spec}}\n {{> other}}{{/if}}", {}, ["missing-partial t:2:2"]],
    ["{{> p}}", { p: "a\n{{nothing}}" }, ["unknown-name partials/p:2:3"]],
    ["{{> p}}\n{{> p}}", { p: "{{nothing}}" }, ["unknown-name partials/p:1:3"]],
    ["", { p: "{{> p}}" }, ["recursive-partial partials/p:1:1"]],
    ["", { p: "{{> q}}", q: "{{> p}}" }, ["recursive-partial partials/q:1:1"]],
    ["{{> p nothing}}", { p: "" }, ["unknown-name t:1:7"]],
    ["{{> p x=nothing}}", { p: "" }, ["unknown-name t:1:9"]],
    ["{{> p}}", { p: "{{../a}}" }, ["context-depth partials/p:1:3"]],
    ["{{> p @root}}", { p: "{{nothing}}" }, ["unknown-name partials/p:1:3"]],
    ["{{> p this}}", { p: "{{nothing}}" }, ["unknown-name partials/p:1:3"]],
    ["{{> p spec}}", { p: "{{anything}}{{this.b}}" }, []],
    ["{{#with spec}}{{> p}}{{/with}}", { p: "{{anything}}" }, []],
    ["{{#with spec}}{{> p ..}}{{/with}}", { p: "{{nothing}}" }, ["unknown-name partials/p:1:3"]],
    ["{{#each spec}}{{> p}}{{/each}}", { p: "{{@index}}" }, []],
    ["{{> p}}", { p: "{{@index}}" }, []],
    ["{{> p x=1}}{{> p}}", { p: "{{x}}{{spec}}" }, []],
    ["{{> p x=1}}", { p: "{{y}}" }, ["unknown-name partials/p:1:3"]],
    ["{{> p x=1}}", { p: "{{> q}}", q: "{{x}}" }, []],
    ["{{#let 1 as |x|}}{{> p}}{{/let}}", { p: "{{x}}" }, ["unknown-name partials/p:1:3"]],
    ["", { p: "{{anything}}{{@index}}{{#let 1 as |x|}}{{x}}{{/let}}" }, []],
    ["", { p: "{{> q x=1}}", q: "{{anything}}" }, []],
    ['{{#*inline "i"}}{{nothing}}{{/inline}}{{> i}}', {}, ["unknown-name t:1:19"]],
    ['{{> i}}{{#*inline "i"}}{{spec}}{{/inline}}', {}, []],
    ['{{#*inline "i"}}{{> i}}{{/inline}}{{> i}}', {}, ["recursive-partial t:1:17"]],
    ['{{#if spec}}{{#*inline "i"}}{{/inline}}{{/if}}{{> i}}', {}, ["missing-partial t:1:47"]],
    ['{{#*inline "i"}}{{/inline}}{{> p}}', { p: "{{> i}}" }, []],
    ['{{#let 1 as |x|}}{{#*inline "i"}}\n{{x}}{{/inline}}{{> i}}{{/let}}', {}, ["block-parameter t:2:3"]],
    ['{{#let 1 as |x|}}{{#*inline "i"}}{{x}}{{/inline}}{{> i x=x}}{{/let}}', {}, []],
    ['{{#let 1 as |spec|}}{{#*inline "i"}}{{spec}}{{/inline}}{{> i}}{{/let}}', {}, []],
  ])("of %s with %j", (text, partials, places) => {
    expect(placesIn(text, partials)).toEqual(places);
  });

  it.each([
    ["{{> lables}}", 'partial "lables" does not exist, did you mean "labels"'],
    ["{{> partials/labels.hbs}}", 'partial "partials/labels.hbs" does not exist, did you mean "labels"'],
    ["{{> labels.hbs}}", 'partial "labels.hbs" does not exist, did you mean "labels"'],
    ["{{> else}}", 'partial "else" does not exist'],
    ['{{#*inline "mine"}}{{/inline}}{{> mina}}', 'partial "mina" does not exist, did you mean "mine"'],
  ])("say of %s which is near", (text, message) => {
    expect(messagesIn(text, { labels: "" })).toEqual([message]);
  });

  it("say what leads out of one, what calls itself, and how a parameter comes into one", () => {
    expect(messagesIn("{{> p}}", { p: "{{../a}}" })).toEqual([
      '"../" leads out of the partial: pass the value as an argument',
    ]);
    expect(messagesIn("", { p: "{{> p}}" })).toEqual(['partial "p" calls itself']);
    expect(messagesIn('{{#let 1 as |x|}}{{#*inline "i"}}{{x}}{{/inline}}{{> i}}{{/let}}')).toEqual([
      'block parameter "x" does not reach into a partial: pass it as an argument, {{> partial x=x}}',
    ]);
  });

  it("take 5,000 calls, and no more", () => {
    // Each is looked at anew: a loop is around it.
    const calls = (count: number) => `{{#each spec}}${"{{> p}}".repeat(count)}{{/each}}`;
    expect(lint(calls(5000), { p: "" })).toEqual([]);
    const [finding, ...others] = lint(calls(5001), { p: "" });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: "too-many-partials", column: 15 + 7 * 5000 });
    expect(finding?.message).toBe("more than 5000 partial calls: partials that call partials multiply");
  });

  it("count the calls in a partial whenever it is called, though it is looked at once", () => {
    const partials = { p: "{{> q}}".repeat(99), q: "" };
    expect(lint("{{> p}}".repeat(50), partials)).toEqual([]);
    expect(lint("{{> p}}".repeat(51), partials).map(({ code }) => code)).toEqual(["too-many-partials"]);
  });
});

it("findings are in the order of templates and places, one for each place and code", () => {
  const templates = { b: "{{y}}{{x}}\n{{z}}", a: "{{> p}}{{w}}" };
  const { findings } = examineTemplates({ templates, partials: { p: "{{v}}{{other 1}}" } }, helpers);
  expect(findings.map(({ template, line, column }) => `${template}:${line}:${column}`)).toEqual([
    "a:1:10",
    "b:1:3",
    "b:1:8",
    "b:2:3",
    "partials/p:1:3",
    "partials/p:1:6",
  ]);
});
