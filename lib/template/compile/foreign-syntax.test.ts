import { describe, expect, it } from "vitest";
import { foreignSyntaxFindings } from "./foreign-syntax.ts";

describe("foreignSyntaxFindings()", () => {
  it.each([
    ["{{ }}", "the tag is empty"],
    ["{{#if !values.x}}", "write (not values.x)"],
    ["{{#if values.a && values.b}}", "write (and a b)"],
    ["{{#if values.a || values.b}}", "write (or a b)"],
    ['{{#if metadata.name == "x"}}', "write (eq metadata.name …)"],
    ['{{#if metadata.name != "x"}}', "write (ne metadata.name …)"],
    ["{{#if values.a >= 3}}", "write (ge a b)"],
    ["{{#if values.a<3}}", "write (lt a b)"],
    ["{{upper(metadata.name)}}", "a helper is called as {{upper value}}"],
    ['{{default "x", metadata.name}}', "remove the comma"],
    ["{{spec.containers[0].name}}", "write spec.containers.[0] for an item of a list"],
    ['{{metadata.annotations["a/b"]}}', 'write (index metadata.annotations "…")'],
    ["{{default “x” metadata.name}}", "these quotes are typographic"],
    ["{{default `x` metadata.name}}", "in place of the backticks"],
    ["{{metadata..name}}", "two periods in a row"],
    ["{{metadata. name}}", "a space in the path"],
  ])("rejects %s and says what to write", (text, words) => {
    expect(foreignSyntaxFindings(`a: b\nc: ${text}\n`, "t")).toEqual([
      expect.objectContaining({ severity: "error", line: 2, column: 4, message: expect.stringContaining(words) }),
    ]);
  });

  it.each(["{values.global.hub}", ["$", "{values.global.hub}"].join(""), "{ .Values.global.hub }", "{metadata.name}"])(
    "warns of %s, which is text",
    (text) => {
      const [finding, ...more] = foreignSyntaxFindings(`a: ${text}\n`, "t");
      expect(more).toEqual([]);
      expect(finding).toMatchObject({ severity: "warning", line: 1, column: 4 });
      expect(finding?.message).toMatch(
        /^this is text and no tag: write \{\{(?:values\.global\.hub|metadata\.name)\}\}$/,
      );
    },
  );

  it("warns of Jinja, which an application's own settings may have", () => {
    expect(foreignSyntaxFindings("a: |\n  {% if x %}\n", "t")).toEqual([
      expect.objectContaining({ severity: "warning", line: 2, message: expect.stringContaining("write {{#if …}}") }),
    ]);
  });

  it.each([
    "{{values.x}}",
    "{{~#if (and a (not b))~}}{{else if c}}{{/if}}",
    '{{default "a && b, c[0] == `d`" values.x}}',
    "{{lookup metadata.annotations 'a.b/c'}} {{metadata.annotations.[a.b/c]}} {{spec.containers.[0].name}}",
    "{{#each (sorted a) as |b c|}}{{../b}} {{./b}} {{@key}}{{/each}}",
    "{{> partial a=b c=(list 1 2)}}{{! a && b }}{{!-- {{ a == b }} --}}",
    "{a: {{values.x}} } { b: c } $(NAME) {.metadata.name} {values: 1}",
  ])("takes %s", (text) => {
    expect(foreignSyntaxFindings(text, "t")).toEqual([]);
  });
});
