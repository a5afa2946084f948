import { describe, expect, it } from "vitest";
import { blankComments, openBlock } from "./handlebars-syntax.ts";
import { parseTemplate } from "./parse-template.ts";

describe("a template that does not parse", () => {
  it.each<[string, string, number, number]>([
    ["a: {{b ", "the tag that opens in line 1 is not closed: }} is missing", 1, 8],
    ["a: {{b}}\nc: {{d\n", "the tag that opens in line 2 is not closed: }} is missing", 3, 1],
    ["{{#if a}}\nb\n", "a block is not closed before the end of the template: {{#if}} opened in line 1", 3, 1],
    [
      "a\n{{#each b}}{{#if c}}\n{{/if}}",
      "a block is not closed before the end of the template: {{#each}} opened in line 2",
      3,
      8,
    ],
    ["{{#if a}}\n{{/each}}", "{{#if}}, opened here, is not closed: {{/each}} comes first", 1, 4],
    ["a{{/if}}", "this closing tag has no block to close: check its name and the tags before it", 1, 2],
    [
      "{{if a}}\nb{{/if}}",
      "this closing tag has no block to close: the {{if}} in line 1 opens with #, write {{#if …}}",
      2,
      2,
    ],
    [
      "a\n{{~each a}}{{/each}}",
      "this closing tag has no block to close: the {{each}} in line 2 opens with #, write {{#each …}}",
      2,
      12,
    ],
    ["a: {{b 'c}}", "the quote that opens here is not closed in the tag", 1, 8],
    ['a: {{b "c}}', "the quote that opens here is not closed in the tag", 1, 8],
    ["a: {{b}\nc", "the tag ends with one }: a second is missing", 1, 7],
    ["a: {{b ;}}", "this character is not expected here", 1, 8],
    ["{{else}}", "{{else}} is in no block: check the tags before it", 1, 1],
    ["{{}}", "}} is not expected here", 1, 3],
    ["{{a (b}}", "}} is not expected here", 1, 7],
    ["{{a )}}", ") is not expected here", 1, 5],
    ["{{a b=}}", "}} is not expected here", 1, 7],
    ["{{a =b}}", "= is not expected here", 1, 5],
    ["{{a.true}}", "true or false (as a name write [true]) is not expected here", 1, 5],
    ["{{a.5}}", "a number (in a path write [0]) is not expected here", 1, 5],
    ["{{a.null}}", "null (as a name write [null]) is not expected here", 1, 5],
    ["{{a.undefined}}", "undefined is not expected here", 1, 5],
    ["{{a.'b'}}", "a text in quotes is not expected here", 1, 5],
    ["{{> }}", "}} is not expected here", 1, 5],
    ["{ {{a}}}", "}}} (put a space between the tag and a flow map's brace) is not expected here", 1, 6],
    ["{{a as |b|}}", "as |…| is not expected here", 1, 5],
    ["a {{!-- b", "a comment or raw block is not closed", 1, 3],
    ["a\nb\0c", "a character with the code 0 is not text: remove it", 2, 2],
  ])("%j is refused: %s", (text, message, line, column) => {
    expect(parseTemplate(text, "t")).toEqual({
      code: "syntax",
      severity: "error",
      template: "t",
      line,
      column,
      message,
    });
  });

  it("names its source", () => {
    expect(parseTemplate("{{", "partials/p")).toMatchObject({ template: "partials/p" });
  });
});

describe("openBlock()", () => {
  it.each([
    ["", undefined],
    ["{{#if a}}{{/if}}", undefined],
    ["{{#if a}}", { name: "if", line: 1 }],
    ["\n{{~#each a}}\n{{#if b}}{{/if}}", { name: "each", line: 2 }],
    ["{{#each a}}\n{{#if b}}", { name: "if", line: 2 }],
    ["{{#each a}}{{#if b}}{{/if}}{{/each}}\n{{# with c}}", { name: "with", line: 2 }],
    ['{{#*inline "p"}}', { name: "inline", line: 1 }],
    ["{{^if a}}", { name: "if", line: 1 }],
    ["{{#if a}}{{~/ if}}", undefined],
    ["{{#if a}}{{/each}}", { name: "if", line: 1 }],
    ["{{! {{#if a}} }}", undefined],
    ["{{!-- {{#if a}} --}}{{#each b}}", { name: "each", line: 1 }],
  ])("of %j is %j", (text, expected) => {
    expect(openBlock(text)).toEqual(expected);
  });
});

it.each([
  ["a {{! b }} c", "a          c"],
  ["a {{!-- {{b}}\nc --}} d", `a${" ".repeat(12)}\n${" ".repeat(7)}d`],
  ["{{~!-- a --~}}b", "              b"],
  ["{{~! a}}b{{!c}}", "        b      "],
  ["a {{b}} !", "a {{b}} !"],
])("blankComments() puts spaces for the comments of %j, and keeps lines and offsets", (text, expected) => {
  const blank = blankComments(text);
  expect(blank).toHaveLength(text.length);
  expect(blank).toBe(expected);
});
