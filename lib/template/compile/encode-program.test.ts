import { describe, expect, it } from "vitest";
import type { Expression } from "../compiled-templates.ts";
import type { Finding } from "../finding.ts";
import { encodeProgram } from "./encode-program.ts";
import type { ProgramNode } from "./handlebars-syntax.ts";
import { parseTemplate } from "./parse-template.ts";

const encode = (text: string) => encodeProgram(parseTemplate(text, "t") as ProgramNode, "t");
const programOf = (text: string) => {
  const { program, findings } = encode(text);
  expect(findings).toEqual([]);
  return program;
};
/** The expression of a tag, whose text begins in column 3. */
function expressionOf(text: string): Expression | undefined {
  const [statement] = programOf(`{{${text}}}`);
  return statement?.kind === "slot" ? statement.expression : undefined;
}

const at = (column: number, line = 1) => ({ line, column });

describe("the statements of a program", () => {
  it("are its texts and tags, with their places", () => {
    expect(programOf("a: {{b}}\nc: {{d}}{{! why }}{{!-- too --}}")).toEqual([
      { kind: "text", text: "a: ", ...at(1) },
      { kind: "slot", expression: { kind: "path", depth: 0, scoped: false, parts: ["b"], ...at(6) }, ...at(4) },
      { kind: "text", text: "\nc: ", ...at(9) },
      { kind: "slot", expression: { kind: "path", depth: 0, scoped: false, parts: ["d"], ...at(6, 2) }, ...at(4, 2) },
    ]);
    expect(programOf("")).toEqual([]);
  });

  it.each([
    ["a  {{~b}}", 0, "a", at(1)],
    ["{{b~}}\n\n  c", 1, "c", at(3, 3)],
    ["{{b~}}  c\nd", 1, "c\nd", at(9)],
    ["x{{#if a}}\ny\n{{/if}}\nz", 0, "x", at(1)],
    ["{{#if a}}\n{{/if}}\nz", 1, "z", at(1, 3)],
  ])("have texts without stripped white space, and where they begin then: %j", (text, index, expected, place) => {
    expect(programOf(text)[index]).toEqual({ kind: "text", text: expected, ...place });
  });

  it("are blocks with their arguments, parameters and branches", () => {
    expect(programOf("{{#each a as |b c|}}d{{else}}e{{/each}}")).toEqual([
      {
        kind: "block",
        name: "each",
        args: [{ kind: "path", depth: 0, scoped: false, parts: ["a"], ...at(9) }],
        hash: [],
        parameters: ["b", "c"],
        program: [{ kind: "text", text: "d", ...at(21) }],
        inverse: [{ kind: "text", text: "e", ...at(30) }],
        ...at(1),
      },
    ]);
    expect(programOf("{{#if a includeZero=true}}{{/if}}")).toMatchObject([
      {
        name: "if",
        hash: [{ key: "includeZero", value: { kind: "literal", value: true } }],
        parameters: [],
        program: [],
        inverse: [],
      },
    ]);
    expect(programOf("{{#let 1 2 as |x y|}}{{/let}}")).toMatchObject([
      { name: "let", args: [{ value: 1 }, { value: 2 }], parameters: ["x", "y"] },
    ]);
    expect(programOf("{{^if a}}b{{/if}}")).toMatchObject([{ name: "if", program: [], inverse: [{ text: "b" }] }]);
  });

  it("are calls of partials with their context, arguments and indentation", () => {
    expect(programOf("  {{> p}}\n")).toEqual([
      { kind: "partial", name: "p", context: null, hash: [], indent: "  ", ...at(3) },
    ]);
    expect(programOf("a{{> p b c=1 d=e}}")[1]).toMatchObject({
      name: "p",
      context: { kind: "path", parts: ["b"] },
      hash: [
        { key: "c", value: { kind: "literal", value: 1 } },
        { key: "d", value: { kind: "path", parts: ["e"] } },
      ],
      indent: "",
    });
    expect(programOf("{{> a/b.c}}{{> [d e]}}{{> 5}}")).toMatchObject([
      { name: "a/b.c" },
      { name: "d e" },
      { name: "5" },
    ]);
  });

  it("are inline partials", () => {
    expect(programOf('{{#*inline "p"}}a{{/inline}}')).toEqual([
      { kind: "inline", name: "p", program: [{ kind: "text", text: "a", ...at(17) }], ...at(1) },
    ]);
  });
});

describe("an expression", () => {
  const path = (depth: number, scoped: boolean, ...parts: readonly string[]) => ({
    kind: "path",
    depth,
    scoped,
    parts,
    ...at(3),
  });

  it.each([
    ["a", path(0, false, "a")],
    ["a.b.c", path(0, false, "a", "b", "c")],
    ["a.[b c].d", path(0, false, "a", "b c", "d")],
    ["this", path(0, true)],
    ["this.a", path(0, true, "a")],
    ["./a", path(0, true, "a")],
    ["thisOne", path(0, false, "thisOne")],
    ["../a", path(1, true, "a")],
    ["../../a.b", path(2, true, "a", "b")],
    ["@root.a", { kind: "data", depth: 0, parts: ["root", "a"], ...at(3) }],
    ["@../index", { kind: "data", depth: 1, parts: ["index"], ...at(3) }],
  ])("%s is a path or a variable", (text, expected) => {
    expect(expressionOf(text)).toEqual(expected);
  });

  it.each([
    ["h 'a'", [{ kind: "literal", value: "a" }]],
    ["h 1", [{ kind: "literal", value: 1 }]],
    ["h false", [{ kind: "literal", value: false }]],
    ["h null", [{ kind: "literal", value: null }]],
    ["h undefined", [{ kind: "literal" }]],
    ["h a", [{ kind: "path", depth: 0, scoped: false, parts: ["a"], ...at(5) }]],
    ["h (g 1)", [{ kind: "call", helper: "g", args: [{ kind: "literal", value: 1 }], hash: [], ...at(5) }]],
    ["h (g)", [{ kind: "call", helper: "g", args: [], hash: [], ...at(5) }]],
    ["h", undefined],
  ])("%s is a call with its arguments, or a path without any", (text, args) => {
    const expected = args === undefined ? path(0, false, "h") : { kind: "call", helper: "h", args, hash: [], ...at(1) };
    expect(expressionOf(text)).toEqual(expected);
  });

  it("is a call with named arguments alone too", () => {
    expect(expressionOf("h a=1 b=(g)")).toEqual({
      kind: "call",
      helper: "h",
      args: [],
      hash: [
        { key: "a", value: { kind: "literal", value: 1 } },
        { key: "b", value: { kind: "call", helper: "g", args: [], hash: [], ...at(11) } },
      ],
      ...at(1),
    });
  });
});

describe("what has no compiled form", () => {
  it.each<[string, Finding["code"], number, string]>([
    ["{{{a}}}", "raw-output", 1, "raw output is not supported and not needed, nothing is HTML-escaped"],
    ["x{{&a}}", "raw-output", 2, "raw output is not supported"],
    ["{{* a}}", "decorator", 1, "decorators are not supported"],
    ["{{#> p}}{{/p}}", "partial-block", 1, "{{#> partial}} blocks are not supported: call {{> partial}}"],
    ['{{#*other "p"}}{{/other}}', "decorator", 1, "decorators other than #*inline are not supported"],
    ["{{#*inline p}}{{/inline}}", "decorator", 1, 'an inline partial has one name in quotes: {{#*inline "name"}}'],
    ['{{#*inline "p" 1}}{{/inline}}', "decorator", 1, "an inline partial has one name in quotes"],
    [
      "{{> (a)}}",
      "dynamic-partial",
      1,
      "a partial must be called by its name, not by an expression: choose with {{#if}}",
    ],
    ["{{> p a b}}", "block-arguments", 1, "a partial takes at most one context, everything else as key=value"],
    [
      "{{#a}}{{/a}}",
      "unknown-block",
      1,
      '"a" is not a block: use #if, #unless, #each, #with or #let, with the helper in parentheses',
    ],
    ["{{#a.b}}{{/a.b}}", "unknown-block", 1, '"this path" is not a block'],
    ["{{#this.if a}}{{/this.if}}", "unknown-block", 1, '"this path" is not a block'],
    ["{{#if}}{{/if}}", "block-arguments", 1, "#if needs an argument: write {{#if value}}"],
    ["{{#each}}{{/each}}", "block-arguments", 1, "#each needs an argument: write {{#each value}}"],
    [
      "{{#if eq a}}{{/if}}",
      "block-arguments",
      1,
      "#if takes exactly one argument, not 2: put a helper call in parentheses",
    ],
    [
      "{{#each a as b}}{{/each}}",
      "block-arguments",
      1,
      "#each takes exactly one argument, not 3: write {{#each a as |b|}}",
    ],
    [
      "{{#each (a) as b}}{{/each}}",
      "block-arguments",
      1,
      "#each takes exactly one argument, not 3: write {{#each … as |b|}}",
    ],
    ["{{#let a}}{{/let}}", "block-arguments", 1, "#let takes as many values as names: {{#let a b as |x y|}}"],
    ["{{#let a as |b c|}}{{/let}}", "block-arguments", 1, "#let takes as many values as names"],
    ["{{#let}}{{/let}}", "block-arguments", 1, "#let takes as many values as names"],
    ["{{#if a as |b|}}{{/if}}", "block-arguments", 1, "#if gives 0 block parameters, not 1"],
    ["{{#unless a as |b|}}{{/unless}}", "block-arguments", 1, "#unless gives 0 block parameters, not 1"],
    ["{{#with a as |b c|}}{{/with}}", "block-arguments", 1, "#with gives 1 block parameters, not 2"],
    ["{{#each a as |b c d|}}{{/each}}", "block-arguments", 1, "#each gives 2 block parameters, not 3"],
    ["{{#if a other=1}}{{/if}}", "block-arguments", 1, '#if has no argument "other"'],
    ["{{#each a includeZero=true}}{{/each}}", "block-arguments", 1, '#each has no argument "includeZero"'],
    ["{{'a'}}", "syntax", 1, "a literal between braces is a name to Handlebars"],
    ["{{5}}", "syntax", 1, "a literal between braces is a name to Handlebars"],
    ["{{a.b 1}}", "unknown-helper", 1, "only a helper takes arguments, this is a path"],
    ["{{@a 1}}", "unknown-helper", 1, "only a helper takes arguments"],
    ["{{this.a 1}}", "unknown-helper", 1, "only a helper takes arguments"],
    ["{{../a 1}}", "unknown-helper", 1, "only a helper takes arguments"],
    ["{{a.b c=1}}", "unknown-helper", 1, "only a helper takes arguments"],
    ["{{if a b}}", "block-as-expression", 1, '"if" is a block: write {{#if …}} … {{/if}}'],
    ["{{a (b.c 1)}}", "unknown-helper", 5, "only a helper call can be in parentheses"],
    ["{{a (if b)}}", "block-as-expression", 5, '"if" is a block: in an expression use ternary, and, or'],
    ["{{> p x=(if b)}}", "block-as-expression", 9, '"if" is a block'],
    ["{{> p (if b)}}", "block-as-expression", 7, '"if" is a block'],
  ])("%s is refused with its place", (text, code, column, message) => {
    const { findings } = encode(text);
    expect(findings).toEqual([
      { code, severity: "error", template: "t", line: 1, column, message: expect.stringContaining(message) },
    ]);
  });

  it("is left out, and the rest is read", () => {
    const { program, findings } = encode("a{{{b}}}\n{{> (c)}}d{{#e}}f{{/e}}{{g (if h)}}");
    expect(findings.map(({ code, line }) => [code, line])).toEqual([
      ["raw-output", 1],
      ["dynamic-partial", 2],
      ["unknown-block", 2],
      ["block-as-expression", 2],
    ]);
    expect(program.map((statement) => (statement.kind === "text" ? statement.text : statement.kind))).toEqual([
      "a",
      "\n",
      "d",
      "slot",
    ]);
  });

  it.each([
    ["{{#with a as |b|}}{{/with}}"],
    ["{{#each a as |b c|}}{{/each}}"],
    ["{{#unless a includeZero=true}}{{/unless}}"],
    ["{{#let a b c as |x y z|}}{{/let}}"],
  ])("is not %s", (text) => {
    expect(encode(text).findings).toEqual([]);
  });
});
