import { describe, expect, test } from "vitest";
import { goSyntaxFindings, isGoTemplate } from "./go-syntax.ts";
import { readTemplate } from "./read-template.ts";

const message = (text: string) => goSyntaxFindings(text, "t")[0]?.message.replace("this is Go template syntax: ", "");

describe("goSyntaxFindings()", () => {
  test.each([
    ["{{ .Values.global.hub }}", "write {{values.global.hub}}"],
    ["{{.ObjectMeta.Name}}", "write {{metadata.name}}"],
    ["{{- .Values.x -}}", "write {{values.x}}"],
    ["{{- if .Values.x }}", "write {{#if values.x}} … {{/if}}"],
    ["{{ if eq .Values.x 1 }}", "write {{#if (eq values.x 1)}} … {{/if}}"],
    ["{{ else if .Values.x }}", "write {{else if values.x}}"],
    ["{{ range .Spec.Containers }}", "write {{#each spec.containers}} … {{/each}}"],
    ["{{ with .Values.x }}", "write {{#with values.x}} … {{/with}}"],
    ["{{ end }}", "write {{/if}}, {{/each}}, {{/with}} or {{/let}}, the name of the block"],
    ["{{ values.x | quote }}", "write the helper before its argument: {{quote values.x}}, not a pipe"],
    ['{{ .Values.x | default "a" }}', 'write the helper before its argument: {{default "a" values.x}}, not a pipe'],
    ["{{ $x := .Values.y }}", "write {{#let values.y as |x|}} … {{/let}} for a variable"],
    ["{{ range $k, $v := .Values.labels }}", "write {{#each values.labels as |v k|}} … {{/each}}"],
    ["{{ range $c := .Spec.Containers }}", "write {{#each spec.containers as |c|}} … {{/each}}"],
    ["{{ with $x := index .Values.a 0 }}", "write {{#let (index values.a 0) as |x|}} … {{/let}} for a variable"],
    ["{{ $x }}", "write {{x}}, and {{#let value as |x|}} … {{/let}} around it"],
    ["{{ $.Values.x }}", "write {{values.x}}"],
    ["{{ .CompliancePolicy }}{{a}}", "write {{compliancePolicy}}"],
    ["{{ .values.x }}", "write {{this.values.x}}"],
    ["{{ annotation .ObjectMeta `a/b` .Values.x }}", 'write {{annotation metadata "a/b" values.x}}'],
    ["{{ toYaml .Values.x }}", "write {{values.x}}"],
    ["{{ .Values.x | toYaml | nindent 4 }}", "write the helper before its argument: {{values.x}}, not a pipe"],
    [
      "{{ .Values.x | lower | trunc 63 }}",
      "write the helper before its argument: {{trunc 63 (lower values.x)}}, not a pipe",
    ],
    ["{{ tpl .Values.x . }}", '"tpl" is not needed: templates are not evaluated at run time, use a partial'],
    [
      "{{ .Release.Name }}",
      ".Release is known to Helm only: put what you need into the values, and write {{values.x}}",
    ],
    ['{{ include "labels" . }}', "write {{> labels}} for a partial; its file is partials/labels.hbs"],
    ['{{ include "a.b" . }}', "write {{> name}} for a partial; its file is partials/name.hbs"],
    ["{{/* note */}}", "write a comment as {{! … }}"],
    ["{{- values.x }}", "white space is trimmed with {{~ … ~}}: write {{~values.x}}"],
  ])("says how to write %s", (text, fix) => {
    expect(message(text)).toBe(fix);
  });

  test.each([
    ["Values.My.Name", "values.My.Name"],
    ["ObjectMeta.Labels", "metadata.labels"],
    ["Spec.ServiceAccountName", "spec.serviceAccountName"],
    ["DeploymentMeta.Name", "owner.name"],
    ["TypeMeta.Kind", "owner.kind"],
    ["ProxyConfig.ConfigPath", "proxyConfig.configPath"],
    ["MeshConfig.TrustDomain", "meshConfig.trustDomain"],
    ["Revision", "revision"],
    ["NativeSidecars", "nativeSidecars"],
    ["ProxyImage", "proxyImage"],
    ["ProxyUID", "proxyUID"],
    ["ProxyGID", "proxyGID"],
    ["Name.First", "this.Name.First"],
    ["toString.x", "this.toString.x"],
  ])("names what Istio calls .%s", (theirs, ours) => {
    expect(message(`{{ .${theirs} }}`)).toBe(`write {{${ours}}}`);
    expect(message(`{{ $.${theirs} }}`)).toBe(`write {{${ours}}}`);
    expect(message(`{{ quote (toLower .${theirs}) }}`)).toBe(`write {{quote (toLower ${ours})}}`);
  });

  test.each([
    "{{values.x}}",
    "{{#if (eq a b)}}{{else if c}}{{else}}{{/if}}",
    "{{#each (sorted a) as |b c|}}{{this.b}} {{./b}} {{../b}}{{/each}}",
    '{{default "a | b .Values := $x" values.x}}',
    "{{> partial a=b}}{{! .Values }}{{!-- {{ .Values }} --}}",
    "{{~#let a as |x|~}}{{~x~}}{{~/let~}}",
    "{{lookup metadata.annotations 'a.b/c'}}",
  ])("takes %s as Handlebars", (text) => {
    expect(goSyntaxFindings(text, "t")).toEqual([]);
  });

  test("names the position of each tag when there are several", () => {
    const { findings } = readTemplate("a: {{ .Values.a }}\nb: {{x}} {{ .Values.b }}\n", "t");
    expect(findings.map(({ code, line, column }) => [code, line, column])).toEqual([
      ["go-syntax", 1, 4],
      ["go-syntax", 2, 10],
    ]);
  });

  test("isGoTemplate() distinguishes a chart from a manifest", () => {
    expect(isGoTemplate("kind: Pod\nname: {{ .Release.Name }}\n")).toBe(true);
    expect(isGoTemplate("kind: Pod\nargs: ['{{name}}']\n")).toBe(false);
  });
});

describe("a template that does not parse", () => {
  const finding = (text: string) => readTemplate(text, "t").findings[0];

  test.each([
    ["an unclosed block", "a: 1\n{{#if values.x}}\nb: 1\n{{#each y}}\n{{/each}}\n", "{{#if}} opened in line 2"],
    [
      "a block closed by another name",
      "{{#if a}}\n{{#each b}}\n{{/if}}\n",
      "{{#each}}, opened here, is not closed: {{/if}} comes first",
    ],
    ["a closing tag alone", "a: 1\n{{/if}}\n", "this closing tag has no block to close"],
    ["an unclosed quote", 'a: {{default "x values.y}}\n', "the quote that opens here is not closed in the tag"],
    ["a block without #", "a: 1\n{{each values.x}}\n{{/each}}\n", "the {{each}} in line 2 opens with #"],
    ["one closing brace", "a: {{values.x}\n", "the tag ends with one }"],
    ["an else alone", "a: 1\n{{else}}\n", "{{else}} is in no block"],
    ["an argument too many", "{{#each values.x as y}}{{/each}}", "write {{#each values.x as |y|}}"],
    ["a block without argument", "{{#if}}{{/if}}", "#if needs an argument: write {{#if value}}"],
    ["an unclosed comment", "a: 1\n{{!-- b", "a comment or raw block is not closed"],
    ["a character with the code 0", "a: 1\nb: \0\n", "a character with the code 0 is not text: remove it"],
    ["an unclosed tag", "a: {{values.x\nb: 1\n", "the tag that opens in line 1 is not closed"],
  ])("names the cause when it has %s", (_what, text, words) => {
    expect(finding(text)?.message).toContain(words);
  });
});
