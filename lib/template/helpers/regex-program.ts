// The syntax tree of a regular expression → instructions for regex.ts.

import { fault } from "../finding.ts";

export type Instruction =
  | { readonly op: "match" }
  | { readonly op: "set"; readonly set: RegExp }
  /** Tries `first` before `second`. */
  | { readonly op: "split"; first: number; second: number }
  | { readonly op: "jump"; to: number }
  | { readonly op: "save"; readonly slot: number }
  | { readonly op: "assert"; readonly at: Assertion };

export interface RegexProgram {
  readonly instructions: readonly Instruction[];
  /** Number of groups, the whole match included. */
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

const MOST_INSTRUCTIONS = 20_000;

export function emit(node: Node, out: Instruction[]): void {
  if (out.length > MOST_INSTRUCTIONS) refuse("is too large");
  switch (node.kind) {
    case "set":
      out.push({ op: "set", set: node.set });
      break;
    case "assert":
      out.push({ op: "assert", at: node.at });
      break;
    case "group":
      if (node.slot !== undefined) out.push({ op: "save", slot: 2 * node.slot });
      emit(node.node, out);
      if (node.slot !== undefined) out.push({ op: "save", slot: 2 * node.slot + 1 });
      break;
    case "sequence":
      for (const part of node.nodes) emit(part, out);
      break;
    case "choice":
      emitChoice(node.nodes, out);
      break;
    case "repeat":
      emitRepeat(node, out);
  }
}

function emitChoice(nodes: readonly Node[], out: Instruction[]): void {
  const jumps: { to: number }[] = [];
  for (const [index, node] of nodes.entries()) {
    if (index === nodes.length - 1) {
      emit(node, out);
      break;
    }
    const split = { op: "split" as const, first: out.length + 1, second: 0 };
    out.push(split);
    emit(node, out);
    const jump = { op: "jump" as const, to: 0 };
    out.push(jump);
    jumps.push(jump);
    split.second = out.length;
  }
  for (const jump of jumps) jump.to = out.length;
}

function emitRepeat(
  { node, least, most, isLazy }: Extract<Node, { readonly kind: "repeat" }>,
  out: Instruction[],
): void {
  const isEndless = most === Number.POSITIVE_INFINITY;
  for (let count = isEndless ? 1 : 0; count < least; count++) emit(node, out);
  const optional = (): { first: number; second: number } => {
    const split = { op: "split" as const, first: out.length + 1, second: out.length + 1 };
    out.push(split);
    return split;
  };
  const skipTo = (split: { first: number; second: number }, to: number): void => {
    if (isLazy) split.first = to;
    else split.second = to;
  };
  if (isEndless) {
    // As Go's, x* is (x+)? where x can be nothing: one round of nothing is a match of x, and ends it.
    const isLoop = least === 0 && !canBeEmpty(node);
    const start = out.length;
    const skip = least === 0 ? optional() : undefined;
    const round = out.length;
    emit(node, out);
    if (isLoop) out.push({ op: "jump", to: start });
    else {
      const again = optional();
      if (isLazy) again.second = round;
      else again.first = round;
    }
    if (skip !== undefined) skipTo(skip, out.length);
    return;
  }
  const splits: { first: number; second: number }[] = [];
  for (let count = least; count < most; count++) {
    splits.push(optional());
    emit(node, out);
  }
  for (const split of splits) skipTo(split, out.length);
}

function canBeEmpty(node: Node): boolean {
  if (node.kind === "set") return false;
  if (node.kind === "choice") return node.nodes.some(canBeEmpty);
  return (node.kind === "repeat" && node.least === 0) || partsOf(node).every(canBeEmpty);
}

/** @throws OutriggerError `template-render` with what is wrong with the expression */
export function refuse(why: string): never {
  throw fault(`the regular expression ${why}`);
}

/** A condition on a position: where it is, or what is next to it. */
export type Assertion = "start" | "end" | "line-start" | "line-end" | "word" | "no-word";

export type Node =
  /** A character that the expression, of one class of JavaScript, matches. */
  | { readonly kind: "set"; readonly set: RegExp }
  | { readonly kind: "assert"; readonly at: Assertion }
  | { readonly kind: "group"; readonly node: Node; readonly slot: number | undefined }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "choice"; readonly nodes: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly least: number;
      readonly most: number;
      readonly isLazy: boolean;
    };

export interface Reader {
  readonly points: readonly string[];
  at: number;
  groups: number;
  readonly names: Map<string, number>;
  depth: number;
  /** The flags of i, m, s and U that hold here. */
  flags: string;
}

/** The nodes right below one. */
export function partsOf(node: Node): readonly Node[] {
  return "nodes" in node ? node.nodes : "node" in node ? [node.node] : [];
}
