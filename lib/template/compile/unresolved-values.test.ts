import { describe, expect, test } from "vitest";
import { helpers } from "../helpers/helpers.ts";
import { compileTemplates } from "../testing/render-text.ts";
import { unresolvedValues } from "./unresolved-values.ts";

const VALUES = { global: { proxy: { image: "p" }, list: ["a"], off: false, nothing: null }, bad: "a**", good: "a*" };

function unresolved(text: string, partials: Record<string, string> = {}, values: unknown = VALUES) {
  const table = { ...helpers, elsewhere: helpers.deepCopy };
  const compiled = compileTemplates({ templates: { t: text }, partials }, table);
  return unresolvedValues(compiled, values, table).map(({ template, line, column, message }) => [
    template,
    line,
    column,
    message,
  ]);
}

describe("unresolvedValues()", () => {
  test.each([
    [
      "in a slot",
      "a: 1\nb: {{values.global.proxi.image}}",
      2,
      4,
      '"values.global.proxi" is not in the values, did you mean "proxy"',
    ],
    ["at the root", "a: {{@root.values.globl.x}}", 1, 4, '"values.globl" is not in the values, did you mean "global"'],
    [
      "as an argument",
      "a: {{toLower\n  (printf '%s' values.global.foo)}}",
      2,
      3,
      '"values.global.foo" is not in the values',
    ],
    ["in a loop", "{{#each values.lists}}x{{/each}}", 1, 1, '"values.lists" is not in the values'],
    ["from inside a block", "{{#with metadata}}{{../values.x}}{{/with}}", 1, 19, '"values.x" is not in the values'],
    [
      "beyond a scalar",
      "a: {{values.global.proxy.image.tag}}",
      1,
      4,
      '"values.global.proxy.image.tag" is not in the values',
    ],
    ["next to a helper of another folder", "a: {{elsewhere values.x}}", 1, 4, '"values.x" is not in the values'],
  ])("reports a reference that leads nowhere %s", (_, text, line, column, message) => {
    expect(unresolved(text)).toEqual([["t", line, column, message]]);
  });

  test.each([
    ["a condition", "{{#if (regexMatch values.bad revision)}}x{{/if}}", 1, 7],
    ["a branch that few pods take", "{{#if spec.a}}a: {{regexReplaceAll values.bad revision ''}}{{/if}}", 1, 18],
    ["another call", "a: {{len (regexReplaceAll values.bad revision '')}}", 1, 10],
  ])("reports a value that is no regular expression in %s", (_, text, line, column) => {
    expect(unresolved(text)).toEqual([
      ["t", line, column, expect.stringMatching(/^"regex\w+" always fails here: the regular expression /)],
    ]);
    expect(unresolved(text.replace("values.bad", "values.good"))).toEqual([]);
  });

  test.each([
    ["../values.x", "{{#let spec as |values|}}{{#with metadata}}{{../values.x}}{{/with}}{{/let}}"],
    ["@root.values.x", "{{#let spec as |values|}}{{@root.values.x}}{{/let}}"],
    ["./values.x", "{{#let spec as |values|}}{{./values.x}}{{/let}}"],
    ["values.x after it", "{{#let spec as |values|}}{{/let}}{{values.x}}"],
    ["values.x next to another", "{{#let spec as |x|}}{{values.x}}{{/let}}"],
  ])("reports %s, which is no block parameter", (_path, text) => {
    expect(unresolved(text).map(([, , , message]) => message)).toEqual(['"values.x" is not in the values']);
  });

  test.each([
    ["with the data of the template", "{{> p}}"],
    ["with an argument", "{{> p of=values.global.off}}"],
    ["in a loop", "{{#each values.global.list}}{{> p}}{{/each}}"],
    ["by another partial", "{{> q of=metadata.name}}"],
  ])("looks again at a partial that is called %s, where it or the values are others", (_, text) => {
    const partials = { p: "a: {{@root.values.x.y}}", q: "{{> p}}" };
    const found = [["partials/p", 1, 4, '"values.x" is not in the values']];
    expect(unresolved(text, partials)).toEqual(found);
    expect(unresolved(text, { ...partials, p: "a: 1" })).toEqual([]);
    expect(unresolved(text, partials)).toEqual(found);
    expect(unresolved(text, partials, { ...VALUES, x: { y: 1 } })).toEqual([]);
    expect(unresolved(text, partials)).toEqual(found);
  });

  test("names the partial, once, when several templates call it", () => {
    expect(unresolved("{{> p}}{{> p x=1}}", { p: "a: {{values.x}}" })).toEqual([
      ["partials/p", 1, 4, '"values.x" is not in the values'],
    ]);
  });

  test.each([
    ["exists", "{{values.global.proxy.image}} {{values.global.list.[0]}}"],
    ["is null on purpose", "{{values.global.nothing.more}}"],
    ["is a condition", "{{#if values.x}}a{{/if}}{{#unless values.y}}b{{/unless}}{{#with values.z}}c{{/with}}"],
    ["has a default", "{{default 1 values.x}} {{valueOrDefault values.y 2}} {{coalesce values.z 3}}"],
    ["is asked for", '{{#if (isset values.x "y")}}a{{/if}}{{#if (and values.a (not values.b))}}b{{/if}}'],
    [
      "is where the values never lead",
      "{{#if values.global.off}}{{values.x}}{{/if}}{{#if values.y}}{{values.y.z}}{{/if}}",
    ],
    ["may be empty", "{{#if (empty values.x)}}a{{/if}}{{#if (or values.y (hasKey values.z 'k'))}}b{{/if}}"],
    ["is a block parameter's", "{{#let 1 as |values|}}{{values}}{{/let}}"],
    ["is a field of a block parameter", "{{#let spec as |values|}}{{values.x}}{{printf '%s' values.y}}{{/let}}"],
    ["is a field of an item with that name", "{{#each spec.list as |values|}}{{values.x}}{{/each}}"],
    ["is a field of another context", "{{#with spec}}{{this.values.x}}{{/with}}"],
    ["is an argument of a partial", "{{> p values=1}}"],
  ])("reports nothing when the reference %s", (_, text) => {
    expect(unresolved(text, { p: "{{values.x}}" })).toEqual([]);
  });
});
