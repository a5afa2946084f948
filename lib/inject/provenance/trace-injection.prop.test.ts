import { expect, test } from "vitest";
import { podGenerator } from "../../../test/support/generated-pods.ts";
import { generatedTree } from "../../../test/support/generated-trees.ts";
import { pick, randomOf } from "../../../test/support/random.ts";
import { OutriggerError } from "../../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../json.ts";
import { POD_TYPE, type TypeSchema } from "../../kube/schema.ts";
import { lintTree } from "../../release/lint-tree.ts";
import { loadRelease } from "../../release/load-release.ts";
import { samplePods } from "../../release/sample-pods.ts";
import type { SourceTree } from "../../release/source-tree.ts";
import { treePath } from "../../release/tree-finding.ts";
import { readSourceTree } from "../../source/source-directory.ts";
import { injectPod } from "../inject-pod.ts";
import type { InjectRequest } from "../injector.ts";
import type { Origins } from "./origin.ts";
import { type TracedInjector, traceInjection } from "./trace-injection.ts";

/** Groups of lines that are changed together, and trees that they are changed in. */
const groups = Number(process.env["OUTRIGGER_PROVENANCE_GROUPS"] ?? 2);
const trees = Number(process.env["OUTRIGGER_PROVENANCE_TREES"] ?? 1);
const LINES_OF_GROUP = 20;

const shipped = await readSourceTree("templates");
const aPod = podGenerator();

test("traceInjection() credits each line of a template with exactly the nodes that change with the line's scalar", () => {
  let nodes = 0;
  for (let seed = 1; seed <= trees; seed++) {
    const random = randomOf(seed);
    const tree = { ...shipped, ...generatedTree(random), "samples/generated": JSON.stringify(aPod(random)) };
    const traced = tracedPods(tree);
    const credited = new Set(traced.flatMap(({ leaves }) => [...leaves.values()].map(({ place }) => place)));
    const changes = Object.entries(tree).flatMap(([path, text]) =>
      /^(templates|partials)\//.test(path) ? changesOf(path, text) : [],
    );
    const writing = changes.filter(({ path, line }) => credited.has(`${path}:${line}`));
    const others = changes.filter((change) => !writing.includes(change));
    for (let group = 0; group < groups; group++) {
      const from = group % 2 === 0 ? writing : others;
      const chosen = new Set(Array.from({ length: LINES_OF_GROUP }, () => pick(random, from)));
      nodes += changedNodes([...chosen], tree, traced);
    }
  }
  expect(nodes).toBeGreaterThan(0);
});

/** The pods that the tree injects, with what its lines are credited with. */
function tracedPods(tree: SourceTree): readonly TracedPod[] {
  const traced = tracedOf(tree);
  if (traced === undefined) return [];
  return samplePods([tree]).flatMap(({ request: { pod } }) => {
    const request = { pod, namespace: "default", parameters: {}, isTrial: true };
    const leaves = leavesOf(traced, request, () => traceInjection(traced, request));
    return leaves === undefined ? [] : [{ request, leaves }];
  });
}

interface TracedPod {
  readonly request: InjectRequest;
  readonly leaves: ReadonlyMap<string, Leaf>;
}

/**
 * The number of nodes that change, which are those that the lines are credited with. Lines whose change makes an invalid
 * tree or pod, or one with other nodes, are tried apart, and left out on their own.
 */
function changedNodes(changes: readonly Change[], tree: SourceTree, pods: readonly TracedPod[]): number {
  if (changes.length === 0) return 0;
  const results = resultsOf(edited(tree, changes), pods);
  if (results === undefined) {
    if (changes.length === 1) return 0;
    const middle = changes.length >> 1;
    return changedNodes(changes.slice(0, middle), tree, pods) + changedNodes(changes.slice(middle), tree, pods);
  }
  const prefixes = new Map(changes.map(({ path, line, prefix }) => [`${path}:${line}`, prefix]));
  let nodes = 0;
  for (const [at, { leaves }] of pods.entries()) {
    const after = results[at] as ReadonlyMap<string, Leaf>;
    const changed = [...leaves.keys()].filter((path) => leaves.get(path)?.value !== after.get(path)?.value);
    const credited = [...leaves].flatMap(([path, { place }]) => (prefixes.has(place) ? [path] : []));
    expect(changed.sort(), [...prefixes.keys()].join(" ")).toStrictEqual(credited.sort());
    // A text begins with what its line was given.
    for (const path of changed) {
      const value = after.get(path)?.value;
      const prefix = prefixes.get(leaves.get(path)?.place ?? "") as string;
      if (typeof value === "string" && !/^(?:\d*|true|false)$/.test(value)) expect(value, path).toContain(prefix);
    }
    nodes += changed.length;
  }
  return nodes;
}

/** The injected pods' leaves; undefined if the tree does not compile, or one of the pods cannot be injected any more. */
function resultsOf(tree: SourceTree, pods: readonly TracedPod[]): readonly ReadonlyMap<string, Leaf>[] | undefined {
  const traced = tracedOf(tree);
  if (traced === undefined) return undefined;
  const results = pods.map(({ request, leaves }) => {
    const after = leavesOf(traced, request, () => undefined);
    // Another name makes another item, and a text after a tag without a value makes an entry.
    return after !== undefined && pathsOf(leaves) === pathsOf(after) ? after : undefined;
  });
  return results.includes(undefined) ? undefined : (results as readonly ReadonlyMap<string, Leaf>[]);
}

/** Sorted: an injection may order containers by what a template says. */
function pathsOf(leaves: ReadonlyMap<string, Leaf>): string {
  return [...leaves.keys()].sort().join();
}

function tracedOf(tree: SourceTree): TracedInjector | undefined {
  const bare = Object.fromEntries(Object.entries(tree).filter(([path]) => !path.startsWith("samples/")));
  const { release } = lintTree([bare]);
  return release && { injector: loadRelease(release), compiled: release.templates };
}

interface Leaf {
  readonly value: JsonValue;
  readonly place: string;
}

/** Undefined for a pod that cannot be injected. */
function leavesOf(
  { injector }: TracedInjector,
  request: InjectRequest,
  trace: () => Origins | undefined,
): ReadonlyMap<string, Leaf> | undefined {
  try {
    const result = injectPod(injector, request);
    if (!result.injected) return undefined;
    const leaves = new Map<string, Leaf>();
    collect(result.pod as JsonObject, trace(), POD_TYPE, "", leaves);
    return leaves;
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

/** The scalars below a node, by a path that names the items of merged lists. */
function collect(
  value: JsonValue,
  origins: Origins | undefined,
  type: TypeSchema | undefined,
  path: string,
  leaves: Map<string, Leaf>,
  mergeKey?: string,
): void {
  if (Array.isArray(value)) {
    const names = value.map((item, index) => (mergeKey !== undefined && isObject(item) ? item[mergeKey] : index));
    for (const [index, item] of value.entries()) {
      const count = names.slice(0, index).filter((name) => name === names[index]).length;
      const at = `${path}[${names[index]}${"'".repeat(count)}]`;
      collect(item as JsonValue, origins?.children.get(index), type?.element, at, leaves);
    }
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      const field = type?.fields.get(key);
      const innerType = field?.type ?? type?.element;
      const merged = field?.isMerged ? field.mergeKey : undefined;
      if (inner !== undefined) collect(inner, origins?.children.get(key), innerType, `${path}.${key}`, leaves, merged);
    }
  } else {
    const own = origins?.own;
    const place = own?.kind === "template" ? `${treePath(own.place.source)}:${own.place.line}` : "";
    leaves.set(path, { value, place });
  }
}

interface Change {
  readonly path: string;
  readonly line: number;
  /** The line's new text. */
  readonly text: string;
  /** What its text now begins with. */
  readonly prefix: string;
}

function edited(tree: SourceTree, changes: readonly Change[]): SourceTree {
  const texts = changes.map(({ path }): [string, string] => {
    const lines = (tree[path] as string).split("\n");
    const mine = changes.filter((change) => change.path === path);
    return [path, lines.map((each, at) => mine.find(({ line }) => line === at + 1)?.text ?? each).join("\n")];
  });
  return { ...tree, ...Object.fromEntries(texts) };
}

/** One change for each line that holds a scalar. */
function changesOf(path: string, text: string): readonly Change[] {
  return text.split("\n").flatMap((each, index) => {
    const [, head = "", scalar = ""] = /^(\s*(?:- )*(?:[\w./"-]+: +)?)(.*\S)\s*$/.exec(each) ?? [];
    const prefix = `x${index + 1}`;
    const changed = changedScalar(scalar, head, prefix);
    return changed === undefined ? [] : [{ path, line: index + 1, text: head + changed, prefix }];
  });
}

function changedScalar(scalar: string, head: string, prefix: string): string | undefined {
  if (/^$|\{\{~?[#/>!]|\{\{~?\s*else|[[\]]|^[|>&*#]|^\{(?!\{)|:$|: /.test(scalar)) return undefined;
  if (head.trim() === "" && !scalar.startsWith("{{")) return undefined;
  if (scalar === "true") return "false";
  if (scalar === "false") return "true";
  if (/^\d+$/.test(scalar)) return String(Number(scalar) + 1);
  return /^".*"$/.test(scalar) ? `"${prefix}${scalar.slice(1)}` : prefix + scalar;
}
