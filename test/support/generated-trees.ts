// Source trees whose templates take what they write from the pod: names, labels, annotations, containers.

import type { SourceTree } from "@outrigger/injector";
import { HELPER_CALLS, TEXT } from "./helper-calls.ts";
import { pick, type Random, some } from "./random.ts";

/** Annotations that the pieces below read. Pods of the samples have none of them. */
export const READ_ANNOTATIONS = {
  image: "agent.example.com/image",
  port: "agent.example.com/port",
  cpu: "agent.example.com/cpu",
  user: "agent.example.com/user",
  grace: "agent.example.com/grace",
  priority: "agent.example.com/priority",
  secret: "agent.example.com/secret",
  path: "agent.example.com/path",
  text: TEXT,
} as const;

const text = (key: keyof typeof READ_ANNOTATIONS, otherwise: string) =>
  `annotation metadata "${READ_ANNOTATIONS[key]}" "${otherwise}"`;
const read = (key: keyof typeof READ_ANNOTATIONS, otherwise: string) => `(${text(key, otherwise)})`;
const has = (key: keyof typeof READ_ANNOTATIONS) => `(isset metadata.annotations "${READ_ANNOTATIONS[key]}")`;

const METADATA: readonly string[] = [
  "  labels:\n    agent.example.com/of: {{metadata.name}}\n",
  '  labels:\n    agent.example.com/app: agent-{{default "none" (lookup metadata.labels "app")}}\n',
  '  annotations:\n    agent.example.com/injected: "true"\n',
];

const POD: readonly string[] = [
  `  terminationGracePeriodSeconds: {{int ${read("grace", "45")}}}\n`,
  `  {{#if ${has("priority")}}}\n  priorityClassName: {{${text("priority", "")}}}\n  {{/if}}\n`,
  "  hostAliases:\n  - ip: 10.0.0.1\n    hostnames: [agent.example.com]\n",
  "  securityContext:\n    fsGroup: 4000\n",
  "  tolerations:\n  - key: agent\n    operator: Exists\n",
  "  shareProcessNamespace: true\n",
  "  nodeSelector:\n    kubernetes.io/os: linux\n",
  "  imagePullSecrets:\n  - name: agent\n",
  "  dnsConfig:\n    searches: [mesh.example.com]\n    options:\n    - name: ndots\n      value: '2'\n",
  "  topologySpreadConstraints:\n  - maxSkew: 1\n    topologyKey: kubernetes.io/hostname\n    whenUnsatisfiable: ScheduleAnyway\n    labelSelector: {matchLabels: {agent: '1'}}\n",
];

const CONTAINER: readonly string[] = [
  `    ports:\n    - name: agent\n      containerPort: {{int ${read("port", "9100")}}}\n`,
  "    ports:\n    - name: agent\n      containerPort: 9100\n      hostPort: 9100\n",
  `    resources:\n      requests: {cpu: 100m}\n      limits:\n        cpu: {{${text("cpu", "200m")}}}\n`,
  `    securityContext:\n      runAsUser: {{int ${read("user", "1500")}}}\n`,
  `    envFrom:\n    - secretRef:\n        name: {{${text("secret", "agent")}}}\n`,
  "    env:\n    - name: WORKLOAD\n      value: {{owner.name}}\n    - name: NODE\n      valueFrom: {fieldRef: {fieldPath: spec.nodeName}}\n",
  `    readinessProbe:\n      httpGet:\n        path: /ready\n        port: {{int ${read("port", "9100")}}}\n`,
  "    lifecycle:\n      preStop:\n        sleep: {seconds: 5}\n",
  "    lifecycle:\n      postStart:\n        httpGet: {path: /start, port: agent}\n",
  "    startupProbe:\n      grpc: {port: 9101}\n    livenessProbe:\n      tcpSocket: {port: 9100}\n",
  "    resources:\n      limits: {memory: 128Mi, ephemeral-storage: 1Gi}\n",
  "    securityContext:\n      runAsNonRoot: true\n      allowPrivilegeEscalation: false\n      capabilities: {drop: [ALL]}\n",
  "    env:\n    - name: CPU\n      valueFrom:\n        resourceFieldRef: {resource: limits.cpu}\n",
];

const MOUNTED = `    volumeMounts:\n    - name: agent\n      mountPath: {{${text("path", "/var/agent")}}}\n`;
const VOLUME: readonly string[] = [
  "  volumes:\n  - name: agent\n    emptyDir: {}\n",
  `  volumes:\n  - name: agent\n    secret:\n      secretName: {{${text("secret", "agent")}}}\n`,
  "  volumes:\n  - name: agent\n    hostPath: {path: /var/log}\n",
];

const EACH = `  {{#each spec.containers}}
  - name: {{name}}
    env:
    - name: AGENT
      value: "1"
    volumeMounts:
    - name: agent
      mountPath: /var/agent-logs
  {{/each}}
`;

/** A second custom template: what it names, the first one or the sidecar may name too. */
function secondTemplate(random: Random): string {
  const calls = some(random, Object.entries(HELPER_CALLS), 0.08);
  const annotations = calls.map(([name, call]) => `    agent.example.com/${name}: {{toJson ${call}}}\n`).join("");
  const list = pick(random, ["containers", "initContainers"]);
  const name = pick(random, ["agent", "second", "istio-proxy"]);
  const fields = some(random, CONTAINER, 0.15).filter(
    (field) => list === "containers" || !/Probe|lifecycle/.test(field),
  );
  return `metadata:
  annotations:
    agent.example.com/second: "true"
${annotations}spec:
${some(random, POD, 0.1).join("")}  ${list}:
  - name: ${name}
    image: {{${text("image", "second:1")}}}
${onePerKey(fields).join("")}`;
}

/** Every order of every choice of these. */
const ORDERS = orders(["sidecar", "custom", "second"]);

function orders(names: readonly string[]): readonly (readonly string[])[] {
  return names.flatMap((first) => [
    [first],
    ...orders(names.filter((name) => name !== first)).map((rest) => [first, ...rest]),
  ]);
}

/** Custom templates, and a config that uses them. Not every tree of these publishes. */
export function generatedTree(random: Random): SourceTree {
  const isNative = random() < 0.5;
  const isInit = random() < 0.3;
  const volume = random() < 0.6 ? pick(random, VOLUME) : "";
  const fields = some(random, CONTAINER, 0.35).filter((field) => !isInit || !/Probe|lifecycle/.test(field));
  const container = `  - name: ${pick(random, ["agent", "agent", "istio-proxy"])}
    image: {{${text("image", "agent:1")}}}
${onePerKey(fields).join("")}${volume === "" ? "" : MOUNTED}`;
  const metadata = some(random, METADATA, 0.4);
  const template = `${metadata.length === 0 ? "" : `metadata:\n${onePerKey(metadata).join("")}`}spec:
${some(random, POD, 0.25).join("")}  ${isInit ? "initContainers" : "containers"}:
${container}${!isInit && volume !== "" && random() < 0.5 ? EACH : ""}${volume}`;
  const templates = pick(random, [...ORDERS, ["grpc-agent", "custom"]]);
  return {
    config: `nativeSidecars: ${isNative}\ndefaultTemplates: ${JSON.stringify(templates)}\n`,
    "templates/custom": template,
    "templates/second": secondTemplate(random),
  };
}

/** YAML keys may not repeat: the first piece with a key stays. */
function onePerKey(pieces: readonly string[]): readonly string[] {
  const keyOf = (piece: string) => piece.trim().split(":", 1)[0];
  return pieces.filter((piece, at) => pieces.findIndex((other) => keyOf(other) === keyOf(piece)) === at);
}
