// A tree of changes as it is sent to the page: of the nodes that are as in the tree before, only their numbers. A key changes few
// of some hundreds, and those that stay the same object are not drawn again.

import type { ChangeNode } from "./change-tree.ts";

/** A node, or the number of an equal one in the tree that was sent before: its place, each node before its children. */
export type SentNode = number | (Omit<ChangeNode, "children"> & { readonly children: readonly SentNode[] });

/** Sends one tree after the other: each as it differs from the one before. */
export function createSender(): (tree: readonly ChangeNode[]) => readonly SentNode[] {
  let known: Numbers = new Map();
  return (tree) => {
    const numbers = new Map<string, Numbered>();
    let count = 0;
    const send = (node: ChangeNode): SentNode => {
      numbers.set(node.id, { node, number: count++ });
      const before = known.get(node.id);
      let isKnown = before !== undefined && isEqual(before.node, node);
      const children = node.children.map((child, at) => {
        const sent = send(child);
        if (isKnown && !isThat(sent, before?.node.children[at], known)) isKnown = false;
        return sent;
      });
      return isKnown && before !== undefined ? before.number : { ...node, children };
    };
    const sent = tree.map(send);
    known = numbers;
    return sent;
  };
}

interface Numbered {
  readonly node: ChangeNode;
  readonly number: number;
}

/** By their ids: of two nodes with one id, the last. */
type Numbers = ReadonlyMap<string, Numbered>;

function isThat(sent: SentNode, node: ChangeNode | undefined, known: Numbers): boolean {
  const numbered = node && known.get(node.id);
  return numbered !== undefined && numbered.node === node && numbered.number === sent;
}

function isEqual(one: ChangeNode, other: ChangeNode): boolean {
  return (
    one.change === other.change &&
    one.line === other.line &&
    one.label === other.label &&
    one.isItem === other.isItem &&
    one.text === other.text &&
    one.before === other.before &&
    one.children.length === other.children.length
  );
}

/** Puts together what a sender of the other side has sent. */
export function createReceiver(): (sent: readonly SentNode[]) => readonly ChangeNode[] {
  let known: readonly ChangeNode[] = [];
  return (sent) => {
    const nodes: ChangeNode[] = [];
    const received = (node: SentNode): ChangeNode => {
      // Its place, before those of its children.
      if (typeof node === "number") return keep(known[node] as ChangeNode, nodes);
      const place = nodes.push(EMPTY) - 1;
      const made = { ...node, children: node.children.map(received) };
      nodes[place] = made;
      return made;
    };
    const tree = sent.map(received);
    known = nodes;
    return tree;
  };
}

function keep(node: ChangeNode, nodes: ChangeNode[]): ChangeNode {
  nodes.push(node);
  for (const child of node.children) keep(child, nodes);
  return node;
}

const EMPTY: ChangeNode = { id: "", label: "", isItem: false, change: "kept", text: "", line: undefined, children: [] };
