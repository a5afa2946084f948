// A tree of changes as it is sent to the page: of the nodes that are as in the tree before, only their numbers. A key changes few
// of some hundreds, and those that stay the same object are not drawn again.

import type { ChangeNode } from "./change-tree.ts";

/** A node, or the number of an equal one in the tree that was sent before: its place, each node before its children. */
export type SentNode = number | (Omit<ChangeNode, "children"> & { readonly children: readonly SentNode[] });

/** Sends one tree after the other: each as it differs from the one before. */
export function createSender(): (tree: readonly ChangeNode[]) => readonly SentNode[] {
  let known: readonly ChangeNode[] = [];
  return (tree) => {
    const sent = sendAll(tree, known, numbersOf(known, 0));
    known = tree;
    return sent;
  };
}

/** @param numbers of the nodes before */
function sendAll(
  nodes: readonly ChangeNode[],
  before: readonly ChangeNode[],
  numbers: readonly number[],
): readonly SentNode[] {
  return nodes.map((node, at) => {
    const place = before[at]?.id === node.id ? at : before.findIndex(({ id }) => id === node.id);
    const known = before[place];
    // One that is new is sent with all that is below it.
    return known === undefined ? node : send(node, known, numbers[place] as number);
  });
}

function send(node: ChangeNode, before: ChangeNode, number: number): SentNode {
  if (node === before) return number;
  const numbers = numbersOf(before.children, number + 1);
  const children = sendAll(node.children, before.children, numbers);
  const isKnown = isEqual(node, before) && children.every((child, at) => child === numbers[at]);
  return isKnown ? number : { ...node, children };
}

/** @param first the number of the first of them */
function numbersOf(nodes: readonly ChangeNode[], first: number): readonly number[] {
  let number = first;
  return nodes.map((node) => {
    const own = number;
    number += sizeOf(node);
    return own;
  });
}

/** How many nodes it is, with those below. */
function sizeOf(node: ChangeNode): number {
  const known = SIZES.get(node);
  if (known !== undefined) return known;
  const size = node.children.reduce((sum, child) => sum + sizeOf(child), 1);
  SIZES.set(node, size);
  return size;
}

const SIZES = new WeakMap<ChangeNode, number>();

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
