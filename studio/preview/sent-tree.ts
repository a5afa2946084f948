// A tree of changes as it is sent to the page: of the nodes that are as in the tree before, only their numbers. A key changes few
// of some hundreds, and those that stay the same object are not drawn again.

import type { ChangeNode } from "./change-tree.ts";

/** A node, or the number of an equal one in the tree that was sent before: its place, each node before its children. */
export type SentNode = number | (Omit<ChangeNode, "children"> & { readonly children: readonly SentNode[] });

/** @param known the tree that was sent before */
export function sentTree(known: readonly ChangeNode[], tree: readonly ChangeNode[]): readonly SentNode[] {
  const numbers = new Map(allNodes(known).map((node, number) => [node.id, { node, number }] as const));
  return tree.map((node) => sentNode(node, numbers));
}

type Numbers = ReadonlyMap<string, { readonly node: ChangeNode; readonly number: number }>;

function sentNode(node: ChangeNode, numbers: Numbers): SentNode {
  const children = node.children.map((child) => sentNode(child, numbers));
  const known = numbers.get(node.id);
  if (known !== undefined && isSame(known.node, node) && areThose(children, known.node, numbers)) return known.number;
  return { ...node, children };
}

function isSame(one: ChangeNode, other: ChangeNode): boolean {
  return (
    one.change === other.change &&
    one.line === other.line &&
    one.label === other.label &&
    one.isItem === other.isItem &&
    one.text === other.text &&
    one.before === other.before
  );
}

/** Whether what is sent of the children says that they are those of the known node, in their order. */
function areThose(children: readonly SentNode[], { children: before }: ChangeNode, numbers: Numbers): boolean {
  return (
    children.length === before.length &&
    children.every((child, at) => {
      const there = before[at] as ChangeNode;
      const known = numbers.get(there.id);
      return known?.node === there && child === known.number;
    })
  );
}

/** @param known the tree that was received before: its nodes are those of the new one, where they are equal */
export function receivedTree(known: readonly ChangeNode[], sent: readonly SentNode[]): readonly ChangeNode[] {
  const nodes = allNodes(known);
  const received = (node: SentNode): ChangeNode =>
    typeof node === "number" ? (nodes[node] as ChangeNode) : { ...node, children: node.children.map(received) };
  return sent.map(received);
}

function allNodes(tree: readonly ChangeNode[]): readonly ChangeNode[] {
  return tree.flatMap((node) => [node, ...allNodes(node.children)]);
}
