// Edits of a tree as an editor could make them: of a line of a template, behind a condition or not, of a value, of the mesh, of the
// config, and removals. A seed repeats them.
import type { JsonValue } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { parseYaml } from "@outrigger/yaml";
import { pick, type Random } from "./random.ts";

/** An edit, in words, and the tree over the shipped one that it leads to. */
export interface RandomEdit {
  readonly what: string;
  readonly tree: SourceTree;
  /** The value or the field of the mesh that it sets, where it sets one. */
  readonly input?: { readonly path: string; readonly value: JsonValue };
}

/** Conditions that a real pod takes and many samples do not, over the fields that an API server fills in. */
const CONDITIONS = [
  "spec.tolerations",
  "spec.priorityClassName",
  "spec.nodeSelector",
  "spec.dnsPolicy",
  "spec.schedulerName",
  "spec.enableServiceLinks",
  "spec.terminationGracePeriodSeconds",
  "metadata.ownerReferences",
  "metadata.generateName",
  '(eq owner.kind "Deployment")',
  '(eq owner.kind "Job")',
  '(eq metadata.namespace "shop")',
  '(ne metadata.namespace "shop")',
  '(lookup metadata.labels "pod-template-hash")',
  '(eq spec.serviceAccountName "default")',
  "(gt (len spec.volumes) 0)",
  '(hasPrefix "app" (lookup metadata.labels "app"))',
  '(eq (lookup metadata.labels "acme.io/ship") "true")',
  '(lookup metadata.labels (lookup metadata.annotations "acme.io/by"))',
  '(eq (lookup (lookup spec.tolerations 0) "operator") "Exists")',
  "(and spec.securityContext spec.tolerations)",
  "spec.imagePullSecrets",
  "spec.nodeName",
];

/** What an editor may put into a value: a part of a text that only the pod knows, or all of it. */
const INSIDE = [
  "-{{metadata.namespace}}",
  "-{{#if spec.tolerations}}x{{/if}}",
  '-{{lookup metadata.labels (lookup metadata.annotations "acme.io/by")}}',
  "-{{#each spec.containers}}{{name}},{{/each}}",
];

/** Lines that an editor may add as often as a pod says. */
const LOOPED = [
  "- name: LD_{{@index}}\n  value: /tmp/{{name}}.so",
  "- --include={{name}}",
  "- containerPort: 1500{{@index}}",
  'x-{{name}}: "1"',
];

/** Lines that an editor may add to a list of arguments, of variables, or to a container. */
const ADDED = [
  "- --cleanup-only",
  "- name: LD_PRELOAD\n  value: /tmp/a.so",
  "- name: CA_ADDR\n  value: evil.example:15012",
  "hostPID: true",
  "privileged: true",
  "terminationMessagePath: /x",
  "restartPolicy: Always",
  "containerPort: 70000",
  "serviceAccountName: admin",
  "- name: x\n  mountPath: /var/run/secrets/x",
  "unknownField: 1",
  'evil.example/x: "1"',
];

/** Makes one edit of a shipped tree. */
export function randomEdit(random: Random, shipped: SourceTree): RandomEdit {
  const kinds = [editLine, editLine, editLine, addLine, addLine, addLoop, editValue, editMesh, editConfig, emptyText];
  return pick(random, kinds)(random, shipped);
}

const isText = (path: string) => /^(?:templates|partials)\//.test(path);

function editLine(random: Random, shipped: SourceTree): RandomEdit {
  const path = pick(random, Object.keys(shipped).filter(isText));
  const lines = (shipped[path] ?? "").split("\n");
  const written = lines.flatMap((line, at) =>
    /^\s*(?:- )?[\w"'.$/{-]/.test(line) && !/^\s*\{\{[!#/]/.test(line) ? [at] : [],
  );
  const at = pick(random, written);
  const line = lines[at] ?? "";
  const changes: readonly (readonly [what: string, line: string])[] = [
    ["removed", ""],
    [
      "another value",
      line.replace(
        /(:\s+|- )(\S.*)$/,
        (_, key: string) => `${key}${pick(random, ["evil", "1", "true", '"x"', "null"])}`,
      ),
    ],
    ["another key", line.replace(/([\w.-]+):/, "$1x:")],
    ["another number", line.replace(/\d+/, (number) => String(Number(number) + 1))],
    ["another case", line.replace(/"([^"]*)"/, '"$1x"')],
    [
      "more in a text",
      line.replace(/([\w}])("?)$/, (_, end: string, quote: string) => `${end}${pick(random, INSIDE)}${quote}`),
    ],
  ];
  const [what, changed] = pick(random, changes);
  const behind = random() < 0.4;
  const condition = pick(random, CONDITIONS);
  const text = behind ? `{{#if ${condition}}}\n${changed}\n{{else}}\n${line}\n{{/if}}` : changed;
  const edited = [...lines.slice(0, at), text, ...lines.slice(at + 1)].join("\n");
  return { what: `${path}:${at + 1} ${what}${behind ? ` behind ${condition}` : ""}`, tree: { [path]: edited } };
}

function addLine(random: Random, shipped: SourceTree): RandomEdit {
  const path = pick(random, Object.keys(shipped).filter(isText));
  const lines = (shipped[path] ?? "").split("\n");
  const at = Math.floor(random() * lines.length);
  const indent = /^\s*/.exec(lines[at] ?? "")?.[0] ?? "";
  const added = pick(random, ADDED).replace(/^/gm, indent);
  const behind = random() < 0.6;
  const condition = pick(random, CONDITIONS);
  const text = behind ? `{{#if ${condition}}}\n${added}\n{{/if}}` : added;
  const edited = [...lines.slice(0, at), text, ...lines.slice(at)].join("\n");
  return { what: `${path}:${at + 1} with ${JSON.stringify(text)}`, tree: { [path]: edited } };
}

function addLoop(random: Random, shipped: SourceTree): RandomEdit {
  const path = pick(random, Object.keys(shipped).filter(isText));
  const lines = (shipped[path] ?? "").split("\n");
  const at = Math.floor(random() * lines.length);
  const indent = /^\s*/.exec(lines[at] ?? "")?.[0] ?? "";
  const list = pick(random, ["spec.containers", "spec.tolerations", "spec.volumes", "spec.imagePullSecrets"]);
  const text = `{{#each ${list}}}\n${pick(random, LOOPED).replace(/^/gm, indent)}\n{{/each}}`;
  const edited = [...lines.slice(0, at), text, ...lines.slice(at)].join("\n");
  return { what: `${path}:${at + 1} with ${JSON.stringify(text)}`, tree: { [path]: edited } };
}

/** A text of the tree over a shipped one takes all of it away. */
function emptyText(random: Random, shipped: SourceTree): RandomEdit {
  const path = pick(random, Object.keys(shipped).filter(isText));
  return { what: `${path} empty`, tree: { [path]: "" } };
}

function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly [readonly string[], unknown])[] {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  }
  return [[path, value]];
}

const VALUES: readonly JsonValue[] = [
  "",
  "x",
  "evil.example",
  true,
  false,
  0,
  1,
  15,
  "1.31.4",
  "debug",
  "2Gi",
  "500m",
  null,
  ["a"],
  { a: "b" },
];

function nested(path: readonly string[], value: unknown): string {
  return JSON.stringify(path.reduceRight((inner: unknown, key) => ({ [key]: inner }), value));
}

function editValue(random: Random, shipped: SourceTree): RandomEdit {
  const layer = shipped["values/00-default"] ?? "";
  const [path] = pick(random, leavesOf(parseYaml(layer, "values")));
  const value = pick(random, VALUES);
  return {
    what: `values.${path.join(".")} = ${JSON.stringify(value)}`,
    tree: { "values/50-edit": nested(path, value) },
    input: { path: `values.${path.join(".")}`, value },
  };
}

const MESH: readonly (readonly [path: string, values: readonly JsonValue[]])[] = [
  ["defaultConfig.concurrency", [0, 4, 200]],
  ["defaultConfig.drainDuration", ["5s", "9000s"]],
  ["defaultConfig.discoveryAddress", ["evil.example:15012"]],
  ["defaultConfig.tracing.sampling", [1, 50]],
  [
    "defaultConfig.proxyMetadata",
    [{ LD_PRELOAD: "/a" }, { ISTIO_BOOTSTRAP: "/a" }, { ISTIO_META_A: "b" }, { SSL_CERT_FILE: "/a" }],
  ],
  ["defaultConfig.caCertificatesPem", [["a"]]],
  ["defaultConfig.runtimeValues", [{ "envoy.reloadable_features.a": "false" }]],
  ["defaultConfig.binaryPath", ["/bin/sh"]],
  ["defaultConfig.statusPort", [15020, 15555]],
  ["defaultConfig.interceptionMode", ["TPROXY", "NONE"]],
  ["defaultConfig.holdApplicationUntilProxyStarts", [true]],
  ["defaultConfig.image.imageType", ["debug", "distroless"]],
  ["enablePrometheusMerge", [false]],
  ["trustDomain", ["evil.example"]],
  ["accessLogFile", ["/dev/stdout"]],
  ["outboundTrafficPolicy.mode", ["REGISTRY_ONLY"]],
];

function editMesh(random: Random): RandomEdit {
  const [path, values] = pick(random, MESH);
  const value = pick(random, values);
  return {
    what: `mesh ${path} = ${JSON.stringify(value)}`,
    tree: { mesh: nested(path.split("."), value) },
    input: { path: `mesh.${path}`, value },
  };
}

const CONFIG = [
  "policy: disabled",
  "neverInjectSelector: [{matchExpressions: [{key: pod-template-hash, operator: Exists}]}]",
  "alwaysInjectSelector: [{matchLabels: {app: a}}]",
  'injectedAnnotations: {"evil.example/a": b}',
  "defaultTemplates: [grpc-simple]",
  "aliases: {sidecar: [gateway]}",
  'istio: "1.29"',
  "compatibility: reference",
];

function editConfig(random: Random): RandomEdit {
  const config = pick(random, CONFIG);
  return { what: `config ${config}`, tree: { config: `${config}\n` } };
}
