// Templates in the ways in which people customise Istio's injection, each written for this project.

export interface CustomTemplate {
  readonly name: string;
  readonly template: string;
  /** Part of the finding where it has no translation. */
  readonly refused?: string;
  /** What the import does otherwise than the reference, on purpose. */
  readonly differs?: string;
}

const container = (lines: string) => `spec:\n  containers:\n  - name: istio-proxy\n${lines}`;
const env = (lines: string) => container(`    env:\n${lines}`);
const helper = (lines: string) =>
  `spec:\n  containers:\n  - name: helper\n    image: registry.example/helper:1\n${lines}`;

export const CUSTOM_TEMPLATES: readonly CustomTemplate[] = [
  { name: "a greeting", template: env("    - name: GREETING\n      value: hello-world\n") },
  {
    name: "labels at the top",
    template: `labels:\n  spiffe.io/managed: "true"\n${env("    - name: A\n      value: b\n")}`,
    differs: ".metadata.labels.spiffe.io/managed",
  },
  {
    name: "a socket of another driver",
    template: `spec:\n  containers:\n  - name: istio-proxy\n    volumeMounts:\n    - name: workload-socket\n      mountPath: /run/secrets/workload-spiffe-uds\n      readOnly: true\n  volumes:\n  - name: workload-socket\n    csi:\n      driver: csi.spiffe.io\n      readOnly: true\n`,
  },
  {
    name: "a label for pods of jobs",
    template: `{{- if isset .ObjectMeta.Labels "job-name" }}\nmetadata:\n  labels:\n    hello: world\n{{- end }}\n`,
  },
  {
    name: "a container for each container",
    template: `spec:\n  containers:\n  {{- range $index, $c := .Spec.Containers }}\n  - name: {{ $c.Name }}\n    env:\n    - name: PLACE\n      value: "{{ $index }}"\n  {{- end }}\n`,
  },
  {
    name: "a flag that a loop sets",
    template: `{{- $found := false }}\n{{- range $index, $c := .Spec.Containers }}\n{{ if eq $c.Name "app" }}{{ $found = true }}{{ end }}\n{{- end }}\n{{- if $found }}\n${helper("")}{{- end }}\n`,
    refused: "$found",
  },
  {
    name: "a list that a loop fills",
    template: `{{- $names := list }}\n{{- range $i, $c := .Spec.Containers }}{{ if not (eq $c.Name "istio-proxy") }}{{ $names = append $names $c.Name }}{{ end }}{{- end }}\n${env('    - name: APPS\n      value: "{{ $names | join "," }}"\n')}`,
  },
  {
    name: "the default of a value",
    template: env('    - name: A\n      value: "{{ .Values.absent | default "x" }}"\n'),
  },
  {
    name: "an annotation with a default",
    template: env('    - name: A\n      value: "{{ annotation .ObjectMeta `team` "none" }}"\n'),
  },
  {
    name: "an index into annotations",
    template: env('    - name: A\n      value: {{ index .ObjectMeta.Annotations "team" | quote }}\n'),
  },
  {
    name: "resources from the values",
    template: container("    resources:\n      {{ toYaml .Values.res | indent 6 }}\n"),
  },
  {
    name: "resources with nindent",
    template: container("    resources: {{- toYaml .Values.res | nindent 6 }}\n"),
  },
  {
    name: "a quantity from an annotation",
    template: container('    resources:\n      limits:\n        cpu: "{{ index .ObjectMeta.Annotations `cpu` }}"\n'),
  },
  {
    name: "a user in numbers",
    template: helper('    securityContext:\n      runAsUser: {{ .Values.user | default "1000" }}\n'),
  },
  { name: "a port in numbers", template: helper("    ports:\n    - containerPort: {{ .Values.port }}\n") },
  { name: "a sum", template: helper("    ports:\n    - containerPort: {{ add .Values.port 1 }}\n") },
  {
    name: "printf",
    template: env(
      '    - name: A\n      value: {{ printf "%s.%s" .DeploymentMeta.Name .ObjectMeta.Namespace | quote }}\n',
    ),
  },
  {
    name: "a name in lower case",
    template: env('    - name: A\n      value: "{{ .ObjectMeta.Name | lower | trunc 3 }}"\n'),
  },
  { name: "replace", template: env('    - name: A\n      value: "{{ replace "-" "_" .ObjectMeta.Name }}"\n') },
  {
    name: "a defined template",
    template: `{{- define "image" -}}registry.example/{{ .Values.s }}{{- end -}}\nspec:\n  containers:\n  - name: helper\n    image: {{ template "image" . }}\n`,
  },
  { name: "a branch by namespace", template: `{{ if eq .ObjectMeta.Namespace "shop" }}\n${helper("")}{{ end }}\n` },
  {
    name: "else if",
    template: env(
      '    - name: A\n      {{- if eq .Values.s "no" }}\n      value: a\n      {{- else if .Values.t }}\n      value: b\n      {{- else }}\n      value: c\n      {{- end }}\n',
    ),
  },
  {
    name: "with",
    template: env("    {{- with .Values.s }}\n    - name: A\n      value: {{ . | quote }}\n    {{- end }}\n"),
  },
  {
    name: "a range over a map",
    template: env(
      "    {{- range $k, $v := .Values.m }}\n    - name: {{ $k }}\n      value: {{ $v | quote }}\n    {{- end }}\n",
    ),
  },
  {
    name: "a range over names",
    template: env('    {{- range .Values.l }}\n    - name: {{ . }}\n      value: "{{ $.Values.s }}"\n    {{- end }}\n'),
  },
  {
    name: "and, or, not",
    template: `{{- if and .Values.t (or .Values.f (not .Values.absent)) }}\n${helper("")}{{- end }}\n`,
  },
  { name: "len", template: `{{- if gt (len .Spec.Containers) 1 }}\n${helper("")}{{- end }}\n` },
  {
    name: "hasPrefix and hasSuffix",
    template: `{{- if and (hasPrefix "w" .ObjectMeta.Name) (hasSuffix "b" .ObjectMeta.Name) }}\n${helper("")}{{- end }}\n`,
  },
  { name: "the owner's kind", template: env('    - name: A\n      value: "{{ .TypeMeta.Kind | lower }}"\n') },
  {
    name: "proxy metadata",
    template: env('    - name: A\n      value: "{{ index .ProxyConfig.ProxyMetadata "ZONE" }}"\n'),
  },
  { name: "JSON", template: env("    - name: A\n      value: |\n        {{ toJSON .ObjectMeta.Annotations }}\n") },
  {
    name: "a variable in branches",
    template: `{{- $a := "x" }}\n{{- if .Values.t }}{{ $a = "y" }}{{ end }}\n${env('    - name: A\n      value: "{{ $a }}"\n')}`,
  },
  { name: "a comment", template: `{{/* for the team */}}\n${helper("")}` },
  {
    name: "the environment of istiod",
    template: env('    - name: A\n      value: "{{ env "ZONE" "none" }}"\n'),
    refused: "env reads istiod's environment",
  },
  { name: "the clock", template: env('    - name: A\n      value: "{{ now | date "2006" }}"\n'), refused: "now" },
  {
    name: "randomness",
    template: env('    - name: A\n      value: "{{ randAlphaNum 5 | len }}"\n'),
    refused: "randAlphaNum",
  },
  {
    name: "break",
    template: env(
      "    {{- range .Values.l }}\n    - name: {{ . }}\n      value: x\n    {{- break }}\n    {{- end }}\n",
    ),
    refused: "break",
  },
];
