// Typical mistakes of template authors, which the pages docs/mistakes* show with what lint says about them.

const container = (fields: string) => `spec:\n  containers:\n  - name: agent\n    image: agent:1\n${fields}`;

/** A mistake: what is wrong, path in the tree, text. */
export type Mistake = readonly [title: string, path: string, text: string];

/** Section → its mistakes. */
export const MISTAKES: readonly (readonly [section: string, cases: readonly Mistake[]])[] = [
  [
    "Syntax that Helm and Istio use",
    [
      ["A Go template path", "templates/x", "metadata:\n  labels:\n    a: {{ .Values.global.hub }}\n"],
      ["A Go template block", "templates/x", "{{- if .Values.global.hub }}\nspec: {}\n{{- end }}\n"],
      ["A loop of Go templates", "templates/x", "{{ range .Spec.Containers }}\n{{ end }}\n"],
      ["A pipe", "templates/x", "metadata:\n  name: {{ metadata.name | quote }}\n"],
      ["A variable", "templates/x", "{{ $a := .Values.global.hub }}\n"],
      ["include", "templates/x", '{{ include "common.labels" . }}\n'],
      ["toYaml", "templates/x", container("    resources: {{toYaml values.global.proxy.resources}}\n")],
      ["A loop with a key", "templates/x", "{{ range $k, $v := .Values.labels }}\n{{ end }}\n"],
      ["Several pipes", "templates/x", "metadata:\n  name: {{ .ObjectMeta.Name | lower | trunc 63 }}\n"],
      ["A value of Helm's", "templates/x", "metadata:\n  name: {{ .Release.Name }}\n"],
      ["A block without #", "templates/x", "{{if values.global.hub}}\nspec: {}\n{{/if}}\n"],
      ["An operator", "templates/x", '{{#if metadata.name == "web"}}\nspec: {}\n{{/if}}\n'],
      ["A call with parentheses", "templates/x", "metadata:\n  name: {{upper(metadata.name)}}\n"],
      ["An index in brackets", "templates/x", "metadata:\n  name: {{spec.containers[0].name}}\n"],
      ["Typographic quotes", "templates/x", "metadata:\n  name: {{default “web” metadata.name}}\n"],
      ["Jinja", "templates/x", "{% if values.global.hub %}\nspec: {}\n{% endif %}\n"],
      ["One closing brace", "templates/x", "metadata:\n  name: {{metadata.name}\n"],
      ["White space trimmed with a dash", "templates/x", "metadata:\n  labels:\n    a: {{- metadata.name }}\n"],
    ],
  ],
  [
    "Templates that do not parse",
    [
      ["A block that is not closed", "templates/x", "spec:\n  {{#if values.global.hub}}\n  priority: 1\n"],
      [
        "A block closed by another name",
        "templates/x",
        "{{#if values.global.hub}}\n{{#each spec.containers}}\n{{/if}}\n",
      ],
      ["A tag that is not closed", "templates/x", "metadata:\n  name: {{metadata.name\n"],
      ["A quote that is not closed in a tag", "templates/x", 'metadata:\n  name: {{default "web metadata.name}}\n'],
      ["A quote that is not closed in YAML", "templates/x", 'metadata:\n  labels:\n    a: "web\n    b: c\n'],
      ["A helper that does not exist", "templates/x", "metadata:\n  name: {{tolower metadata.name}}\n"],
      ["A partial that does not exist", "templates/x", "{{> proxy-imge}}\n"],
      ["Three braces", "templates/x", "metadata:\n  name: {{{metadata.name}}}\n"],
      [
        "A partial with fields behind a key",
        "templates/x",
        "spec:\n  containers:\n  - name: agent\n    image: a\n    env: {{> proxy-image}}\n",
      ],
      ["A name that is not in the data", "templates/x", "metadata:\n  name: {{metdata.name}}\n"],
    ],
  ],
  [
    "Pods that an API server rejects",
    [
      ["A misspelt field", "templates/x", container("    imagePulPolicy: Always\n")],
      ["A number for text", "templates/x", container("    env:\n    - name: A\n      value: 1\n")],
      ["A container's name in capitals", "templates/x", "spec:\n  containers:\n  - name: Log_Agent\n    image: a:1\n"],
      ["No image", "templates/x", "spec:\n  containers:\n  - name: agent\n"],
      ["An impossible port", "templates/x", container("    ports:\n    - containerPort: 70000\n")],
      [
        "A mount without its volume",
        "templates/x",
        container("    volumeMounts:\n    - {name: gone, mountPath: /a}\n"),
      ],
      [
        "A request above its limit",
        "templates/x",
        container("    resources:\n      requests: {cpu: 2}\n      limits: {cpu: 1}\n"),
      ],
      ["A misspelt choice", "templates/x", container("    imagePullPolicy: IfNotPresnt\n")],
      ["A probe without a handler", "templates/x", container("    livenessProbe: {periodSeconds: 3}\n")],
    ],
  ],
  [
    "Sidecars that do not work",
    [
      ["A native sidecar below containers", "templates/x", container("    restartPolicy: Always\n")],
      [
        "A probe of a port that nobody opens",
        "templates/x",
        container("    ports:\n    - containerPort: 4317\n    readinessProbe:\n      tcpSocket: {port: 4318}\n"),
      ],
      [
        "A port that is opened twice",
        "templates/x",
        container(
          "    ports:\n    - containerPort: 4317\n  - name: other\n    image: other:1\n    ports:\n    - containerPort: 4317\n",
        ),
      ],
      [
        "An image without a tag",
        "templates/x",
        "spec:\n  containers:\n  - name: agent\n    image: registry.example/agent\n",
      ],
    ],
  ],
  [
    "What would disappear",
    [
      [
        "Nothing under containers",
        "templates/x",
        "spec:\n  containers:\n  {{#if metadata.labels.agent}}\n  - name: agent\n    image: a\n  {{/if}}\n",
      ],
      ["A null for containers", "templates/x", "spec:\n  containers: null\n"],
      ["A null for volumes", "templates/x", "spec:\n  volumes: null\n"],
      ["A path that no sample has", "templates/x", "metadata:\n  labels:\n    a: {{metadata.nmae}}\n"],
      ["A value that does not exist", "templates/x", "metadata:\n  labels:\n    a: {{values.global.hubb}}\n"],
    ],
  ],
  [
    "Values",
    [
      ["A misspelt key", "values/10", "global:\n  prxy: {logLevel: debug}\n"],
      ["A number for text", "values/10", "global:\n  tag: 1.30\n"],
      ["A list for a mapping", "values/10", "global: [1, 2]\n"],
      ["An image registry that cannot be", "values/10", 'global:\n  hub: "my registry!"\n'],
      ["A null that images need", "values/10", "global:\n  hub: null\n"],
      ["A wrong quantity", "values/10", "global:\n  proxy:\n    resources: {limits: {cpu: 1x} }\n"],
      [
        "Two closing braces that end no tag",
        "values/10",
        "global:\n  proxy:\n    resources: {limits: {memory: 2Gi}}\n",
      ],
      ["A quoted switch", "values/10", 'pilot: {cni: {enabled: "false"} }\n'],
      ["A quote that is not closed", "values/10", 'global:\n  hub: "registry.example\n  tag: a\n'],
    ],
  ],
  [
    "What does not agree",
    [
      ["Certificates of another istiod", "values/10", "global:\n  istioNamespace: mesh\n"],
      ["A trust domain that the mesh overrides", "values/10", "global:\n  trustDomain: shop.example\n"],
      ["A revision in one place", "config", "revision: canary\n"],
      ["A status port in one place", "mesh", "defaultConfig:\n  statusPort: 15022\n"],
      [
        "A probe on a port that is redirected",
        "partials/readiness-probe",
        "readinessProbe:\n  httpGet:\n    path: /healthz/ready\n    port: 15022\n",
      ],
    ],
  ],
  [
    "Config and samples",
    [
      ["A misspelt key", "config", "polciy: enabled\n"],
      ["A wrong type", "config", "defaultTemplates: sidecar\n"],
      ["A misspelt choice", "config", "platform: openshfit\n"],
      ["An alias for no template", "config", "aliases: {web: [sidcar]}\n"],
      ["A misspelt field of the mesh", "mesh", "defaultConfg: {}\n"],
      ["A sample that is not a Pod", "samples/x", "kind: Deployment\n"],
      [
        "A sample that an API server rejects",
        "samples/x",
        "kind: Pod\nspec:\n  containers:\n  - {name: Web, image: a}\n",
      ],
    ],
  ],
];
