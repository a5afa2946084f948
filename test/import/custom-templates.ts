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
  {
    name: "a configuration that the proxy mounts",
    template: container(
      "    env:\n    - name: LOG\n      value: debug\n    volumeMounts:\n    - name: log-settings\n      mountPath: /etc/log\n  volumes:\n  - name: log-settings\n    configMap:\n      name: log-settings\n",
    ),
  },
  {
    name: "certificates of a team",
    template: container(
      "    volumeMounts:\n    - name: team-ca\n      mountPath: /etc/team-ca\n      readOnly: true\n  volumes:\n  - name: team-ca\n    secret:\n      secretName: team-ca\n",
    ),
  },
  {
    name: "a restricted proxy",
    template: container(
      "    securityContext:\n      runAsNonRoot: true\n      runAsUser: 1337\n      allowPrivilegeEscalation: false\n      readOnlyRootFilesystem: true\n      capabilities:\n        drop:\n        - ALL\n      seccompProfile:\n        type: RuntimeDefault\n",
    ),
  },
  {
    name: "resources by a label",
    template: container(
      '    {{- if index .ObjectMeta.Labels "busy" }}\n    resources:\n      requests:\n        cpu: 500m\n    {{- else }}\n    resources:\n      requests:\n        cpu: 100m\n    {{- end }}\n',
    ),
  },
  {
    name: "an init container",
    template:
      'spec:\n  initContainers:\n  - name: setup\n    image: registry.example/setup:1\n    command:\n    - /bin/sh\n    - -c\n    - "echo ready"\n    securityContext:\n      runAsUser: 0\n',
  },
  {
    name: "a socket for a native sidecar",
    template:
      'metadata:\n  labels:\n    spiffe.io/managed: "true"\nspec:\n  initContainers:\n  - name: istio-proxy\n    image: registry.example/proxy:1\n    volumeMounts:\n    - name: workload-socket\n      mountPath: /run/secrets/workload-spiffe-uds\n      readOnly: true\n  volumes:\n    - name: workload-socket\n      csi:\n        driver: "csi.spiffe.io"\n        readOnly: true\n',
  },
  {
    name: "a volume that keeps some keys only",
    template:
      "spec:\n  volumes:\n  - $retainKeys:\n    - name\n    - csi\n    name: workload-socket\n    csi:\n      driver: csi.spiffe.io\n",
  },
  {
    name: "a volume whose source is deleted",
    template:
      "spec:\n  volumes:\n  - name: workload-socket\n    emptyDir: null\n    csi:\n      driver: csi.spiffe.io\n",
  },
  {
    name: "settings of each container, with Istio's own switched off",
    template:
      'metadata:\n  annotations:\n    prometheus.istio.io/merge-metrics: "false"\n    sidecar.istio.io/rewriteAppHTTPProbers: "false"\nspec:\n  containers:\n  {{- range $index, $container := .Spec.Containers }}\n  - name: {{ $container.Name }}\n    env:\n    - name: SOME_ENV\n      value: "1"\n    {{- if eq $index 0 }}\n    - name: FIRST\n      value: "true"\n    {{- end }}\n  {{- end}}\n',
  },
  {
    name: "a device of the node",
    template: container(
      '    resources:\n      limits:\n        qat.intel.com/cy: "1"\n      requests:\n        qat.intel.com/cy: "1"\n    securityContext:\n      capabilities:\n        add:\n        - IPC_LOCK\n',
    ),
  },
  {
    name: "a policy agent next to the proxy",
    template:
      'spec:\n  containers:\n  - name: dikastes\n    image: registry.example/dikastes:1\n    args: ["server", "-l", "/var/run/dikastes/dikastes.sock"]\n    livenessProbe:\n      exec:\n        command:\n        - /healthz\n        - liveness\n      initialDelaySeconds: 3\n    volumeMounts:\n    - mountPath: /var/run/dikastes\n      name: dikastes-sock\n  - name: istio-proxy\n    volumeMounts:\n    - mountPath: /var/run/dikastes\n      name: dikastes-sock\n  volumes:\n  - name: dikastes-sock\n    emptyDir:\n      medium: Memory\n',
  },
  {
    name: "a hook of the proxy, with a time from an annotation",
    template: `spec:\n  terminationGracePeriodSeconds: {{ annotation .ObjectMeta \`team.example/grace\` 60 }}\n  containers:\n  - name: istio-proxy\n    lifecycle:\n      preStop:\n        exec:\n          command: ["/bin/sh", "-c", "sleep 5"]\n`,
  },
  {
    name: "names resolved with fewer dots",
    template: `spec:\n  dnsConfig:\n    options:\n    - name: ndots\n      value: "2"\n  {{- if not .Spec.PriorityClassName }}\n  priorityClassName: meshed\n  {{- end }}\n`,
  },
  {
    name: "a team's value from a map, by namespace",
    template: env(
      '    {{- $zone := index .Values.m "ZONE" }}\n    {{- if and $zone (ne .ObjectMeta.Namespace "kube-system") }}\n    - name: ZONE\n      value: {{ $zone | upper | quote }}\n    {{- end }}\n',
    ),
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
