// Holds what provenance says of a line against what changes with it: changes the scalars of lines of templates, injects pods
// again, and compares the nodes that change with those that the lines are credited with.
import { isObject, type JsonObject, type JsonValue, OutriggerError } from "@outrigger/base";
import type { InjectRequest, SourceTree } from "@outrigger/injector";
import { injectPod, lintSource, loadRelease, traceInjection } from "@outrigger/injector";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";

type TracedInjector = Parameters<typeof traceInjection>[0];
type Origins = NonNullable<ReturnType<typeof traceInjection>>["origins"];

/** Layers of trees, the lowest first. */
export type Layers = readonly SourceTree[];

export interface TracedPod {
  readonly request: InjectRequest;
  readonly pod: JsonObject;
  /** The leaves of the pod, by paths that name the items of merged lists. */
  readonly leaves: Leaves;
}

type Leaves = ReadonlyMap<string, Leaf>;

interface Leaf {
  readonly value: JsonValue;
  /** `partials/a:12`; empty if no template wrote it. */
  readonly place: string;
}

/** A line with another scalar. */
export interface LineChange {
  readonly path: string;
  readonly line: number;
  /** The text that replaces the old one. */
  readonly text: string;
  /** The text that the line now begins with. */
  readonly prefix: string;
}

export interface Checked {
  /** `partials/a:12`, of lines of which every node was seen to change, and no node of another line. */
  readonly lines: readonly string[];
  /** The nodes that changed. */
  readonly nodes: number;
  /** The statements of provenance that are wrong. */
  readonly faults: readonly string[];
}

/** The pods that the layers inject, with what lines are credited with. */
export function tracedPods(layers: Layers, requests: readonly InjectRequest[]): readonly TracedPod[] {
  const traced = tracedOf(layers);
  if (traced === undefined) return [];
  return requests.flatMap((request) => {
    const pod = injected(traced, request);
    const origins = pod && traceInjection(traced, request)?.origins;
    if (pod === undefined || origins === undefined) return [];
    return [{ request, pod, leaves: leavesOf(pod, origins) }];
  });
}

/** `partials/a:12` of every line that is credited with a scalar. */
export function creditedLines(pods: readonly TracedPod[]): ReadonlySet<string> {
  return new Set(
    pods.flatMap(({ leaves }) => [...leaves.values()].map(({ place }) => place)).filter((at) => at !== ""),
  );
}

/**
 * Changes lines together. Lines whose change makes an invalid tree or pod, or one with other nodes, are tried apart, and left
 * out on their own.
 */
export function checkChanges(changes: readonly LineChange[], layers: Layers, pods: readonly TracedPod[]): Checked {
  if (changes.length === 0) return { lines: [], nodes: 0, faults: [] };
  const results = resultsOf(edited(layers, changes), pods);
  if (results !== undefined) return compare(changes, pods, results);
  if (changes.length === 1) return { lines: [], nodes: 0, faults: [] };
  const middle = changes.length >> 1;
  const halves = [changes.slice(0, middle), changes.slice(middle)].map((half) => checkChanges(half, layers, pods));
  return {
    lines: halves.flatMap(({ lines }) => lines),
    nodes: halves.reduce((sum, { nodes }) => sum + nodes, 0),
    faults: halves.flatMap(({ faults }) => faults),
  };
}

function compare(changes: readonly LineChange[], pods: readonly TracedPod[], results: readonly Leaves[]): Checked {
  const prefixes = new Map(changes.map(({ path, line, prefix }) => [`${path}:${line}`, prefix]));
  const faults: string[] = [];
  const seen = new Set<string>();
  let nodes = 0;
  for (const [at, pod] of pods.entries()) {
    const after = results[at] as Leaves;
    for (const [path, { value, place }] of pod.leaves) {
      const now = after.get(path)?.value;
      const isChanged = now !== value;
      const isOurs = prefixes.has(place);
      if (isChanged && !isOurs) faults.push(`${path} changes, and is credited to ${place || "no line"}`);
      if (!isChanged && isOurs) faults.push(`${path} does not change with ${place}`);
      if (!isChanged || !isOurs) continue;
      // A text begins with what its line was given.
      const prefix = prefixes.get(place);
      const isText = typeof now === "string" && !/^(?:\d*|true|false)$/.test(now);
      if (isText && prefix !== undefined && !now.includes(prefix)) {
        faults.push(`${path} changes to ${now}, without ${prefix} of ${place}`);
      }
      nodes += 1;
      seen.add(place);
    }
  }
  return { lines: [...seen], nodes, faults };
}

/** The injected pods' leaves; undefined if the tree does not compile, or one of the pods cannot be injected any more. */
function resultsOf(layers: Layers, pods: readonly TracedPod[]): readonly Leaves[] | undefined {
  const traced = tracedOf(layers);
  if (traced === undefined) return undefined;
  const results: Leaves[] = [];
  for (const before of pods) {
    const pod = injected(traced, before.request);
    const leaves = pod && leavesOf(pod, undefined);
    // Another name makes another item, and a text after a tag without a value makes an entry.
    if (leaves === undefined || pathsOf(leaves) !== pathsOf(before.leaves)) return undefined;
    results.push(leaves);
  }
  return results;
}

/** Sorted: an injection may order containers by what a template says. */
function pathsOf(leaves: Leaves): string {
  return [...leaves.keys()].sort().join();
}

function tracedOf(layers: Layers): TracedInjector | undefined {
  const bare = layers.map((tree) =>
    Object.fromEntries(Object.entries(tree).filter(([path]) => !path.startsWith("samples/"))),
  );
  const { release } = lintSource(bare);
  return release && { injector: loadRelease(release), compiled: release.templates };
}

/** Returns the injected pod, or undefined for a pod that cannot be injected. */
function injected({ injector }: TracedInjector, request: InjectRequest): JsonObject | undefined {
  try {
    const result = injectPod(injector, request);
    return result.injected ? (result.pod as JsonObject) : undefined;
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

function leavesOf(pod: JsonObject, origins: Origins | undefined): Leaves {
  const leaves = new Map<string, Leaf>();
  collect(pod, origins, POD_TYPE, "", leaves);
  return leaves;
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
    const place = own?.kind === "template" ? `${own.path}:${own.line}` : "";
    leaves.set(path, { value, place });
  }
}

/** The layers with each text changed in the last layer that has it, which is the one that counts. */
function edited(layers: Layers, changes: readonly LineChange[]): Layers {
  return layers.map((tree, index) => {
    const here = changes.filter(
      ({ path }) => Object.hasOwn(tree, path) && !layers.slice(index + 1).some((other) => Object.hasOwn(other, path)),
    );
    const texts = here.map(({ path }): [string, string] => {
      const lines = (tree[path] as string).split("\n");
      const mine = here.filter((change) => change.path === path);
      return [path, lines.map((each, at) => mine.find(({ line }) => line === at + 1)?.text ?? each).join("\n")];
    });
    return { ...tree, ...Object.fromEntries(texts) };
  });
}

/** One change for each line of the templates and partials that holds a scalar. */
export function lineChanges(layers: Layers): readonly LineChange[] {
  return Object.entries(textsOf(layers)).flatMap(([path, text]) =>
    /^(templates|partials)\//.test(path) ? changesOf(path, text) : [],
  );
}

function textsOf(layers: Layers): SourceTree {
  return Object.assign({}, ...layers);
}

/** A key or the beginning of an item, and what it holds. */
const ENTRY = /^(\s*(?:- )*(?:[\w./"-]+: +)?)(.*\S)\s*$/;

function changesOf(path: string, text: string): readonly LineChange[] {
  return text.split("\n").flatMap((each, index) => {
    const [, head = "", scalar = ""] = ENTRY.exec(each) ?? [];
    const prefix = `x${index + 1}`;
    const changed = changedScalar(scalar, head, prefix);
    return changed === undefined ? [] : [{ path, line: index + 1, text: head + changed, prefix }];
  });
}

function changedScalar(scalar: string, head: string, prefix: string): string | undefined {
  const withoutBlocks = scalar.replaceAll(/\{\{#[^}]*\}\}.*?\{\{\/\w+\}\}/g, "");
  if (/^$|\{\{~?[#/>!]|\{\{~?\s*else/.test(withoutBlocks)) return undefined;
  if (/^[|>&*#[]|^\{(?!\{)|:$|: /.test(scalar)) return undefined;
  if (head.trim() === "" && !scalar.startsWith("{{")) return undefined;
  if (scalar === "true") return "false";
  if (scalar === "false") return "true";
  if (/^\d+$/.test(scalar)) return String(Number(scalar) + 1);
  return /^".*"$/.test(scalar) ? `"${prefix}${scalar.slice(1)}` : prefix + scalar;
}
