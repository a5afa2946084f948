import { OutriggerError } from "@outrigger/base";
import { describe, expect, test } from "vitest";
import { helpers } from "../helpers/helpers.ts";
import { compileTemplates } from "../testing/render-text.ts";
import { examineTemplates } from "./compile-templates.ts";

function lint(text: string, partials: Record<string, string> = {}) {
  return examineTemplates({ templates: { t: text }, partials }, helpers).findings;
}

const LONG = '{{cat "a long first text" "a longer second text';

describe("examineTemplates()", () => {
  test("finds nothing when everything is known", () => {
    const text = `
{{#*inline "port"}}- {{port}}{{/inline}}
{{#let (len spec.containers) "x" as |count name|}}
{{#each (sorted metadata.labels) as |value key|}}
{{key}}: {{value}}-{{@index}}-{{../metadata.name}}-{{@root.owner.name}}-{{count}}
{{else if count}}
{{> port port=name}}
{{/each}}
{{/let}}
{{#with values.global}}{{anything.goes}}{{/with}}
{{> part metadata extra=1}}{{! a comment with {{braces}} }}
{{~#unless (eq revision "x")~}} a: {{lookup metadata.annotations "a.b/c"}} {{~/unless~}}
metadata: {{metadata.annotations.[sidecar.istio.io/inject]}}
`;
    expect(lint(text, { part: "{{labels}} {{extra}}" })).toEqual([]);
  });

  test.each([
    ["a triple-stash", "a:\n  b: {{{spec}}}", "raw-output", 2, 6],
    ["an ampersand", "a: {{&spec}}", "raw-output", 1, 4],
    ["a decorator", "a\n{{* foo}}", "decorator", 2, 1],
    ["a block decorator other than inline", '{{#*foo "x"}}{{/foo}}', "decorator", 1, 1],
    ["an inline partial without a name", "{{#*inline}}{{/inline}}", "decorator", 1, 1],
    ["an inline partial whose name is a value", "a\n{{#*inline spec}}{{/inline}}", "decorator", 2, 1],
    ["an inline partial with two names", '{{#*inline "a" "b"}}{{/inline}}', "decorator", 1, 1],
    ["a dynamic partial", "\n  {{> (lookup metadata 'x')}}", "dynamic-partial", 2, 3],
    ["a partial block", "{{#> p}}x{{/p}}", "partial-block", 1, 1],
    ["a missing partial", "a: 1\n{{> nope}}", "missing-partial", 2, 1],
    ["an unknown helper", "a: {{foo spec}}", "unknown-helper", 1, 4],
    ["an unknown helper inside another", "a: {{len\n  (foo spec)}}", "unknown-helper", 2, 3],
    ["a path with arguments", "a: {{spec.foo 1}}", "unknown-helper", 1, 4],
    ["a helper that splicing needed", "a: {{toYaml spec}}", "refused-helper", 1, 4],
    ["an unknown root", "a: {{mesh.x}}", "unknown-name", 1, 6],
    ["an unknown root inside a call", "a: {{len foo.x}}", "unknown-name", 1, 10],
    ["an unknown root through @root context", "{{> p @root}}", "unknown-name", 1, 3],
    ["too few arguments", "a: {{trunc 1}}", "helper-arguments", 1, 4],
    ["a field that has a helper's name", "{{#with spec}}{{first}}{{/with}}", "helper-arguments", 1, 17],
    ["an invalid pattern", '{{#if spec.a}}{{#if (regexMatch "(" revision)}}x{{/if}}{{/if}}', "bad-pattern", 1, 21],
    ["a pattern of Perl", 'a: {{regexReplaceAll "a(?=b)" revision ""}}', "bad-pattern", 1, 4],
    ["a block without argument", "{{#if}}a{{/if}}", "block-arguments", 1, 1],
    ["a let without names", "{{#let spec}}a{{/let}}", "block-arguments", 1, 1],
    ["an unknown argument of a block", "{{#if spec foo=1}}a{{/if}}", "block-arguments", 1, 1],
    ["a section", "{{#spec}}a{{/spec}}", "unknown-block", 1, 1],
    ["a helper as a block", "{{#eq 1 2}}a{{/eq}}", "unknown-block", 1, 1],
    ["a block as an expression", "a: {{if spec 1 2}}", "block-as-expression", 1, 4],
    ["a block in an expression", "a: {{len (with spec)}}", "block-as-expression", 1, 10],
    ["a loop variable outside of a loop", "a: {{@index}}", "unknown-variable", 1, 6],
    ["an unknown variable", "{{#each spec}}{{@odd}}{{/each}}", "unknown-variable", 1, 17],
    ["a way out of the template", "a: {{../spec}}", "context-depth", 1, 6],
    ["a literal between braces", 'a: {{"text"}}', "syntax", 1, 4],
    ["a tag that does not parse", "a: 1\nb: {{len (spec}}", "syntax", 2, 15],
    ["a block that is not closed", "{{#if spec}}\na: 1\n", "syntax", 3, 1],
    ["a block closed by another", "a: 1\n {{#if spec}}\n{{/each}}", "syntax", 2, 5],
    ["a brace right after a tag", "a: { b: {{spec}}}", "syntax", 1, 15],
    ["a character with the code 0", "a: 1\nb: \0", "syntax", 2, 4],
    ["a comment that is not closed", "a: 1\nb: {{!-- c", "syntax", 2, 4],
    ["a raw block that is not closed", "a: {{{{raw}}}} b", "syntax", 1, 15],
    ["a second line like the first, but for a quote", `a: ${LONG}"}}\na: ${LONG}}}`, "syntax", 2, 30],
  ])("finds %s, with its place", (_, text, code, line, column) => {
    const findings = lint(text, { p: "{{foo}}" }).filter(({ severity }) => severity === "error");
    expect(findings.map((finding) => [finding.code, finding.line, finding.column])).toContainEqual([
      code,
      line,
      column,
    ]);
    expect(findings[0]?.message).toMatch(/^[^A-Z].*[^.]$/);
  });

  test.each([
    ["{{trunc 1}}", "takes 2 arguments, not 1"],
    ["{{len}}", "takes 1 argument, not 0"],
    ["{{slice spec}}", "takes 2 to 3 arguments, not 1"],
    ["{{and}}", "takes at least 1 argument, not 0"],
  ])("says of %s how many arguments its helper takes", (text, message) => {
    expect(lint(`a: ${text}`, {})[0]?.message).toContain(message);
  });

  test("names the partial in which the finding is when the partial is wrong", () => {
    expect(lint("{{> p}}", { p: "a: 1\nb: {{metadta.x}}" })).toEqual([
      {
        code: "unknown-name",
        severity: "error",
        template: "partials/p",
        line: 2,
        column: 6,
        message: '"metadta" is not in the template data, did you mean "metadata"',
      },
    ]);
  });

  test("looks into partials that no template calls", () => {
    expect(lint("", { p: "{{foo 1}}" })).toHaveLength(1);
  });

  test("looks at a partial that a template calls with what the template gives it, and not by itself", () => {
    expect(lint('{{#*inline "i"}}x{{/inline}}{{> p}}', { p: "{{> i}}" })).toEqual([]);
    expect(lint("", { p: "{{> i}}" })).toHaveLength(1);
  });

  test("finds partials that call themselves, directly or around a corner", () => {
    expect(lint("{{> a}}", { a: "{{> a}}" })[0]).toMatchObject({ code: "recursive-partial", template: "partials/a" });
    expect(lint("", { a: "x\n{{> b}}", b: "{{> a}}" }).map(({ code }) => code)).toContain("recursive-partial");
  });

  test("finds partials that multiply beyond measure", () => {
    const partials = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `p${index}`,
        index === 19 ? "x" : `{{> p${index + 1}}}{{> p${index + 1}}}`,
      ]),
    );
    expect(lint("{{> p0}}", partials).map(({ code }) => code)).toContain("too-many-partials");
  });

  test("says that a block parameter does not reach into a partial", () => {
    const inline = '{{#let 1 as |x|}}{{#*inline "p"}}{{x}}{{/inline}}{{> p}}{{/let}}';
    expect(lint(inline)[0]).toMatchObject({ code: "block-parameter", column: 36 });
  });

  test("takes an argument for optional when only some calls pass it", () => {
    expect(lint("{{> p size=1}}{{> p}}", { p: "{{size}}" })).toEqual([]);
  });

  test("warns of quotes around a whole value", () => {
    expect(lint("a: {{quote revision}}")).toMatchObject([{ code: "needless-helper", severity: "warning" }]);
    expect(lint('a: {{printf "%s" (quote revision)}}')).toEqual([]);
  });
});

describe("compileTemplates()", () => {
  test("throws the first error with its place and the number of others", () => {
    try {
      compileTemplates({ templates: { sidecar: "a: {{metadata.name}}\nb: {{foo}}\nc: {{bar 1}}" }, partials: {} });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(OutriggerError);
      expect(error).toMatchObject({ code: "template-invalid", path: "templates/sidecar", line: 2, column: 6 });
      expect((error as Error).message).toBe(
        'Cannot compile template "sidecar": "foo" is not in the template data (line 2, column 6)',
      );
    }
  });

  test("does not throw for warnings", () => {
    expect(() => compileTemplates({ templates: { t: "a: {{quote revision}}" }, partials: {} })).not.toThrow();
  });

  test("keeps the places of all but paths and variables, which cannot fail", () => {
    const { compiled } = examineTemplates(
      { templates: { t: "{{#each spec.a}}{{upper @key}}{{/each}}" }, partials: { p: "{{spec.b}}" } },
      helpers,
    );
    expect(compiled).toEqual({
      format: 2,
      templates: {
        t: [
          {
            kind: "block",
            name: "each",
            args: [{ kind: "path", depth: 0, scoped: false, parts: ["spec", "a"] }],
            hash: [],
            parameters: [],
            program: [
              {
                kind: "slot",
                expression: {
                  kind: "call",
                  helper: "upper",
                  args: [{ kind: "data", depth: 0, parts: ["key"] }],
                  hash: [],
                  line: 1,
                  column: 17,
                },
                line: 1,
                column: 17,
              },
            ],
            inverse: [],
            line: 1,
            column: 1,
          },
        ],
      },
      partials: {
        p: [
          {
            kind: "slot",
            expression: { kind: "path", depth: 0, scoped: false, parts: ["spec", "b"] },
            line: 1,
            column: 1,
          },
        ],
      },
    });
  });

  test("gives plain JSON", () => {
    const compiled = compileTemplates({
      templates: { t: "a: {{default undefined metadata.x}}\n{{> p x=null}}" },
      partials: { p: "{{x}}" },
    });
    expect(JSON.parse(JSON.stringify(compiled))).toEqual(compiled);
  });
});
