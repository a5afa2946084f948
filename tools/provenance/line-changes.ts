// Holds what provenance says of a line against what changes with it: changes the scalars of lines of templates, injects pods
// again, and compares the nodes that change with those that the lines are credited with.
import { isObject, type JsonObject, type JsonValue, OutriggerError } from "@outrigger/base";
import type { InjectRequest, SourceTree } from "@outrigger/injector";
import { injectPod, lintTree, loadRelease, traceInjection } from "@outrigger/injector";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";

type TracedInjector = Parameters<typeof traceInjection>[0];
type Origins = NonNullable<ReturnType<typeof traceInjection>>["origins"];

/** Layers of trees, the lowest first. */
export type Layers = readonly SourceTree[];

export interface TracedPod {
  readonly request: InjectRequest;
  readonly pod: JsonObject;
  /** By paths that name the items of merged lists. */
  readonly leaves: Leaves;
  /** By paths that count the items of all lists. */
  readonly counted: Leaves;
}

type Leaves = ReadonlyMap<string, Leaf>;

interface Leaf {
  readonly value: JsonValue;
  /** `partials/a:12`; empty if no template wrote it. */
  readonly place: string;
  /** Whether a step of the injection wrote it, which may follow from what a line says: the record has all names. */
  readonly isStep: boolean;
}

/** A line with another scalar. */
export interface LineChange {
  readonly path: string;
  readonly line: number;
  /** The line's new text, in place of the old one; of the line after it, for the header of a block. */
  readonly text: string;
  readonly isBlock?: true;
  /** What its text now begins with; undefined where it is another value. */
  readonly prefix: string | undefined;
}

export interface Checked {
  /** `partials/a:12`, of lines of which every node was seen to change, and no node of another line. */
  readonly lines: readonly string[];
  /** The nodes that changed. */
  readonly nodes: number;
  /** What provenance says wrongly. */
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
    return [{ request, pod, leaves: leavesOf(pod, origins, "name"), counted: leavesOf(pod, origins, "count") }];
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
  const results = resultsOf(edited(layers, changes), pods, "name");
  if (results !== undefined) return compare(changes, pods, results, "name");
  if (changes.length === 1) return { lines: [], nodes: 0, faults: [] };
  const middle = changes.length >> 1;
  const halves = [changes.slice(0, middle), changes.slice(middle)].map((half) => checkChanges(half, layers, pods));
  return {
    lines: halves.flatMap(({ lines }) => lines),
    nodes: halves.reduce((sum, { nodes }) => sum + nodes, 0),
    faults: halves.flatMap(({ faults }) => faults),
  };
}

/**
 * Changes one line that cannot be changed with any others, in each way that there is: items of lists are counted then, because
 * the change may be of their name.
 */
export function checkAlone(
  ways: readonly (readonly LineChange[])[],
  layers: Layers,
  pods: readonly TracedPod[],
): Checked {
  let best: Checked = { lines: [], nodes: 0, faults: [] };
  for (const changes of ways) {
    const results = resultsOf(edited(layers, changes), pods, "count");
    if (results === undefined) continue;
    const checked = compare(changes, pods, results, "count");
    if (checked.lines.length > 0 && checked.faults.length === 0) return checked;
    best = checked;
  }
  return best;
}

function compare(
  changes: readonly LineChange[],
  pods: readonly TracedPod[],
  results: readonly Leaves[],
  mode: Mode,
): Checked {
  const prefixes = new Map(changes.map(({ path, line, prefix }) => [`${path}:${line}`, prefix]));
  const faults: string[] = [];
  const seen = new Set<string>();
  let nodes = 0;
  for (const [at, pod] of pods.entries()) {
    const after = results[at] as Leaves;
    for (const [path, { value, place, isStep }] of pod[LEAVES[mode]]) {
      const now = after.get(path)?.value;
      const isChanged = now !== value;
      const isOurs = prefixes.has(place);
      if (isChanged && !isOurs && !(isStep && mode === "count"))
        faults.push(`${path} changes, and is credited to ${place || "no line"}`);
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

type Mode = "name" | "count";

const LEAVES = { name: "leaves", count: "counted" } as const;

/** The injected pods' leaves; undefined if the tree does not compile, or one of the pods cannot be injected any more. */
function resultsOf(layers: Layers, pods: readonly TracedPod[], mode: Mode): readonly Leaves[] | undefined {
  const traced = tracedOf(layers);
  if (traced === undefined) return undefined;
  const results: Leaves[] = [];
  for (const before of pods) {
    const pod = injected(traced, before.request);
    const leaves = pod && leavesOf(pod, undefined, mode);
    // Another name makes another item, and a text after a tag without a value makes an entry.
    if (leaves === undefined || pathsOf(leaves) !== pathsOf(before[LEAVES[mode]])) return undefined;
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
  const { release } = lintTree(bare);
  return release && { injector: loadRelease(release), compiled: release.templates };
}

/** Undefined for a pod that cannot be injected. */
function injected({ injector }: TracedInjector, request: InjectRequest): JsonObject | undefined {
  try {
    const result = injectPod(injector, request);
    return result.injected ? (result.pod as JsonObject) : undefined;
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

function leavesOf(pod: JsonObject, origins: Origins | undefined, mode: Mode): Leaves {
  const leaves = new Map<string, Leaf>();
  collect(pod, origins, mode === "name" ? POD_TYPE : undefined, "", leaves);
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
    leaves.set(path, { value, place, isStep: own?.kind === "step" });
  }
}

/** Each text is changed in the last layer that has it: the one that counts. */
function edited(layers: Layers, changes: readonly LineChange[]): Layers {
  return layers.map((tree, index) => {
    const here = changes.filter(
      ({ path }) => Object.hasOwn(tree, path) && !layers.slice(index + 1).some((other) => Object.hasOwn(other, path)),
    );
    const texts = here.map(({ path }): [string, string] => {
      const lines = (tree[path] as string).split("\n");
      const mine = here.filter((change) => change.path === path);
      return [path, lines.map((each, at) => mine.find((one) => editedLine(one) === at + 1)?.text ?? each).join("\n")];
    });
    return { ...tree, ...Object.fromEntries(texts) };
  });
}

function editedLine({ line, isBlock }: LineChange): number {
  return isBlock ? line + 1 : line;
}

/** One change for each line of the templates and partials that holds a scalar. */
export function lineChanges(layers: Layers): readonly LineChange[] {
  return Object.entries(textsOf(layers)).flatMap(([path, text]) =>
    /^(templates|partials)\//.test(path) ? changesOf(path, text) : [],
  );
}

export function textsOf(layers: Layers): SourceTree {
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

/**
 * Further ways to change a line: another value than the one that it gives to the pods; the first line of a block; a name
 * together with all lines that have it.
 */
export function otherChanges(
  place: string,
  layers: Layers,
  pods: readonly TracedPod[],
): readonly (readonly LineChange[])[] {
  const at = place.lastIndexOf(":");
  const [path, line] = [place.slice(0, at), Number(place.slice(at + 1))];
  const text = textsOf(layers)[path] ?? "";
  const lines = text.split("\n");
  const [, head = "", scalar = ""] = ENTRY.exec(lines[line - 1] ?? "") ?? [];
  if (head.trim() === "" && !scalar.startsWith("{{")) return [];
  const [, indent = "", first = ""] = /^(\s*)(.*)$/.exec(lines[line] ?? "") ?? [];
  if (/^[|>]/.test(scalar)) {
    return [[{ path, line, isBlock: true, text: `${indent}x${line}${first}`, prefix: `x${line}` }]];
  }
  const values = new Set(pods.flatMap((pod) => valuesOf(place, pod)).map((value) => JSON.stringify(value)));
  const [value] = [...values].map((one): JsonValue => JSON.parse(one));
  const literals = values.size === 1 && value !== undefined ? [value, ...onlyEntries(value)].map(otherValue) : [];
  return [
    changesOf(path, text).filter((change) => change.line === line),
    ...literals.map((literal) => [{ path, line, text: head + JSON.stringify(literal), prefix: undefined }]),
    renamed(scalar, layers),
  ].filter((way) => way.length > 0);
}

/** The value of a map's only entry, and so on inwards: the line may have written the key above it or not. */
function onlyEntries(value: JsonValue): readonly JsonValue[] {
  if (!isObject(value)) return [];
  const [inner, ...others] = Object.values(value);
  return inner === undefined || others.length > 0 ? [] : [inner, ...onlyEntries(inner)];
}

/** All lines that hold a name, with another one. */
function renamed(name: string, layers: Layers): readonly LineChange[] {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) return [];
  return Object.entries(textsOf(layers)).flatMap(([path, text]) =>
    /^(templates|partials)\//.test(path)
      ? text.split("\n").flatMap((each, index) => {
          const [, head = "", scalar = ""] = ENTRY.exec(each) ?? [];
          return scalar === name ? [{ path, line: index + 1, text: `${head}x-${name}`, prefix: `x-${name}` }] : [];
        })
      : [],
  );
}

/** What a line gives to a pod: the scalars, maps and lists that it writes alone. */
function valuesOf(place: string, { pod, counted }: TracedPod): readonly JsonValue[] {
  const paths = [...counted].filter(([, leaf]) => leaf.place === place).map(([path]) => path);
  const others = [...counted].filter(([, leaf]) => leaf.place !== place).map(([path]) => path);
  const found: JsonValue[] = [];
  const walk = (value: JsonValue, path: string): void => {
    const isWithin = (leaf: string) => leaf === path || leaf.startsWith(`${path}.`) || leaf.startsWith(`${path}[`);
    if (!paths.some(isWithin)) return;
    if (!others.some(isWithin)) found.push(value);
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, `${path}[${index}]`);
    else if (isObject(value))
      for (const [key, inner] of Object.entries(value)) walk(inner as JsonValue, `${path}.${key}`);
  };
  for (const [key, inner] of Object.entries(pod)) walk(inner as JsonValue, `.${key}`);
  return found;
}

/** Of the same type and form, with no scalar that is the same. */
function otherValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(otherValue);
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, otherValue(inner as JsonValue)]));
  }
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value !== "string") return value;
  return /^\d/.test(value) ? `1${value}` : `x${value}`;
}
