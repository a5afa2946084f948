import { describe, expect, it } from "vitest";
import { importTemplate } from "./import-template.ts";
import { translateGoTemplate } from "./translate-go-template.ts";

function imported(source: string): string {
  const { text, findings } = translateGoTemplate("t", source, "a.yaml");
  expect(findings).toEqual([]);
  return text ?? "";
}

function messages(source: string): readonly string[] {
  return translateGoTemplate("t", source, "a.yaml").findings.map(
    ({ file, line, column, severity, message }) => `${file}:${line}:${column}: ${severity}: ${message}`,
  );
}

/** Istio's loops that write the ports of all containers. */
const portsOf = (root: string) =>
  `[{{ $first := true }}{{ range $i, $c := ${root}.Spec.Containers }}{{ range $j, $p := $c.Ports }}` +
  "{{ if not $first }},{{ end }}{{ structToJSON $p }}{{ $first = false }}{{ end }}{{ end }}]";

describe("translateGoTemplate()", () => {
  it.each([
    ["the ports of all containers", `a: '${portsOf("")}'`, "a: '{{toJSON (podPorts spec.containers)}}'\n"],
    [
      "the ports of all containers in a loop",
      `a:\n{{ range .Values.x }}\n- '${portsOf("$")}'\n{{ end }}`,
      "a:\n{{#each (sorted values.x) as |item|}}\n- '{{toJSON (podPorts @root.spec.containers)}}'\n{{/each}}\n",
    ],
    ["roots", "a: {{ .Values.global.hub }}-{{ .ObjectMeta.Name }}", "a: {{values.global.hub}}-{{metadata.name}}\n"],
    [
      "the owner",
      "a: x{{ .DeploymentMeta.Name }}{{ .TypeMeta.APIVersion }}",
      "a: x{{owner.name}}{{owner.apiVersion}}\n",
    ],
    [
      "strings with Go's escapes",
      '{{ if eq .Values.a "\\x41\\u00e9\\U0001f600\\101" }}\na: 1\n{{ end }}',
      '{{#if (eq values.a "Aé😀A")}}\na: 1\n{{/if}}\n',
    ],
    ["fields of the pod", "a: x{{ .Spec.ServiceAccountName }}", "a: x{{spec.serviceAccountName}}\n"],
    [
      "getters",
      "a: x{{ .ProxyConfig.GetTracing.GetTlsSettings.GetCaCertificates }}",
      "a: x{{proxyConfig.tracing.tlsSettings.caCertificates}}\n",
    ],
    ["enums", 'a: "{{ .ProxyConfig.InterceptionMode.String }}"', 'a: "{{proxyConfig.interceptionMode}}"\n'],
    [
      "wrappers",
      "a: x{{ .ProxyConfig.HoldApplicationUntilProxyStarts.GetValue }}",
      "a: x{{default false proxyConfig.holdApplicationUntilProxyStarts}}\n",
    ],
    ["chains", "a: x{{ (.Values.pilot.env).X }}", "a: x{{values.pilot.env.X}}\n"],
    ["pipes", 'a: {{ .Values.x | default "y" | trunc 3 | quote }}', 'a: "{{trunc 3 (default "y" values.x)}}"\n'],
    [
      "comparisons with nothing",
      '{{ if ne .Values.x "" }}\na: 1\n{{ end }}',
      "{{#if (not (empty values.x))}}\na: 1\n{{/if}}\n",
    ],
    [
      "maps that may be empty",
      "{{ if .Values.x }}\na: 1\n{{ end }}",
      "{{#if (not (empty values.x))}}\na: 1\n{{/if}}\n",
    ],
    [
      "chains of else",
      "{{ if .NativeSidecars }}\na: 1\n{{ else if .Values.x }}\na: 2\n{{ else }}\na: 3\n{{ end }}",
      "{{#if nativeSidecars}}\na: 1\n{{else if (not (empty values.x))}}\na: 2\n{{else}}\na: 3\n{{/if}}\n",
    ],
    [
      "trimmed lines",
      "a: 1\n  {{- if .NativeSidecars }}\nb: 2\n  {{- end }}\nc: 3",
      "a: 1\n{{#if nativeSidecars}}\nb: 2\n{{/if}}\nc: 3\n",
    ],
    [
      "indentation that is outside of the block",
      "a:\n  {{ if .NativeSidecars -}}\n  - b\n  {{ end -}}\n  - c",
      "a:\n{{#if nativeSidecars}}\n  - b\n{{/if}}\n  - c\n",
    ],
    ["conditions in a line", "a: x{{ if .NativeSidecars }}-y{{ end }}", "a: x{{#if nativeSidecars}}-y{{/if}}\n"],
    [
      "variables",
      "{{ $x := .Values.a }}\na: x{{ $x }}\nb: y{{ $x.c }}",
      "{{#let values.a as |x|}}\na: x{{x}}\nb: y{{x.c}}\n{{/let}}\n",
    ],
    [
      "variables named like a root",
      "{{ $spec := .Spec }}\na: x{{ $spec.NodeName }}",
      "{{#let spec as |specValue|}}\na: x{{specValue.nodeName}}\n{{/let}}\n",
    ],
    [
      "whole values",
      "spec:\n  affinity:\n    {{ toYaml .Values.a | indent 4 }}\n",
      "spec:\n  affinity:\n    {{values.a}}\n",
    ],
    [
      "functions in parentheses",
      "a: {{ (quote .Values.x) }}\nb: {{ (toYaml .Values.y) }}",
      'a: "{{values.x}}"\nb: {{values.y}}\n',
    ],
    ["several quoted values", "a: x{{ .Values.a | quote .Values.b }}", "a: x{{quote values.b values.a}}\n"],
    [
      "fields after a comment of any column",
      "spec:\n# a note\n  terminationGracePeriodSeconds: {{ .Values.a }}",
      "spec:\n# a note\n  terminationGracePeriodSeconds: {{int values.a}}\n",
    ],
    [
      "values on a line of their own",
      "spec:\n  terminationGracePeriodSeconds:\n    {{ .Values.a }}",
      "spec:\n  terminationGracePeriodSeconds:\n    {{int values.a}}\n",
    ],
    [
      "values at the start of the next line",
      "spec:\n  terminationGracePeriodSeconds:\n{{ .Values.a }}",
      "spec:\n  terminationGracePeriodSeconds:\n{{int values.a}}\n",
    ],
    [
      "texts and enums in fields that are texts",
      "metadata:\n  name: {{ .Revision.String }}\n  namespace: {{ .ProxyConfig.InterceptionMode }}",
      "metadata:\n  name: {{revision}}\n  namespace: {{proxyConfig.interceptionMode}}\n",
    ],
    [
      "nindent",
      "spec:\n  affinity:\n  {{- toYaml .Values.a | nindent 4 }}\n",
      "spec:\n  affinity:\n    {{values.a}}\n",
    ],
    [
      "whole values below entries",
      "metadata:\n  labels:\n    a: b\n    {{ toYaml .Values.a | indent 4 }}\n",
      'metadata:\n  labels:\n    {{merge (dict "a" "b") values.a}}\n',
    ],
    [
      "lists",
      "{{ range .Values.a }}\n- x{{ .b }}{{ $.Values.c }}\n{{ end }}",
      "{{#each (sorted values.a) as |item|}}\n- x{{item.b}}{{@root.values.c}}\n{{/each}}\n",
    ],
    [
      "keys",
      "{{ range $k, $v := .ObjectMeta.Labels }}\n{{ $k }}: x{{ $v }}\n{{ end }}",
      "{{#each (sorted metadata.labels) as |v k|}}\n{{k}}: x{{v}}\n{{/each}}\n",
    ],
    [
      "with",
      "{{ with .Values.a }}\na: x{{ . }}\n{{ else }}\nb: 1\n{{ end }}",
      "{{#let values.a as |a|}}\n{{#if (not (empty a))}}\na: x{{a}}\n{{else}}\nb: 1\n{{/if}}\n{{/let}}\n",
    ],
    ["names of functions", "a: x{{ atoi (mustFirst .Values.a) }}", "a: x{{int (first values.a)}}\n"],
    ["comments", "{{- /* why */ -}}\na: 1", "{{!-- why --}}\na: 1\n"],
    [
      "raw strings and characters",
      "a: x{{ index .ObjectMeta.Annotations `a.b/c` }}",
      'a: x{{lookup metadata.annotations "a.b/c"}}\n',
    ],
    [
      "flow maps closed at the column of their key",
      "metadata:\n  labels: {\n    a: b,\n  }\n",
      "metadata:\n  labels: {\n    a: b,\n    }\n",
    ],
    [
      "an environment that is a setting",
      'a: "{{ env "ENABLE_NATIVE_SIDECARS" "false" }}"',
      'a: "{{string nativeSidecars}}"\n',
    ],
  ])("translates %s", (_name, source, expected) => {
    expect(imported(source)).toBe(expected);
  });

  it("names the line of a key that a pod does not have at its top", () => {
    const message = expect.stringContaining("Cannot inject containers at the top level of a template");
    expect(importTemplate("t", "metadata: {}\ncontainers: []\n", "a.yaml").findings).toEqual([
      { severity: "error", file: "a.yaml", line: 2, column: 1, message },
    ]);
  });

  it("converts a bare value to the type of its field", () => {
    expect(
      imported(
        "spec:\n  containers:\n  - name: {{ .Values.n }}\n    securityContext:\n      runAsUser: {{ .Values.u }}\n      privileged: {{ .Values.p }}\n",
      ),
    ).toBe(
      "spec:\n  containers:\n  - name: {{string values.n}}\n    securityContext:\n      runAsUser: {{int values.u}}\n      privileged: {{bool values.p}}\n",
    );
  });

  it("gives a variable that a condition sets the value of the branch that is taken", () => {
    const source = '{{ $x := "a" }}{{ if .NativeSidecars }}{{ $x = "b" }}{{ end }}\na: x{{ $x }}';
    expect(imported(source)).toContain('{{#let (ternary "b" "a" nativeSidecars) as |x|}}\na: x{{x}}\n{{/let}}');
  });

  it("recognises a list that grows in a loop", () => {
    const loop = (test: string) =>
      `{{ $l := list }}{{ range $i, $c := .Spec.Containers }}${test}{{ end }}\na: "{{ $l | join "," }}"`;
    expect(imported(loop('{{ if not (eq $c.Name "istio-proxy") }}{{ $l = append $l $c.Name }}{{ end }}'))).toBe(
      '{{#let (appContainers spec.containers) as |l|}}\na: "{{join "," l}}"\n{{/let}}\n',
    );
    expect(imported(loop("{{ $l = append $l $c.Image }}"))).toContain(
      '{{#let (pluck "image" spec.containers) as |l|}}',
    );
  });

  it("recognises a flag for the first turn", () => {
    const source =
      'a: "{{ $f := true }}{{ range .Values.l }}{{ if not $f }},{{ end }}{{ . }}{{ $f = false }}{{ end }}"';
    expect(imported(source)).toContain("{{#let @first as |f|}}{{#if (not f)}},{{/if}}{{item}}{{/let}}");
  });

  it("makes a partial of a definition, called at the first column", () => {
    const source =
      '{{ define "r" }}\n      requests: {}\n{{ end }}spec:\n    resources:\n  {{ template "r" . }}\n    b: 1\n';
    const { text, partials } = translateGoTemplate("t", source, "a.yaml");
    expect(text).toBe("spec:\n    resources:\n{{> t-r}}\n    b: 1\n");
    expect(partials).toEqual({ "t-r": "      requests: {}\n" });
  });

  it.each([
    [
      "a: x{{ genPrivateKey .Values.a }}",
      "a.yaml:1:8: error: Cannot translate this: the function genPrivateKey has no counterpart",
    ],
    [
      "a: x{{ constructor .Values.a }}",
      "a.yaml:1:8: error: Cannot translate this: the function constructor has no counterpart; use other helpers",
    ],
    ["a: x{{ .Specs.A }}", "a.yaml:1:8: error: Cannot translate this: the field .Specs is not known"],
    ["{{ range .Values.a }}{{ break }}{{ end }}", "a.yaml:1:22: error: Cannot translate {{ break }}"],
    [
      "{{ $n := 0 }}{{ range .Values.a }}{{ $n = add $n 1 }}{{ end }}a: x{{ $n }}",
      "a.yaml:1:14: error: Cannot translate this {{ range }}: it sets $n",
    ],
    ['a: x{{ env "X" "y" }}', "a.yaml:1:8: error: Cannot translate this: env reads istiod's environment"],
    ['{{ template "gone" . }}', 'a.yaml:1:1: error: Cannot translate {{ template "gone" }}: it is not defined'],
    ["# {{ .Values.a }}", "a.yaml:1:6: warning: Left out {{ .Values.a }}: it is in a YAML comment"],
    ["- # {{ .Values.a }}", "a.yaml:1:8: warning: Left out {{ .Values.a }}: it is in a YAML comment"],
    [
      "a:\n  {{ toYaml .Values.a | indent 2 }}\n  b: 1\n",
      "a.yaml:2:6: error: Cannot translate toYaml here: entries of the same mapping come after it",
    ],
    [
      String.raw`a: x{{ eq .Values.a "\U00110000" }}`,
      "a.yaml:1:21: error: Cannot read the Go template: the escape in the string is not valid",
    ],
    [
      "a: x{{ uuidv4 }}",
      "a.yaml:1:8: error: Cannot translate this: the function uuidv4 has no counterpart; what is rendered must not be",
    ],
    ["{{ if .A }}", "a.yaml:1:1: error: Cannot read the Go template: {{ if }} is not closed"],
    ["a: {{ .A ", "a.yaml:1:4: error: Cannot read the Go template: the action is not closed"],
  ])("says what it cannot translate in %j", (source, expected) => {
    expect(messages(source)[0]?.slice(0, expected.length)).toBe(expected);
  });
});
