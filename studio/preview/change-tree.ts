// What two pods differ in, as a tree of their fields: list items are matched by their names, so that a container that was added
// does not look like a change of the next one.

import { lineIndex, memoize } from "@outrigger/base";
import { alignItems } from "@outrigger/pod";
import { type LocatedNode, readYamlTree } from "@outrigger/yaml";

/** `within`: something below it differs. */
export type Change = "added" | "removed" | "changed" | "kept" | "within";

export interface ChangeNode {
  /** Names the node in its tree: `spec/initContainers/istio-proxy/image`. */
  readonly id: string;
  /** A key, or the name of an item; empty for an item without one. */
  readonly label: string;
  readonly isItem: boolean;
  readonly change: Change;
  /** The value of the field on one line; for a field with children, the beginning of its value. */
  readonly text: string;
  /** The value before, of one that changed. */
  readonly before?: string;
  /** 1-based, in the text after; undefined for what was removed. */
  readonly line: number | undefined;
  readonly children: readonly ChangeNode[];
}

/**
 * The tree of the top-level fields, those first that hold the containers. What is as in the tree before is the same object.
 *
 * @param of what one text is compared with after the other: each has a tree before of its own
 */
export function changeTree(before: string, after: string, of: "pod" | "edits" = "pod"): readonly ChangeNode[] {
  const place = lineIndex(after);
  const texts = { after, lineOf: (offset: number) => place(offset).line };
  const tree = compareChildren(treeOf(before), treeOf(after), "", texts, last[of]);
  last[of] = tree;
  const rank = (id: string) => (id === "spec" ? 0 : 1);
  return tree.toSorted((a, b) => rank(a.id) - rank(b.id)).map((node) => (node.id === "spec" ? initFirst(node) : node));
}

/** The fields of the trees before. */
const last: Record<"pod" | "edits", readonly ChangeNode[]> = { pod: [], edits: [] };

/** A key changes the pod after, which is compared twice, and not the ones before. */
const treeOf = memoize((text) => readYamlTree(text), {
  longest: 1_000_000,
  // A pod's nodes take about 60; to count them would take longer than to read the pod.
  bytesOf: (_, text) => 200 * text.length,
});

/** Kubernetes starts init containers first, and a native sidecar is one of them. */
function initFirst(spec: ChangeNode): ChangeNode {
  const rank = ({ label }: ChangeNode) => (label === "initContainers" ? 0 : label === "containers" ? 1 : 2);
  return { ...spec, children: spec.children.toSorted((a, b) => rank(a) - rank(b)) };
}

interface Texts {
  readonly after: string;
  readonly lineOf: (offset: number) => number;
}

interface Keyed {
  readonly label: string;
  readonly key: string;
  readonly node: LocatedNode;
  readonly offset: number;
}

/** @param made of the tree before */
function compareChildren(
  before: LocatedNode | undefined,
  after: LocatedNode | undefined,
  path: string,
  texts: Texts,
  made: readonly ChangeNode[],
): readonly ChangeNode[] {
  if ((before?.children.length ?? 0) + (after?.children.length ?? 0) === 0) return [];
  const isItem = (after ?? before)?.source?.kind === "sequence";
  const [old, now] = [keyed(before), keyed(after)];
  const sources = alignItems(old, now, ({ key }) => key);
  const kept = new Set(sources.values());
  const compared = now.map(({ key, label, node, offset }, at) => {
    const written = texts.after.slice(offset, node.source?.end);
    const about = { id: join(path, key), label, isItem, line: texts.lineOf(offset), written };
    return compareNodes(old[sources.get(at) ?? -1]?.node, node, about, texts, withId(made, about.id, at));
  });
  const gone = old
    .filter((_, at) => !kept.has(at))
    .map(({ key, label, node }, at) => {
      const about = { id: join(path, `${key}-`), label, isItem, line: undefined, written: undefined };
      return compareNodes(node, undefined, about, texts, withId(made, about.id, now.length + at));
    });
  return [...compared, ...gone];
}

/** @param at where it is looked for first */
function withId(nodes: readonly ChangeNode[], id: string, at: number): ChangeNode | undefined {
  return nodes[at]?.id === id ? nodes[at] : nodes.find((node) => node.id === id);
}

interface About extends Pick<ChangeNode, "id" | "label" | "isItem" | "line"> {
  /** The text of the field, from its key on. */
  readonly written: string | undefined;
}

function compareNodes(
  before: LocatedNode | undefined,
  after: LocatedNode | undefined,
  about: About,
  texts: Texts,
  made: ChangeNode | undefined,
): ChangeNode {
  const { written, ...named } = about;
  const origin = made && ORIGINS.get(made);
  if (made !== undefined && origin?.before === before && origin?.written === written && isNamed(made, about)) {
    if (after !== undefined && origin !== undefined) flowTexts.set(after, origin.flow);
    return made;
  }
  const node = { ...named, ...difference(before, after, about.id, texts, made?.children ?? []) };
  ORIGINS.set(node, { before, written, flow: flowText(after) });
  return node;
}

/** What a node was made of. */
const ORIGINS = new WeakMap<
  ChangeNode,
  Pick<About, "written"> & { readonly before: LocatedNode | undefined; readonly flow: string }
>();

function isNamed(made: ChangeNode, { label, isItem, line }: About): boolean {
  return made.label === label && made.isItem === isItem && made.line === line;
}

function difference(
  before: LocatedNode | undefined,
  after: LocatedNode | undefined,
  id: string,
  texts: Texts,
  made: readonly ChangeNode[],
): Pick<ChangeNode, "change" | "text" | "before" | "children"> {
  if (before !== undefined && after !== undefined && before.source?.kind !== after.source?.kind) {
    return { change: "changed", text: flowText(after), before: flowText(before), children: [] };
  }
  // Before its own text, of which theirs are parts.
  const children = compareChildren(before, after, id, texts, made);
  const text = flowText(after ?? before);
  const said = { text: children.length === 0 ? text : summary(text), children };
  if (before === undefined) return { ...said, change: "added" };
  if (after === undefined) return { ...said, change: "removed" };
  const old = flowText(before);
  if (old === text) return { ...said, change: "kept" };
  return children.length === 0 ? { ...said, change: "changed", before: old } : { ...said, change: "within" };
}

/** Characters: more does not fit on one line of the page, and the children say the rest. */
const LONGEST = 300;

function summary(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}/${key}`;
}

/** Children under keys that are theirs alone. */
function keyed(node: LocatedNode | undefined): readonly Keyed[] {
  const isList = node?.source?.kind === "sequence";
  const seen = new Map<string, number>();
  return (node?.children ?? []).map(({ step, keyOffset, node: child }) => {
    const label = isList ? nameOf(child) : String(step);
    const key = label === "" ? flowText(child) : label;
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return { label, key: times === 1 ? key : `${key}#${times}`, node: child, offset: keyOffset };
  });
}

/** The merge keys of a pod's lists, and what names the items of others. */
const NAMES = ["mountPath", "devicePath", "name", "containerPort", "ip", "topologyKey", "path", "key"];

function nameOf(item: LocatedNode): string {
  for (const field of NAMES) {
    const source = item.children.find(({ step }) => step === field)?.node.source;
    if (source?.kind === "scalar") return source.value;
  }
  return "";
}

/** Values as YAML writes them on one line. */
function flowText(node: LocatedNode | undefined): string {
  if (node === undefined) return "";
  const known = flowTexts.get(node);
  if (known !== undefined) return known;
  const text = writeFlow(node);
  flowTexts.set(node, text);
  return text;
}

/** The text of a node has those of all nodes below, each of which is asked for as well. */
const flowTexts = new WeakMap<LocatedNode, string>();

function writeFlow(node: LocatedNode): string {
  const { source } = node;
  if (source === undefined) return "";
  if (source.kind === "sequence") return `[${node.children.map((child) => flowText(child.node)).join(", ")}]`;
  if (source.kind === "mapping") {
    return `{${node.children.map(({ step, node: child }) => `${step}: ${flowText(child)}`).join(", ")}}`;
  }
  return source.kind === "scalar" ? source.value : "";
}
