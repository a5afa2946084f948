// The nodes of a YAML text with their positions, for messages that point at a field. parseYaml reads the values.

import { type FieldPath, lineIndex } from "@outrigger/base";
import type { YamlNode as SourceNode, YamlScalar } from "./parse/nodes.ts";
import { parseYamlNodes } from "./parse/parse-nodes.ts";
import { YamlSyntaxError } from "./parse/token.ts";

/** A node with its children, each under the key or index that leads to it: what `readYamlTree` returns. */
export interface LocatedNode {
  readonly offset: number;
  readonly children: readonly LocatedChild[];
  /** The node in the text, or undefined for the root of an empty text. */
  readonly source: SourceNode | undefined;
}

interface LocatedChild {
  /** The key of an entry or the index of an item. */
  readonly step: string | number;
  readonly keyOffset: number;
  readonly node: LocatedNode;
}

/** 1-based. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

interface YamlTreeOptions {
  /** The text of a key, where it differs from what is written. */
  readonly keyText?: (key: YamlScalar) => string;
  /** Items for which it returns true do not count in the indexes of a list. */
  readonly isLeftOut?: (item: SourceNode) => boolean;
}

/** @throws YamlSyntaxError for invalid YAML */
export function readYamlTree(text: string, { keyText, isLeftOut }: YamlTreeOptions = {}): LocatedNode {
  const root = parseYamlNodes(text)?.root;
  return root === undefined ? { offset: 0, children: [], source: undefined } : read(root, 0);

  /** @param fallback the offset of a node without text */
  function read(source: SourceNode, fallback: number): LocatedNode {
    const isWritten = source.kind !== "scalar" || source.end > source.start;
    return { offset: isWritten ? source.start : fallback, children: readChildren(source), source };
  }

  function readChildren(source: SourceNode): readonly LocatedChild[] {
    if (source.kind === "mapping") {
      return source.entries.flatMap(({ key, value }): readonly LocatedChild[] => {
        const keyOffset = read(key, 0).offset;
        const node = read(value, keyOffset);
        return key.kind === "scalar" ? [{ step: keyText?.(key) ?? key.value, keyOffset, node }] : [];
      });
    }
    if (source.kind !== "sequence") return [];
    return source.items
      .filter(({ node }) => isLeftOut?.(node) !== true)
      .map(({ dash, node: item }, step) => {
        const node = read(item, dash);
        return { step, keyOffset: node.offset, node };
      });
  }
}

/**
 * The offset of a field, or else of the nearest enclosing node. Of equal keys the last one wins. A value in block style
 * starts below its key: the key is then where the field is.
 */
export function fieldOffset(root: LocatedNode, path: FieldPath, part: "key" | "value"): number {
  let node = root;
  let keyOffset = root.offset;
  for (const [index, step] of path.entries()) {
    const child = node.children.findLast((one) => one.step === step);
    if (child === undefined) return index === 0 || node.children.length === 0 ? node.offset : keyOffset;
    keyOffset = child.keyOffset;
    node = child.node;
  }
  return part === "key" || isBlock(node) ? keyOffset : node.offset;
}

function isBlock({ source }: LocatedNode): boolean {
  return (source?.kind === "mapping" || source?.kind === "sequence") && !source.flow;
}

/**
 * Finds a field in a YAML text; undefined if the text is invalid.
 *
 * @example
 * ```ts
 * locateYaml("a:\n  b: 1\n", ["a", "b"], "value") // => { line: 2, column: 6 }
 * locateYaml("a:\n  b: 1\n", ["a", "b"], "key") // => { line: 2, column: 3 }
 * ```
 */
export function locateYaml(text: string, path: FieldPath, part: "key" | "value"): TextPosition | undefined {
  try {
    return lineIndex(text)(fieldOffset(readYamlTree(text), path, part));
  } catch (error) {
    // parseYaml reports what is wrong with the text.
    if (error instanceof YamlSyntaxError) return undefined;
    throw error;
  }
}
