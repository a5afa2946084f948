// A tree of changes as it is sent to the page: of the nodes that are the same objects as in the tree before, only their numbers. A key
// changes few of some hundreds, and those that stay the same object are not drawn again.

import type { ChangeNode } from "./change-tree.ts";

/** A node, or the number of the same one in the tree that was sent before: its place, each node before its children. */
export type SentNode = number | (Omit<ChangeNode, "children"> & { readonly children: readonly SentNode[] });

/** Sends one tree after the other: each as it differs from the one before. */
export function createSender(): (tree: readonly ChangeNode[]) => readonly SentNode[] {
  let known = new Map<ChangeNode, number>();
  return (tree) => {
    const send = (node: ChangeNode): SentNode => known.get(node) ?? { ...node, children: node.children.map(send) };
    const sent = tree.map(send);
    known = new Map(flat(tree).map((node, at) => [node, at]));
    return sent;
  };
}

/** Puts together what a sender of the other side has sent. */
export function createReceiver(): (sent: readonly SentNode[]) => readonly ChangeNode[] {
  let known: readonly ChangeNode[] = [];
  return (sent) => {
    const receive = (node: SentNode): ChangeNode =>
      typeof node === "number" ? (known[node] as ChangeNode) : { ...node, children: node.children.map(receive) };
    const tree = sent.map(receive);
    known = flat(tree);
    return tree;
  };
}

function flat(nodes: readonly ChangeNode[]): readonly ChangeNode[] {
  return nodes.flatMap((node) => [node, ...flat(node.children)]);
}
