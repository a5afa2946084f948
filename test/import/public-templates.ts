// The constructs of custom templates in public repositories, each reduced to its facts and written again for this project: what
// is patched, with which expressions. Names, images and texts are the project's own.
import type { CustomTemplate } from "./custom-templates.ts";

export interface PublicTemplate extends CustomTemplate {
  /** Where the construct is in use. */
  readonly from: string;
}

const proxy = (lines: string, list = "containers") => `spec:\n  ${list}:\n  - name: istio-proxy\n${lines}`;
const mount = (name: string, path: string) =>
  `    volumeMounts:\n    - name: ${name}\n      mountPath: ${path}\n      readOnly: true\n`;
const preStop = (command: string) => `    lifecycle:\n      preStop:\n        exec:\n          command: ${command}\n`;

export const PUBLIC_TEMPLATES: readonly PublicTemplate[] = [
  {
    from: "a SPIRE demo on Terraform",
    name: "a socket on the node, in the default templates",
    template: `${proxy("    volumeMounts:\n    - name: agent\n      mountPath: /run/agent\n      readOnly: false\n")}  volumes:\n  - name: agent\n    hostPath:\n      path: /run/agent-sockets\n      type: Directory\n`,
  },
  {
    from: "a platform's documentation of its mesh",
    name: "a helper next to a container of a name",
    template:
      '# Looks for a container of that name.\n{{- $hasBackup := false }}\n{{- range $index, $container := .Spec.Containers }}\n  {{ if eq $container.Name "app" }}\n    {{ $hasBackup = true }}\n  {{ end }}\n{{- end }}\n{{- if $hasBackup }}\nspec:\n  containers:\n  - name: reaper\n    image: registry.example/reaper:1\n    args:\n    - -container=app\n    env:\n    - name: POD_NAME\n      valueFrom:\n        fieldRef:\n          fieldPath: metadata.name\n{{- end }}\n',
  },
  {
    from: "a Kubernetes distribution's module for Istio",
    name: "a hook that waits for the application's sockets",
    template: proxy(
      preStop(
        '["/bin/sh", "-c", "while [ $(netstat -plunt | grep tcp | grep -v envoy | wc -l | xargs) -ne 0 ]; do sleep 1; done"]',
      ),
    ),
  },
  {
    from: "Istio's article on accelerated cryptography",
    name: "an overlay that names the proxy only",
    template: "spec:\n  containers:\n  - name: istio-proxy\n",
  },
  {
    from: "a vendor's distribution of Istio",
    name: "two devices of the node",
    template: proxy(
      "    resources:\n      limits:\n        example.com/cy: '1'\n        example.com/dc: '1'\n      requests:\n        example.com/cy: '1'\n        example.com/dc: '1'\n",
    ),
  },
  {
    from: "a gateway's documentation of upstream mTLS",
    name: "a proxy of its own, with a secret server",
    template:
      'spec:\n  containers:\n    - name: sds\n      image: registry.example/sds:1\n      imagePullPolicy: IfNotPresent\n      resources: {}\n      ports:\n        - name: sds\n          containerPort: 8234\n          protocol: TCP\n      env:\n        - name: POD_NAME\n          valueFrom:\n            fieldRef:\n              apiVersion: v1\n              fieldPath: metadata.name\n      volumeMounts:\n        - name: certs\n          mountPath: /etc/certs/\n    - name: istio-proxy\n      image: "registry.example/proxy:1"\n      args:\n        - proxy\n        - sidecar\n        - --proxyLogLevel={{ annotation .ObjectMeta `sidecar.istio.io/logLevel` "warning" }}\n        - --log_output_level={{ annotation .ObjectMeta `sidecar.istio.io/agentLogLevel` "default:info" }}\n      env:\n        - name: CA_ADDR\n          value: "{{ .ProxyConfig.DiscoveryAddress }}"\n        - name: ISTIO_META_MESH_ID\n          value: "{{ .MeshConfig.TrustDomain }}"\n        - name: PROXY_CONFIG\n          value: |\n            {{ protoToJSON .ProxyConfig }}\n  volumes:\n  - name: certs\n    emptyDir:\n      medium: Memory\n  - name: podinfo\n    downwardAPI:\n      defaultMode: 420\n      items:\n        - fieldRef:\n            apiVersion: v1\n            fieldPath: metadata.labels\n          path: labels\n',
  },
  {
    from: "a workshop on SPIRE and two clusters",
    name: "a socket and a bootstrap from a ConfigMap",
    template: `${proxy("    volumeMounts:\n    - name: workload-socket\n      mountPath: /run/secrets/workload-spiffe-uds\n      readOnly: true\n    - name: bootstrap\n      mountPath: /etc/istio/custom-bootstrap\n      readOnly: true\n")}  volumes:\n  - name: bootstrap\n    configMap:\n      name: full-bootstrap\n`,
  },
  {
    from: "Istio's sample for external credentials",
    name: "a second socket of credentials",
    template: `${proxy(mount("credentials", "/run/secrets/credentials"))}  volumes:\n  - name: credentials\n    csi:\n      driver: "csi.spiffe.io"\n      readOnly: true\n`,
  },
  {
    from: "a request for a graceful end in Istio's tracker",
    name: "a hook where an annotation is not empty",
    template: proxy(
      `{{- if (ne (annotation .ObjectMeta \`team\` "") "") }}\n${preStop('["sleep","{{ annotation .ObjectMeta `team` "0"}}"]')}{{- end }}\n`,
    ),
  },
  {
    from: "an article on ending pods in order",
    name: "a hook of the values, or of an annotation",
    template: proxy(
      `{{- if .Values.hook }}\n    lifecycle:\n      {{ toYaml .Values.hook | indent 6 }}\n{{- else if isset .ObjectMeta.Annotations \`team\` }}\n${preStop('["/bin/bash", "-c", "{{ annotation .ObjectMeta `team` `sleep 30` }}"]')}{{- end }}\n`,
    ),
  },
  {
    from: "a change proposed to Istio's charts",
    name: "a hook with a default of the values",
    template: proxy(preStop("[\"sleep\", '{{ annotation .ObjectMeta `grace` .Values.port }}']")),
  },
  {
    from: "a zero-trust demo cluster",
    name: "volumes first, then the proxy",
    template: `spec:\n  volumes:\n    - name: bundle\n      csi:\n        driver: "csi.spiffe.io"\n        readOnly: true\n  containers:\n    - name: istio-proxy\n      volumeMounts:\n        - name: bundle\n          mountPath: /run/bundle\n          readOnly: true\n`,
  },
  {
    from: "a SPIRE walkthrough with Helm",
    name: "a socket's path in the environment, a bundle from a ConfigMap",
    template: `${proxy(`    env:\n    - name: ISTIO_META_SOCKET_PATH\n      value: /run/sockets/agent.sock\n${mount("bundle", "/run/bundle")}`)}  volumes:\n  - name: bundle\n    configMap:\n      name: bundle\n      items:\n      - key: bundle.crt\n        path: root.pem\n`,
  },
  {
    from: "an operator that writes Istio's configuration",
    name: "variables of a tracer from an annotation in JSON",
    template: proxy(
      '    env:\n{{- if isset .ObjectMeta.Annotations `tracer` }}\n{{- range $key, $value := fromJSON (index .ObjectMeta.Annotations `tracer`) }}\n    - name: {{ $key }}\n      value: "{{ $value }}"\n{{- end }}\n{{- end }}\n    - name: LAST\n      value: x\n',
    ),
  },
  {
    from: "an older injector of an operator",
    name: "names of containers with commas, by their index",
    template: proxy(
      '    env:\n    - name: APPS\n      value: "{{- range $index, $container := .Spec.Containers }}{{- if ne $index 0}},{{- end}}{{ $container.Name }}{{- end}}"\n',
    ),
  },
  {
    from: "an operator that calls Istio's webhook",
    name: "search domains of the values",
    template:
      'spec:\n  {{- if .Values.l }}\n  dnsConfig:\n    searches:\n      {{- range .Values.l }}\n      - {{ . }}\n      {{- end }}\n      - "{{ valueOrDefault .DeploymentMeta.Namespace "default" }}.global"\n  {{- end }}\n',
  },
  {
    from: "a fork of Istio's template with HBONE",
    name: "a label that proxy metadata decide",
    template:
      'metadata:\n  labels:\n    {{- if eq (index .ProxyConfig.ProxyMetadata "ENABLE_HBONE") "true" }}\n    tunnel: {{ index .ObjectMeta.Labels `tunnel` | default "http" | quote }}\n    {{- end }}\n    name: {{ index .ObjectMeta.Labels `app.kubernetes.io/name` | default (index .ObjectMeta.Labels `app`) | default .DeploymentMeta.Name | trunc 63 | trimSuffix "-" | quote }}\n',
  },
  {
    from: "the same fork",
    name: "annotations in flow style, with commas in branches",
    template:
      'metadata:\n  annotations: {\n    rev: {{ .Revision | default "default" | quote }},\n    {{- if ge (len .Spec.Containers) 1 }}\n    {{- if not (isset .ObjectMeta.Annotations `first`) }}\n    first: "{{ (index .Spec.Containers 0).Name }}",\n    {{- end }}\n    {{- end }}\n  }\n',
  },
  {
    from: "the same fork",
    name: "booleans in variables, from annotations and printf",
    template:
      '{{ $tproxy := (eq (annotation .ObjectMeta `mode` "REDIRECT") `TPROXY`) }}\n{{ $native := ne (index .ObjectMeta.Annotations `native` | default (printf "%t" .NativeSidecars)) "false" }}\n' +
      proxy(
        '    env:\n    - name: MODE\n      value: "{{ $tproxy }}"\n    {{- if $native }}\n    - name: NATIVE\n      value: "yes"\n    {{- end }}\n',
      ),
  },
  {
    from: "an API gateway's tutorial",
    name: "resources of annotations, each with its own default",
    template: proxy(
      '    resources:\n      limits:\n        {{ if (isset .ObjectMeta.Annotations `cpu`) -}}\n        cpu: "{{ index .ObjectMeta.Annotations `cpu` }}"\n        {{ else -}}\n        cpu: 200m\n        {{ end }}\n        {{ if (isset .ObjectMeta.Annotations `memory`) -}}\n        memory: "{{ index .ObjectMeta.Annotations `memory` }}"\n        {{ else -}}\n        memory: 256Mi\n        {{ end }}\n',
    ),
  },
  {
    from: "a controller modelled on Istio's injector",
    name: "resources only where one of the annotations is set",
    template: proxy(
      '    image: registry.example/proxy:1\n{{- if or (isset .ObjectMeta.Annotations `cpu`) (isset .ObjectMeta.Annotations `memory`) }}\n    resources:\n      requests:\n        {{ if (isset .ObjectMeta.Annotations `cpu`) -}}\n        cpu: "{{ index .ObjectMeta.Annotations `cpu` }}"\n        {{ end }}\n        {{ if (isset .ObjectMeta.Annotations `memory`) -}}\n        memory: "{{ index .ObjectMeta.Annotations `memory` }}"\n        {{ end }}\n{{- end }}\n',
    ),
  },
  {
    from: "the same controller",
    name: "an image with or without a registry",
    template:
      'spec:\n  containers:\n  - name: helper\n  {{- if contains "/" .Values.s }}\n    image: "{{ .Values.s }}"\n  {{- else }}\n    image: "registry.example/{{ .Values.s }}:{{ .Values.port }}"\n  {{- end }}\n    args:\n    - --cluster\n    {{ if ne "" (index .ObjectMeta.Labels "app") -}}\n    - "{{ index .ObjectMeta.Labels `app` }}.$(POD_NAMESPACE)"\n    {{ else -}}\n    - "{{ valueOrDefault .DeploymentMeta.Name `istio-proxy` }}.{{ valueOrDefault .DeploymentMeta.Namespace `default` }}"\n    {{ end -}}\n    - --last\n',
  },
  {
    from: "a telecom's mesh",
    name: "an argument where a number is positive",
    template:
      'spec:\n  containers:\n  - name: helper\n    image: registry.example/helper:1\n    args:\n    - run\n  {{- if gt .ProxyConfig.Concurrency.GetValue 0 }}\n    - --concurrency\n    - "{{ .ProxyConfig.Concurrency.GetValue }}"\n  {{- end -}}\n  {{- if .Values.f }}\n    - --json\n  {{- end }}\n',
  },
  {
    from: "a plan for canaries of a mesh",
    name: "annotations of the mesh in JSON",
    template: proxy(
      "    env:\n    {{ if .ObjectMeta.Annotations }}\n    - name: META\n      value: |\n             {{ toJSON .ObjectMeta.Annotations }}\n    {{ end }}\n    {{- if .DeploymentMeta.Name }}\n    - name: WORKLOAD\n      value: {{ .DeploymentMeta.Name }}\n    {{ end }}\n    {{- if and .TypeMeta.APIVersion .DeploymentMeta.Name }}\n    - name: OWNER\n      value: kubernetes://apis/{{ .TypeMeta.APIVersion }}/namespaces/{{ valueOrDefault .DeploymentMeta.Namespace `default` }}/{{ toLower .TypeMeta.Kind}}s/{{ .DeploymentMeta.Name }}\n    {{- end}}\n",
    ),
  },
  {
    from: "a company's mesh handbook",
    name: "an agent with a token of its own",
    template:
      "spec:\n  containers:\n  - name: agent\n    image: registry.example/agent:1\n    volumeMounts:\n    - name: token\n      mountPath: /var/run/secrets/agent\n  volumes:\n  - name: token\n    projected:\n      sources:\n      - serviceAccountToken:\n          path: token\n          expirationSeconds: 43200\n          audience: {{ .Values.s }}\n",
  },
  {
    from: "a question in Istio's tracker",
    name: "a volume mounted into the application too",
    template:
      "spec:\n  containers:\n  {{- range .Spec.Containers }}\n  - name: {{ .Name }}\n    volumeMounts:\n    - name: shared\n      mountPath: /shared\n  {{- end }}\n  - name: istio-proxy\n    volumeMounts:\n    - name: shared\n      mountPath: /shared\n  volumes:\n  - name: shared\n    emptyDir: {}\n",
  },
  {
    from: "a question in Istio's tracker",
    name: "a mount that is taken away",
    template:
      "spec:\n  initContainers:\n  - name: istio-proxy\n    image: registry.example/proxy:1\n    volumeMounts:\n    - $patch: delete\n      mountPath: /etc/istio/proxy\n",
  },
  {
    from: "guidelines of a cloud provider",
    name: "an older injector's fields outside of a spec",
    template: "containers:\n- name: istio-proxy\n  resources:\n    limits:\n      cpu: 200m\n",
    refused: "containers",
  },
  {
    from: "a monitoring product's documentation",
    name: "fields that no injector has",
    template: proxy('    image: "registry.example/proxy:{{ .ProxyVersion }}"\n'),
    refused: "the field .ProxyVersion is not known",
  },
  {
    from: "an operator from before Istio 1.1",
    name: "square brackets",
    template: proxy('    image: "[[ .ProxyImage ]]"\n'),
  },
  {
    from: "a mesh with node pools",
    name: "tolerations, a node selector and a topology",
    template:
      "spec:\n  nodeSelector:\n    pool: {{ .Values.s | quote }}\n  tolerations:\n  - key: pool\n    operator: Equal\n    value: {{ .Values.s | quote }}\n    effect: NoSchedule\n  topologySpreadConstraints:\n  - maxSkew: 1\n    topologyKey: topology.kubernetes.io/zone\n    whenUnsatisfiable: ScheduleAnyway\n    labelSelector:\n      matchLabels:\n        app: {{ index .ObjectMeta.Labels `app` | quote }}\n",
  },
  {
    from: "an agent that reads the pod",
    name: "numbers and booleans that are not set",
    template: proxy(
      '    env:\n    - name: HOST\n      value: "{{ .Spec.HostNetwork }}"\n    - name: THREADS\n      value: {{ .ProxyConfig.Concurrency.GetValue | quote }}\n    - name: PORT\n      value: "{{ .ProxyConfig.StatusPort }}"\n    - name: PORTS\n      value: "{{ range .Spec.Containers }}{{ range .Ports }}{{ .HostPort }}{{ end }}{{ end }}"\n    {{- if not .ProxyConfig.HoldApplicationUntilProxyStarts.GetValue }}\n    - name: HOLD\n      value: {{ printf "%v" .ProxyConfig.HoldApplicationUntilProxyStarts.GetValue | quote }}\n    {{- end }}\n',
    ),
  },
  {
    from: "a mesh on hardened nodes",
    name: "security of the pod and of init containers",
    template:
      "spec:\n  securityContext:\n    seccompProfile:\n      type: RuntimeDefault\n    fsGroup: 1337\n  initContainers:\n  - name: istio-validation\n    image: registry.example/proxy:1\n    securityContext:\n      runAsUser: 1337\n      capabilities:\n        drop: [ALL]\n  imagePullSecrets:\n  - name: registry\n",
  },
];
