// Targets about what operators write: the texts of a source tree, and the values of a release. A bad text is a finding; a
// release that was compiled from it, or whose values are of other types, may answer 500 with a code, never with a bug.

import { isObject, type JsonObject, OutriggerError } from "@outrigger/base";
import type { Release, SourceTree } from "@outrigger/injector";
import { compileRelease, injectPod, lintSource, loadRelease } from "@outrigger/injector";
import { readMeshConfig } from "@outrigger/mesh";
import type { Pod } from "@outrigger/pod";
import { pick, type Random } from "../../test/support/random.ts";
import { below, damaged, damagedText, MARKER } from "./damage.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { podOf } from "./pods.ts";

/** A little of everything that a tree can hold. */
const TREE: SourceTree = {
  config:
    "policy: enabled\ndefaultTemplates: [agent]\naliases: {two: [agent, other]}\ninjectedAnnotations: {from: fuzz}\n",
  mesh: "trustDomain: a.b\ndefaultConfig: {concurrency: 2, proxyMetadata: {A: b}}\n",
  namespaces: "shop: {openshift.io/sa.scc.uid-range: 1000/10}\n",
  proxyconfigs: "kind: ProxyConfig\nmetadata: {name: a, namespace: shop}\nspec: {concurrency: 1}\n",
  schema: '{"type":"object","properties":{"image":{"type":"string"}}}',
  "values/00-default": "image: agent:1\nlist: [a, b]\nnested: {on: true, text: 'x'}\n",
  "templates/agent": [
    "{{! a comment }}",
    "metadata:",
    "  annotations: {seen: '{{values.nested.text}}-{{metadata.name}}'}",
    "spec:",
    "  containers:",
    "  - name: agent",
    "    image: {{values.image}}",
    "    {{#if (eq (annotation metadata 'a' 'b') 'b')}}",
    "    args: [--x, '{{default values.none \"y\"}}']",
    "    {{else}}",
    "    args: {{values.list}}",
    "    {{/if}}",
    "    env:",
    "    {{#each values.list as |item|}}",
    "    - {name: E, value: {{string item}} }",
    "    {{/each}}",
    "    {{> volumes}}",
    "",
  ].join("\n"),
  "templates/other": "spec: {serviceAccountName: {{spec.serviceAccountName}} }\n",
  "partials/volumes": "volumeMounts: [{name: v, mountPath: /v}]\n",
  "samples/plain": "kind: Pod\nmetadata: {name: plain}\nspec: {containers: [{name: web, image: web}]}\n",
};

const treeTokens = [
  "{{", "}}", "{{{", "}}}", "{{#if ", "{{/if}}", "{{else}}", "{{#each ", "{{/each}}", "{{> volumes}}", "{{> agent}}",
  "{{#let 1 as |x|}}", "as |a b|", "values.", "@root", "this", "../../test/", "(", ")", "|", "~", "&a ", "*a", "<<: *a", "!!str ",
  "!!binary ", "? ", ": ", "- ", "\n", "\n  ", "\t", "---\n", "%YAML 1.1\n", "'", '"', "#", ">-\n", "|\n", "[", "]", "{",
  "}", "null", "~", "1e999", "0x", "__proto__: 1\n", "constructor", "$patch: delete", "\u0000", "\ufeff", "\u2028",
  MARKER, "é", "\ud800", "[".repeat(3000), "{{#if a}}".repeat(200),
]; // biome-ignore format: a table

const PODS: readonly Pod[] = [
  { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } },
  {
    metadata: { generateName: "web-", annotations: { a: "c", "inject.istio.io/templates": "two" } },
    spec: { serviceAccountName: "x", initContainers: [{ name: "i", image: "i" }], containers: [] },
  },
];

export function releaseTargets(shipped: Release): readonly FuzzTarget[] {
  return [
    {
      name: "templates",
      share: 0.5,
      make: (random) => {
        const path = pick(random, Object.keys(TREE));
        const { [path]: text = "", ...others } = TREE;
        return { ...others, [path]: damagedText(text, random, treeTokens) };
      },
      faultOf: async (input) => faultOfTree(input as SourceTree),
    },
    {
      name: "values",
      share: 0.5,
      make: (random) => {
        const values = damagedOften(shipped.values, random) as JsonObject;
        const mesh = random() < 0.3 ? damagedOften(shipped.meshConfig, random) : shipped.meshConfig;
        return { values, mesh, pod: podOf(random) };
      },
      faultOf: async (input) => {
        const { values, mesh, pod } = input as { values: JsonObject; mesh: unknown; pod: Pod };
        const meshConfig = isObject(values) ? meshConfigOf(mesh) : undefined;
        return meshConfig === undefined ? undefined : faultOfRelease({ ...shipped, values, meshConfig }, [pod]);
      },
    },
  ];
}

/** Reads a mesh configuration, or returns undefined if it is found to be wrong. */
function meshConfigOf(mesh: unknown): Release["meshConfig"] | undefined {
  try {
    return readMeshConfig([JSON.stringify(mesh)], "mesh").meshConfig;
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

/** One to five nodes: the more, the further it comes from what a schema could have said. */
function damagedOften(value: unknown, random: Random): unknown {
  let changed = value;
  for (let changes = 1 + below(random, 5); changes > 0; changes--) changed = damaged(changed, random);
  return changed;
}

function faultOfTree(tree: SourceTree): string | undefined {
  const { findings, release } = lintSource([tree]);
  const nameless = findings.find(({ path, message }) => path === "" || message === "");
  if (nameless !== undefined) return `a finding has no place or no message: ${JSON.stringify(nameless)}`;
  // What Parameter Store refuses compiles.
  const isOfCompiling = ({ severity, message }: (typeof findings)[number]) =>
    severity === "error" && !message.startsWith("Cannot store ");
  const errors = findings.filter(isOfCompiling);
  if ((release === undefined) !== errors.length > 0)
    return `${errors.length} errors, and a release or none against them`;
  if (release === undefined) return faultOfCompiling(tree);
  return faultOfRelease(JSON.parse(JSON.stringify(release)), PODS);
}

/** Returns a fault unless compiling rejects what lint rejects. */
function faultOfCompiling(tree: SourceTree): string | undefined {
  try {
    compileRelease([tree]);
    return "it compiles, and lint says that it does not";
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

function faultOfRelease(release: Release, pods: readonly Pod[]): string | undefined {
  try {
    const injector = loadRelease(release);
    for (const pod of pods) injectPod(injector, { pod, namespace: "shop", parameters: {} });
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
  }
  return undefined;
}
