// The tree of a text that its shape was made of block by block. Ways through a template have most entries and items in common: each is
// parsed once, and its offsets are its own.
import { memoize } from "@outrigger/base";
import { type LocatedNode, readYamlTree } from "@outrigger/yaml";
import { cutBlock, ENTRY, GIVE_UP, itemBlock, nestedBlock } from "./shape/cut-blocks.ts";

/** A node of a text. */
export interface TextNode extends Pick<LocatedNode, "offset" | "source"> {
  readonly children: readonly TextChild[];
}

export interface TextChild {
  /** The key of an entry as it is written, or the index of an item. */
  readonly step: string | number;
  readonly keyOffset: number;
  readonly node: TextNode;
  /** What is added to the offsets of its node; nothing where it is left out. */
  readonly at?: number;
  /** The whole entry or item, where it was cut; it starts there. */
  readonly part?: { readonly text: string; readonly start: number };
}

/** Reads a text as a whole. Keys are as they are written. */
export function wholeTree(text: string): TextNode {
  return readYamlTree(text, { keyText: ({ start, end }) => text.slice(start, end) });
}

/** Returns the function that reads texts which can be cut, with placeholders of one mark. */
export function treeReader(mark: string): (text: string) => TextNode {
  const known = new Map<string, TextNode>();
  const blockTree = (text: string): TextNode => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const { indent, isList, first, parts } = cutBlock(text, mark);
    let start = first;
    const children = parts.map((part, index) => {
      const child = isList ? itemIn(part, indent, index) : entryIn(part, indent);
      const { keyOffset, at = 0 } = child;
      const placed = { ...child, keyOffset: start + keyOffset, at: start + at, part: { text: part, start } };
      start += part.length;
      return placed;
    });
    const node = { offset: first + indent, source: undefined, children };
    known.set(text, node);
    return node;
  };
  const itemIn = (part: string, indent: number, index: number): TextChild => {
    const block = itemBlock(part, indent);
    if (!ENTRY.test(block)) return { ...onlyChild(leafTree(part)), step: index };
    const node = blockTree(block);
    return { step: index, keyOffset: node.offset, node };
  };
  const entryIn = (part: string, indent: number): TextChild => {
    const nested = nestedBlock(part, indent);
    if (nested === undefined) return onlyChild(leafTree(part));
    const { key, at } = nested;
    return { step: key, keyOffset: indent, node: blockTree(part.slice(at)), at };
  };
  return blockTree;
}

function onlyChild({ children }: TextNode): TextChild {
  const [child] = children;
  if (child === undefined || children.length > 1) throw GIVE_UP;
  return child;
}

const leafTree = memoize(wholeTree, { bytesOf: (_, text) => PER_CHARACTER * text.length });

/** Bytes that the nodes of a text take. */
const PER_CHARACTER = 40;
