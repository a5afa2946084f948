{{/* What the builders make: scripts/generate/chart.ts. */}}
{{- define "outrigger.objects" -}}
{{ .Files.Get "files/objects.json" | replace "label-placeholder" .Values.injectionLabel }}
{{- end }}

{{/* By whose label pods ask. */}}
{{- define "outrigger.label" -}}
{{ ternary "istio" "own" (empty .Values.injectionLabel) }}
{{- end }}

{{/* The kind of a revision or tag: only `default` has selectors of its own. */}}
{{- define "outrigger.kind" -}}
{{ ternary "default" "named" (eq . "default") }}
{{- end }}

{{- define "outrigger.configurationName" -}}
{{ ternary "outrigger-sidecar-injector" (printf "outrigger-sidecar-injector-%s" .) (eq . "default") }}
{{- end }}

{{/* What the schema cannot say. */}}
{{- define "outrigger.check" -}}
{{- if has .Values.revision .Values.tags }}
{{- fail (printf "Cannot use the tag %q: it is the revision itself" .Values.revision) }}
{{- end }}
{{- if .Values.injectionLabel }}
{{- range $name := concat (list .Values.revision) .Values.tags }}
{{- if has $name (list "true" "false") }}
{{- fail (printf "Cannot use the revision %q: %s has this value" $name $.Values.injectionLabel) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "outrigger.url" -}}
{{- $base := required "Cannot install the webhook without its URL: set url to the deployment's output Url" .Values.url | trimSuffix "/" -}}
{{- $token := required "Cannot install the webhook without the cluster's token: run outrigger token add --token-file, then --set-file token=FILE" .Values.token | trim -}}
{{- $base }}/t/{{ $token }}
{{- if ne .Values.revision "default" }}/r/{{ .Values.revision }}{{ end -}}
/inject
{{- with .Values.clusterId }}/cluster/{{ . | replace "/" "--slash--" }}{{ end -}}
{{- with .Values.network }}/net/{{ . | replace "/" "--slash--" }}{{ end -}}
{{- end }}

{{/* The settings as `outrigger check --section registration` reads them back. */}}
{{- define "outrigger.settings" -}}
{{- $v := .Values }}
{{- $settings := dict "deployment" $v.deployment "url" $v.url "revision" $v.revision "tags" $v.tags "phase" $v.phase "namespaces" $v.namespaces "timeoutSeconds" (int $v.timeoutSeconds) }}
{{- if $v.enableNamespacesByDefault }}{{ $_ := set $settings "enableNamespacesByDefault" true }}{{ end }}
{{- range $key := list "clusterId" "network" "failurePolicy" "safetyNet" "caBundle" "injectionLabel" }}
{{- with index $v $key }}{{ $_ := set $settings $key . }}{{ end }}
{{- end }}
{{- $settings | toJson }}
{{- end }}

{{- define "outrigger.labels" -}}
app.kubernetes.io/managed-by: outrigger
app.kubernetes.io/instance: {{ .Values.deployment | quote }}
outrigger/deployment: {{ .Values.deployment | quote }}
outrigger/revision: {{ .Values.revision | quote }}
{{- end }}
