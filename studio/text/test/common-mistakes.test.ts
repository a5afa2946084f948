// What people do wrong most often, and that a reader of Chinese is told of it in Chinese: as the check says it, not as a test supposes.
import { lintSource } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { expect, it } from "vitest";
import { toldIn } from "../tool-sentences.ts";
import { chineseToolSentences } from "../zh-tool-sentences.ts";

const SAMPLE = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web:1}]}\n";
const BASE = {
  config: "defaultTemplates: [agent]\n",
  "templates/agent": "spec:\n  containers:\n  - name: agent\n    image: agent:1\n",
  "samples/web": SAMPLE,
};

const container = (fields: string) => `spec:\n  containers:\n  - name: a\n    image: a:1\n${fields}`;

/** The entry in which each text is a mistake. */
const MISTAKES: readonly (readonly [entry: string, texts: readonly string[]])[] = [
  [
    "values/10-a",
    [
      "a: [\n",
      "a: 1\na: 2\n",
      "\ta: 1\n",
      "a: @x\n",
      "a: b: c\n",
      "a: 'x' y\n",
      "a: *b\n",
      'a: "x\n',
      "a:\n  - b\n c: d\n",
      "a: {b: c\n",
      "a: 1\n---\nb: 2\n",
      "key\n",
      "- a\n",
      "global: {hub: 'A B'}\n",
      "global: {tag: 'a b'}\n",
    ],
  ],
  [
    "mesh",
    [
      "enableTracin: true\n",
      "enableTracing: maybe\n",
      "connectTimeout: 5\n",
      "outboundTrafficPolicy: {mode: FOO}\n",
      "defaultConfig: {concurrency: a}\n",
      "defaultConfig: {discoveryAddress: x}\n",
      "defaultConfig: {proxyAdminPort: 99999999}\n",
      "- a\n",
    ],
  ],
  [
    "config",
    [
      "polici: enabled\n",
      "policy: sometimes\n",
      "istio: 1.3\n",
      "istio: '1.1'\n",
      "nativeSidecars: maybe\n",
      "publishTo: 3\n",
      "injectionLabel: x y\n",
      "aliases: {a: [b] }\n",
      "neverInjectSelector: [{matchLabels: {a b: c} }]\n",
      "defaultTemplates: agent\n",
      "defaultTemplates: [agnt]\n",
      "defaultTemplates: [{name: agent, match: {} }]\n",
      "defaultTemplates: [{name: agent, match: {podLables: {a: b} } }]\n",
      "defaultTemplates: [{name: agent, match: {namespaces: [kube-system] } }]\n",
      "defaultTemplates: [{name: agent, match: {namespaces: [A_B] } }]\n",
      "defaultTemplates: [{name: agent, before: x}]\n",
    ],
  ],
  [
    "templates/agent",
    [
      "{{#if}}\n",
      "{{#if values.x}}\n",
      "{{/if}}\n",
      "{{values.x\n",
      "{{foo values.x}}\n",
      "{{> gone}}\n",
      "a: {{{values.x}}}\n",
      "a: {{ .Values.x }}\n",
      "a: {{values.x | quote}}\n",
      "{{#foo values.x}}{{/foo}}\n",
      "a: {{}}\n",
      'a: {{"x\n',
      "a: {{value.x}}\n",
      "{{else}}\n",
      "{{#if metadata.name}}\na: 1\n{{/each}}\n",
      "a: {{@foo}}\n",
      "{% if a %}\n",
      "a: {{toYaml values.x}}\n",
      "a: {{replace values.x}}\n",
      "a: {{../x}}\n",
      "spec:\n  contianers: []\n",
      "spec:\n  containers:\n  - image: x\n",
      "spec:\n  containers: null\n",
      "kind: Deployment\n",
      "abc\n",
      "metadata:\n  labels:\n    a: 1\n",
      "metadata:\n  labels:\n    a b: c\n",
      "spec:\n  priorityClassName: high\n",
      "spec:\n  nodeSelector: {kubernetes.io/os: windows}\n",
      "spec:\n  containers:\n  - name: Agent_1\n    image: a:1\n",
      "spec:\n  containers:\n  - name: a\n    image: 'a b'\n",
      "spec:\n  containers:\n  - name: a\n    image: agent\n",
      container("    imagePullPolicy: Foo\n"),
      container("    ports: [{containerPort: 70000}]\n"),
      container("    env:\n    - name: A\n      value: 1\n"),
      container("    resources: {limits: {memory: 1Gb} }\n"),
      container("    resources: {limits: {memory: 1Gi}, requests: {memory: 2Gi} }\n"),
      container("    resources: {limits: {foo: 1} }\n"),
      container("    volumeMounts: [{name: gone, mountPath: /a}]\n"),
      container("    command: run it\n"),
      container("    restartPolicy: Always\n"),
    ],
  ],
  [
    "samples/web",
    [
      "kind: Deploymnt\n",
      "kind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n",
      "kind: Pod\nmetadata: {name: a, annotations: {inject.istio.io/templates: nobody} }\nspec: {containers: [{name: a, image: a:1}]}\n",
      "kind: Pod\nmetadata: {name: a, labels: {sidecar.istio.io/inject: yes} }\nspec: {containers: [{name: a, image: a:1}]}\n",
      "kind: Pod\nmetadata: {name: a, labels: {x: {{y}}}}\n",
    ],
  ],
  ["namespaces", ["a: b\n"]],
  ["odd/path", [""]],
  ["templates/A b", [""]],
];

/** Values of Istio, which its own templates read. */
const VALUES = `global:
  imagePullPolicy: Sometimes
  imagePullSecrets: [A_B]
  logging: {level: default:foo}
  proxy:
    logLevel: verbose
    statusPort: x
    includeIPRanges: x
    excludeInboundPorts: a
    resources: {limits: {memory: 2Gb} }
`;

it("says in Chinese what is wrong with values of Istio", async () => {
  const { findings } = lintSource([await readSourceTree("templates"), { "values/10-a": VALUES }]);
  expect(findings.length).toBeGreaterThan(5);
  expect(findings.filter(({ message }) => toldIn(chineseToolSentences, message) === undefined)).toEqual([]);
});

it.each(MISTAKES)("says in Chinese what is wrong with %s", (entry, texts) => {
  const said = texts.map((text) => lintSource([{ ...BASE, [entry]: text }]).findings.map(({ message }) => message));
  expect(texts.filter((_, at) => said[at]?.length === 0)).toEqual([]);
  expect(said.flat().filter((message) => toldIn(chineseToolSentences, message) === undefined)).toEqual([]);
});
