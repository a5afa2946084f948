// Most of a new text has occurred in other texts. Parses only the entries and items that are new, and assembles the shape from parts. It
// gives up on anything unusual: then the whole text is parsed at once, which also produces the error messages.

import { boundedCache, heapBytes, isObject, type JsonValue, memoizeObject, sharedMemory } from "@outrigger/base";
import type { Placeholders, ShapeText } from "../bind/text-pieces.ts";
import { cutBlock, ENTRY, GIVE_UP, itemBlock, nestedBlock, UNUSUAL } from "./cut-blocks.ts";
import { parseShape, type ShapePart, shapeOfEntries, shapeOfItems } from "./parse-shape.ts";
import type { Shape, TextParts } from "./shape.ts";

/** Parts of shapes by their text; its placeholders identify the slots. */
export type BlockCache = ReturnType<typeof boundedCache<ShapePart>>;

/** What every template shares whose placeholders have these numbers: most blocks are those of its version before. */
export const sharedBlocks: (numbers: Placeholders["numbers"]) => BlockCache = memoizeObject(() =>
  boundedCache<ShapePart>(sharedMemory.shapes),
);

/** A shape equivalent to that of `parseShape`, or undefined when the text must be parsed as a whole. */
export function parseBlocks(source: ShapeText, name: string, cache: Blocks["cache"]): ShapePart | undefined {
  if (UNUSUAL.test(source.text)) return undefined;
  try {
    return parseBlock(source.text, { source, name, cache });
  } catch {
    // Parsing the whole text reports the error, if there is one.
    return undefined;
  }
}

interface Blocks {
  readonly source: ShapeText;
  readonly name: string;
  readonly cache: Pick<BlockCache, "get" | "set">;
}

function parseBlock(part: string, blocks: Blocks): ShapePart {
  const known = blocks.cache.get(part);
  if (known) return known;
  const text = copyOf(part);
  const { isList, indent, parts } = cutBlock(text, blocks.source.placeholders.mark);
  const made = isList
    ? joinItems(parts.map((item) => parseItem(item, indent, blocks)))
    : joinEntries(parseEntries(parts, indent, blocks));
  keep(text, made, blocks.cache);
  return made;
}

/** V8 makes a part of a text refer to the whole, which would stay in memory as long as the part is cached. */
function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** A list of the one item. An item that is a mapping is parsed as a block, with a space for the dash. */
function parseItem(text: string, indent: number, blocks: Blocks): ShapePart {
  const block = itemBlock(text, indent);
  if (!ENTRY.test(block)) return parseLeaf(text, blocks);
  const { shape, values } = parseBlock(block, blocks);
  return { shape: ["list", [shape]], values };
}

/** An entry that a constant leaves out has no key in its part, so duplicate keys are checked in the text. */
function parseEntries(entries: readonly string[], indent: number, blocks: Blocks): readonly ShapePart[] {
  const parts = entries.map((entry) => parseEntry(entry, indent, blocks));
  const isSomeLeftOut = parts.some(({ shape }) => isObject(shape[1]) && Object.keys(shape[1]).length === 0);
  if (isSomeLeftOut && new Set(entries.map(keyOf)).size < entries.length) throw GIVE_UP;
  return parts;
}

function keyOf(entry: string): string | undefined {
  const [, double, single, plain] = ENTRY.exec(entry) ?? [];
  return double ?? single ?? plain;
}

/** A map of the one entry. */
function parseEntry(text: string, indent: number, blocks: Blocks): ShapePart {
  const nested = nestedBlock(text, indent);
  if (nested !== undefined) {
    const { shape, values } = parseBlock(text.slice(nested.at), blocks);
    return { shape: ["map", [[nested.key, shape]]], values };
  }
  if (!ENTRY.test(text)) throw GIVE_UP;
  return parseLeaf(text, blocks);
}

function parseLeaf(leaf: string, { source, name, cache }: Blocks): ShapePart {
  const known = cache.get(leaf);
  if (known) return known;
  const text = copyOf(leaf);
  const part = parseShape({ ...source, text }, name);
  keep(text, part, cache);
  return part;
}

function keep(text: string, part: ShapePart, cache: Blocks["cache"]): void {
  cache.set(text, part, (counted) => heapBytes(part, counted));
}

function joinItems(parts: readonly ShapePart[]): ShapePart {
  const items: Shape[] = [];
  let values = 0;
  for (const part of parts) {
    const { shape } = part;
    if (shape[0] === "list") for (const item of shape[1]) items.push(shifted(item, values));
    else if (shape[0] === "static" && Array.isArray(shape[1]))
      for (const item of shape[1]) items.push(["static", item]);
    else throw GIVE_UP;
    values += part.values;
  }
  return { shape: shapeOfItems(items), values };
}

function joinEntries(parts: readonly ShapePart[]): ShapePart {
  const entries = new Map<string | TextParts, Shape>();
  const add = (key: string | TextParts, shape: Shape): void => {
    if (entries.has(key)) throw GIVE_UP;
    entries.set(key, shape);
  };
  let values = 0;
  for (const part of parts) {
    const { shape } = part;
    if (shape[0] === "map") for (const [key, value] of shape[1]) add(shiftedKey(key, values), shifted(value, values));
    else if (shape[0] === "static" && isObject(shape[1]))
      for (const [key, value] of Object.entries(shape[1])) add(key, ["static", value as JsonValue]);
    else throw GIVE_UP;
    values += part.values;
  }
  return { shape: shapeOfEntries([...entries]), values };
}

function shifted(shape: Shape, offset: number): Shape {
  return offset === 0 || shape[0] === "static" ? shape : ["at", offset, shape];
}

function shiftedKey(key: string | TextParts, offset: number): string | TextParts {
  if (typeof key === "string" || offset === 0) return key;
  return key.map((part) => (typeof part === "string" ? part : [part[0] + offset, part[1]]));
}
