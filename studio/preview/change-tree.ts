// What two pods differ in, as a tree of their fields: list items are matched by their names, so that a container that was added
// does not look like a change of the next one.

import { lineIndex, memoize } from "@outrigger/base";
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
  /** Its value on one line; of one with children, its beginning. */
  readonly text: string;
  /** The value before, of one that changed. */
  readonly before?: string;
  /** 1-based, in the text after; undefined for what was removed. */
  readonly line: number | undefined;
  readonly children: readonly ChangeNode[];
}

/** The tree of the top-level fields, those first that hold the containers. */
export function changeTree(before: string, after: string): readonly ChangeNode[] {
  const place = lineIndex(after);
  const fields = compareChildren(treeBefore(before), readYamlTree(after), "", (offset) => place(offset).line);
  const rank = (id: string) => (id === "spec" ? 0 : 1);
  return fields
    .toSorted((a, b) => rank(a.id) - rank(b.id))
    .map((node) => (node.id === "spec" ? initFirst(node) : node));
}

/** A key changes the pod after, and not the one before. */
const treeBefore = memoize((text) => readYamlTree(text), { longest: 1_000_000 });

/** Kubernetes starts init containers first, and a native sidecar is one of them. */
function initFirst(spec: ChangeNode): ChangeNode {
  const rank = ({ label }: ChangeNode) => (label === "initContainers" ? 0 : label === "containers" ? 1 : 2);
  return { ...spec, children: spec.children.toSorted((a, b) => rank(a) - rank(b)) };
}

type LineOf = (offset: number) => number;

interface Keyed {
  readonly label: string;
  readonly key: string;
  readonly node: LocatedNode;
  readonly offset: number;
}

function compareChildren(
  before: LocatedNode | undefined,
  after: LocatedNode | undefined,
  path: string,
  lineOf: LineOf,
): readonly ChangeNode[] {
  if ((before?.children.length ?? 0) + (after?.children.length ?? 0) === 0) return [];
  const isItem = (after ?? before)?.source?.kind === "sequence";
  const [old, now] = [keyed(before), keyed(after)];
  const known = new Map(old.map((child) => [child.key, child]));
  const kept = new Set(now.map(({ key }) => key));
  const compared = now.map(({ key, label, node, offset }) => ({
    at: known.get(key),
    made: compareNodes(
      known.get(key)?.node,
      node,
      { id: join(path, key), label, isItem, line: lineOf(offset) },
      lineOf,
    ),
  }));
  const gone = old
    .filter(({ key }) => !kept.has(key))
    .map(({ key, label, node }) =>
      compareNodes(node, undefined, { id: join(path, `${key}-`), label, isItem, line: undefined }, lineOf),
    );
  return [...compared.map(({ made }) => made), ...gone];
}

type About = Pick<ChangeNode, "id" | "label" | "isItem" | "line">;

function compareNodes(
  before: LocatedNode | undefined,
  after: LocatedNode | undefined,
  about: About,
  lineOf: LineOf,
): ChangeNode {
  const text = flowText(after ?? before);
  if (before !== undefined && after !== undefined && before.source?.kind !== after.source?.kind) {
    return { ...about, change: "changed", text, before: flowText(before), children: [] };
  }
  const children = compareChildren(before, after, about.id, lineOf);
  const made = { ...about, text: children.length === 0 ? text : summary(text), children };
  if (before === undefined) return { ...made, change: "added" };
  if (after === undefined) return { ...made, change: "removed" };
  const old = flowText(before);
  if (old === text) return { ...made, change: "kept" };
  return children.length === 0 ? { ...made, change: "changed", before: old } : { ...made, change: "within" };
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

/** What names an item of Kubernetes' lists; empty for one without such a field. */
const NAMES = ["mountPath", "name", "containerPort", "path", "key"];

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
