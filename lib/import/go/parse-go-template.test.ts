import { describe, expect, it } from "vitest";
import type { GoNode } from "./go-syntax.ts";
import { lexGoTemplate } from "./lex-go-template.ts";
import { parseGoTemplate } from "./parse-go-template.ts";

describe("lexGoTemplate()", () => {
  const kinds = (source: string) => lexGoTemplate(source).map(({ kind, text }) => `${kind} ${text}`.trim());

  it.each([
    ["a {{ .B }} c", ["text a ", "open", "field B", "close", "text  c"]],
    ["a {{- .B -}} c", ["text a", "open", "field B", "close", "text c"]],
    ["a {{-.5}}", ["text a ", "open", "number -.5", "close"]],
    ["{{ `a\r\nb` }}", ["open", "string a\nb", "close"]],
    ["{{ 'x' '\\n' }}", ["open", "number 120", "number 10", "close"]],
    ["{{ $ $x .a$y }}", ["open", "variable", "variable x", "field a", "variable y", "close"]],
    [
      "{{ (a | b) := 1e-3 }}",
      ["open", "mark (", "word a", "mark |", "word b", "mark )", "mark :=", "number 1e-3", "close"],
    ],
    ["a {{- /* b */ -}} c{{/*d*/}}e", ["text a", "comment b", "text c", "comment d", "text e"]],
    [' {{ "\\a\\b\\f\\v\\\'\\"\\\\" }}', ["text", "open", "string \x07\b\f\v'\"\\", "close"]],
  ])("reads %j", (source, expected) => {
    expect(kinds(source)).toEqual(expected.map((one) => one.trim()));
  });

  it("knows which operands white space separates", () => {
    expect(lexGoTemplate("{{ .a .b.c }}").map(({ spaced }) => spaced)).toEqual([false, true, true, false, true]);
  });

  it("places each token, the end of an action at its braces", () => {
    const places = lexGoTemplate("a\n b {{ .c -}}\n{{ .d }}").map(({ line, column }) => `${line}:${column}`);
    expect(places).toEqual(["1:1", "2:4", "2:7", "2:10", "3:1", "3:4", "3:7"]);
    expect(lexGoTemplate(" \n {{- 1 -}} \n x").map(({ kind, line, column }) => `${kind} ${line}:${column}`)).toEqual([
      "open 2:2",
      "number 2:6",
      "close 2:8",
      "text 3:2",
    ]);
  });
});

describe("parseGoTemplate()", () => {
  it.each([
    ["a{{ if -}} x {{ end }}", "a value is missing", 8],
    ["a{{ if .B }} x", "{{ if }} is not closed", 2],
    ["a{{ range .B }}{{ else }} x", "{{ range }} is not closed", 2],
    ["a{{ if .B }}{{ else if .C }} x", "{{ if }} is not closed", 16],
    ["a{{ if .B }}{{ else }}{{ else }}{{ end }}", "{{ if }} is not closed", 2],
    ["a{{ end }}", "{{ end }} closes no block", 5],
    ["a{{ else }}b{{ end }}", "{{ else }} closes no block", 5],
    ['a{{ define "b" }}c', "the definition is not closed", 2],
    ['a{{ define "b" }}c{{ else }}{{ end }}', "the definition is not closed", 2],
    ["a{{ define b }}c{{ end }}", "a template's name in quotes is expected", 12],
    ["a{{ template -}}", "a template's name in quotes is expected", 14],
    ["a{{ (.B | c }}", "the parenthesis is not closed", 5],
    ["a{{ .B | }}", "a value is missing", 10],
    ["a{{ () }}", "a value is missing", 6],
    ["a{{ .B := 1 }}", '":=" is not expected here', 8],
    ["a{{ if .B }}{{ end .C }}", '"C" is not expected here', 20],
    ["a{{ break .C }}", '"C" is not expected here', 11],
    ["a{{ .B ) }}", '")" is not expected here', 8],
    ["a{{ .B ", "the action is not closed", 2],
    ["a{{/* b", "the comment is not closed", 2],
    ["a{{/* b */ c }}", "a comment must end its action", 2],
    ['a{{ "b }}', "the string is not closed", 5],
    ["a{{ `b }}", "the string is not closed", 5],
    ["a{{ ? }}", 'the character "?" has no meaning in an action', 5],
    [String.raw`a{{ "\q" }}`, String.raw`the escape \q in the string is not known`, 5],
    [String.raw`a{{ "\U00110000" }}`, "the escape in the string is not valid", 5],
  ])("says what is wrong with %j, and where", (source, reason, column) => {
    let found: unknown;
    try {
      parseGoTemplate(source);
    } catch (error) {
      found = error;
    }
    expect(found).toMatchObject({ code: "template-invalid", line: 1, column });
    expect((found as Error).message).toContain(reason);
  });

  it("refuses blocks that are nested deeper than 200, however they are nested", () => {
    const nested = (open: string, depth: number) => `${open.repeat(depth)}${"{{ end }}".repeat(depth)}`;
    expect(parseGoTemplate(nested("{{ if .A }}", 200)).nodes).toHaveLength(1);
    const elses = (depth: number) => `{{ if .A }}${"{{ else if .A }}".repeat(depth)}{{ end }}`;
    expect(parseGoTemplate(elses(199)).nodes).toHaveLength(1);
    for (const source of [nested("{{ if .A }}", 201), nested('{{ define "a" }}', 201), elses(201)]) {
      expect(() => parseGoTemplate(source)).toThrow("its blocks are nested too deeply");
    }
  });

  const first = (source: string) => parseGoTemplate(source).nodes[0] as GoNode & { readonly pipeline?: object };

  it.each([
    ["{{ $a := .B }}", { variables: ["a"], assigns: false, source: "$a := .B" }],
    ["{{ $a = .B }}", { variables: ["a"], assigns: true }],
    ["{{ range $i, $c := .B -}}{{ end }}", { variables: ["i", "c"], assigns: false, source: "$i, $c := .B" }],
    ["{{ $a }}", { variables: [], commands: [[{ kind: "variable", name: "a", names: [] }]], source: "$a" }],
    [
      "{{ $a.B.C .D }}",
      {
        commands: [
          [
            { kind: "variable", name: "a", names: ["B", "C"] },
            { kind: "field", names: ["D"] },
          ],
        ],
      },
    ],
    [
      "{{ .A .B.C . }}",
      { commands: [[{ kind: "field", names: ["A"] }, { kind: "field", names: ["B", "C"] }, { kind: "dot" }]] },
    ],
    [
      "{{ true | not nil 1 }}",
      {
        commands: [
          [{ kind: "bool", value: true }],
          [{ kind: "function", name: "not" }, { kind: "nil" }, { kind: "number", text: "1" }],
        ],
      },
    ],
    ["{{ false }}", { commands: [[{ kind: "bool", value: false }]] }],
    ["{{ (.A).B }}", { commands: [[{ kind: "chain", operand: { kind: "group" }, names: ["B"] }]] }],
    ["{{ f.B }}", { commands: [[{ kind: "chain", operand: { kind: "function", name: "f" }, names: ["B"] }]] }],
  ])("reads %s", (source, pipeline) => {
    expect(first(source).pipeline).toMatchObject(pipeline);
  });

  it("reads what a block has otherwise, and a chain of them", () => {
    expect(first("{{ with .A }}a{{ else }}b{{ end }}")).toMatchObject({
      kind: "with",
      body: [{ kind: "text", text: "a" }],
      otherwise: [{ kind: "text", text: "b" }],
    });
    expect(first("{{ if .A }}a{{ else with .B }}b{{ else }}c{{ end }}")).toMatchObject({
      otherwise: [{ kind: "with", body: [{ text: "b" }], otherwise: [{ text: "c" }] }],
    });
    expect(first("{{ if .A }}a{{ end }}b")).toMatchObject({ kind: "if", body: [{ text: "a" }], otherwise: [] });
  });

  it("keeps definitions apart, and calls a block where it is defined", () => {
    const { nodes, definitions } = parseGoTemplate(
      '{{ define "a" }}x{{ end }}{{ block "b" .C }}y{{ end }}{{ template "a" }}',
    );
    expect([...definitions].map(([name, body]) => [name, (body[0] as { text: string }).text])).toEqual([
      ["a", "x"],
      ["b", "y"],
    ]);
    expect(nodes).toMatchObject([
      { kind: "template", name: "b", pipeline: { commands: [[{ kind: "field", names: ["C"] }]] } },
      { kind: "template", name: "a" },
    ]);
    expect((nodes[1] as { pipeline?: object }).pipeline).toBeUndefined();
  });

  it.each(["break", "continue"])("knows {{ %s }}", (word) => {
    const { body } = first(`{{ range .A }}{{ ${word} }}{{ end }}`) as { readonly body?: readonly GoNode[] };
    expect(body).toMatchObject([{ kind: word, line: 1, column: 15 }]);
  });
});
