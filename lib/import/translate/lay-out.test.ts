import { describe, expect, it } from "vitest";
import { translateGoTemplate } from "../templates/translate-go-template.ts";

const ofLines = '{{ define "r" -}}\nb: 1\n  c: 2\n{{- end }}';
const ownLines = '{{ define "r" }}\n  b: 1\n{{ end }}';
const inLine = '{{ define "r" }}b{{ end }}';

/** Go text/template in, Handlebars out. */
const CASES: readonly (readonly [what: string, go: string, expected: string])[] = [
  ["blank lines before the first", "\n\n\na: 1", "a: 1\n"],
  ["blank lines and trailing blanks", "a: 1  \n\n\nb: 2   \n{{ .Values.x }}c: 1\n", "a: 1\nb: 2\n{{values.x}}c: 1\n"],
  ["a value after a backslash", "a: 'x\\{{ .Values.b }}'\n", "a: 'x\\\\{{values.b}}'\n"],
  ["a value after a brace and a blank", 'a: "{ {{ .Values.b }}"\n', 'a: "{ {{values.b}}"\n'],
  [
    "a block after a backslash",
    'a: "x\\{{ if .NativeSidecars }}y{{ end }}"\n',
    'a: "x\\\\{{#if nativeSidecars}}y{{/if}}"\n',
  ],
  [
    "a partial at the end of its line",
    `${ofLines}a: 1\n  {{ template "r" . }}\n  d: 1\n`,
    "a: 1\n  {{!}}{{> t-r}}\n  d: 1\n",
  ],
  ["a partial at the end", `${ofLines}a: 1\n  {{ template "r" . }}`, "a: 1\n  {{!}}{{> t-r}}\n"],
  [
    "text after a partial of several lines",
    `${ofLines}a: 1\n  {{ template "r" . }}x: y\n`,
    "a: 1\n  {{!}}{{> t-r}}\nx: y\n",
  ],
  ["a partial at the first column", `${ofLines}{{ template "r" . }}\nd: 1\n`, "{{> t-r}}\nd: 1\n"],
  ["a partial after text", `${ofLines}a:{{ template "r" . }}\nd: 1\n`, "a:{{> t-r}}\nd: 1\n"],
  ["a partial with lines of its own after text", `${ownLines}a:{{ template "r" . }}d: 1\n`, "a:\n{{> t-r}}\nd: 1\n"],
  ["a partial with lines of its own", `${ownLines}a:\n  {{ template "r" . }}d: 1\n`, "a:\n{{> t-r}}\nd: 1\n"],
  ["a partial within a line", `${inLine}a: x{{ template "r" . }}y\n`, "a: x{{> t-r}}y\n"],
  ["a partial that begins a line", `${inLine}a:\n  {{ template "r" . }}: 1\n`, "a:\n  {{> t-r}}: 1\n"],
  ["a comment at the end of a line", "a: 1 {{/* c */}}\nb: 1\n", "a: 1 \n{{!-- c --}}\nb: 1\n"],
  ["a comment within a line", "a: 1{{/* c */}}b\n", "a: 1{{!-- c --}}b\n"],
  ["a comment on its line", "  {{/* c */}}\n  b: 1\n", "  {{!-- c --}}\n  b: 1\n"],
  ["a condition in a list", "a: [{{ if .NativeSidecars }}1,{{ end }} 2]\n", "a: [{{#if nativeSidecars}}1,{{/if}} 2]\n"],
  [
    "a condition whose branches begin with a line's end",
    "a: x{{ if .NativeSidecars }}\nb: 1{{ else }}\nb: 2{{ end }}\nc: 1\n",
    "a: x\n{{#if nativeSidecars}}\nb: 1\n{{else}}\nb: 2\n{{/if}}\nc: 1\n",
  ],
  [
    "a condition of which one branch ends the line",
    "a: x{{ if .NativeSidecars }}\nb: 1\n{{ end }}c: 1\n",
    "a: x{{#if nativeSidecars}}\nb: 1\n{{!}}{{/if}}c: 1\n",
  ],
  [
    "a condition that is indented as what follows it",
    "{{ if .NativeSidecars }}\n  - a\n{{ else }}\n- b\n{{ end }}  - c\n",
    "{{#if nativeSidecars}}\n  - a\n{{else}}\n- b\n{{/if}}\n  - c\n",
  ],
  [
    "a condition that makes a whole line",
    "a:\n  {{ if .NativeSidecars }}b: 1{{ end }}\n  c: 1",
    "a:\n{{#if nativeSidecars}}\n  b: 1\n{{/if}}\n  c: 1\n",
  ],
];

/** Cases in block scalars, where each blank line is a part of the value. */
const LITERALS: typeof CASES = [
  ["blank lines", "a: |\n  x  \n\n  y{{ .Values.b }}\n\n  z\n", "a: |\n  x  \n\n  y{{values.b}}\n\n  z\n"],
  [
    "a condition that makes a whole line",
    "a: |\n  {{ if .NativeSidecars }}y{{ end }}\n  z\n",
    "a: |\n  {{#if nativeSidecars}}y{{/if}}\n  z\n",
  ],
  [
    "either of two",
    "a: |\n  {{ if .NativeSidecars }}y{{ else }}w{{ end }}\n  z\n",
    "a: |\n  {{#if nativeSidecars}}y{{else}}w{{/if}}\n  z\n",
  ],
  [
    "a condition of a value",
    "a: |\n  {{ if .NativeSidecars }}{{ .Values.b }}{{ end }}\n  z\n",
    "a: |\n  {{#if nativeSidecars}}{{values.b}}{{/if}}\n  z\n",
  ],
  [
    "a condition at the end of a line",
    "a: |\n  x{{ if .NativeSidecars }}\n  y{{ end }}\n  z\n",
    "a: |\n  x{{#if nativeSidecars}}\n  y{{/if}}\n  z\n",
  ],
  [
    "trimmed lines",
    "a: |\n  x\n  {{- if .NativeSidecars }}\n  y\n  {{- end }}\nb: 1\n",
    "a: |\n  x{{#if nativeSidecars}}\n  y{{/if}}\nb: 1\n",
  ],
  [
    "tags on lines of their own, which Go leaves empty",
    "a: |\n  x\n  {{ if .NativeSidecars }}\n  y\n  {{ end }}\n  z\n",
    "a: |\n  x\n{{#if nativeSidecars}}\n\n  y\n{{/if}}\n\n  z\n",
  ],
  ["a comment at the end of a line", "a: |\n  x {{/* c */}}\n  z\n", "a: |\n  x {{!-- c --}}\n  z\n"],
  ["a comment on its line", "a: |\n  x\n  {{/* c */}}\n  z\n", "a: |\n  x\n  {{!-- c --}}\n\n  z\n"],
];

const importedText = (go: string) => {
  const { text, findings } = translateGoTemplate("t", go, "a.yaml");
  expect(findings).toEqual([]);
  return text;
};

describe("layOut()", () => {
  it.each(CASES)("lays out %s", (_, go, expected) => {
    expect(importedText(go)).toBe(expected);
  });

  it.each(LITERALS)("keeps every line of a block scalar: %s", (_, go, expected) => {
    expect(importedText(go)).toBe(expected);
  });
});
