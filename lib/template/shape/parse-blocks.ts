// Most of a new text has occurred in other texts. Cuts block-style YAML by its indentation into entries and items, parses
// only the new ones, and assembles the shape from parts. It gives up on anything unusual: then the whole text is parsed at
// once, which also produces the error messages.

import { boundedCache, heapBytes, isObject, type JsonValue, memoizeObject, sharedMemory } from "@outrigger/base";
import type { Placeholders, ShapeText } from "../bind/text-pieces.ts";
import { parseShape, type ShapePart, shapeOfEntries, shapeOfItems } from "./parse-shape.ts";
import type { Shape, TextParts } from "./shape.ts";

/** Parts of shapes by their text; its placeholders identify the slots. */
export type BlockCache = ReturnType<typeof boundedCache<ShapePart>>;

/** What every template shares whose placeholders have these numbers: most blocks are those of its version before. */
export const sharedBlocks: (numbers: Placeholders["numbers"]) => BlockCache = memoizeObject(() =>
  boundedCache<ShapePart>(sharedMemory.shapes),
);

/** A shape equivalent to that of `parseShape`, or undefined when the text must be parsed as a whole. */
export function parseBlocks(source: ShapeText, name: string, cache: BlockCache): ShapePart | undefined {
  if (UNUSUAL.test(source.text)) return undefined;
  try {
    return parseBlock(source.text, { source, name, cache });
  } catch {
    // Parsing the whole text reports the error, if there is one.
    return undefined;
  }
}

/** Tabs, other line ends, directives and document markers: their meaning depends on their position. */
const UNUSUAL = /[\t\r\u0085\u2028\u2029\ufeff]|^(?:%|---|\.\.\.)/m;

/** A line that starts an entry: a plain or quoted key, a colon, and white space or nothing. */
const ENTRY = /^ *(?:"([^"\\\n]*)"|'([^'\n]*)'|([^\s\-?:,[\]{}#&*!|>'"%@`<](?:[^\n]*?[^\n ])??)) *:(?: |\n|$)/;

/** An entry whose first line is only a key that can only be text. */
const HEADER = /^ *(?!(?:y|n|yes|no|on|off|true|false|null) *:)([a-z_$][\w.$/-]*): *\n/i;

interface Blocks {
  readonly source: ShapeText;
  readonly name: string;
  readonly cache: BlockCache;
}

function parseBlock(part: string, blocks: Blocks): ShapePart {
  const known = blocks.cache.get(part);
  if (known) return known;
  const text = copyOf(part);
  const first = firstContent(text, blocks);
  const indent = indentAt(text, first);
  const isList = isItem(text, first + indent);
  const cuts = cut(text, first, indent, (at) => {
    if (isList && !isItem(text, at)) throw GIVE_UP;
    // A list below its key need not be indented.
    return isList || !isItem(text, at);
  });
  const made = isList
    ? joinItems(cuts.map((item) => parseItem(item, indent, blocks)))
    : joinEntries(parseEntries(cuts, indent, blocks));
  keep(text, made, blocks.cache);
  return made;
}

/** V8 makes a part of a text refer to the whole, which would stay in memory as long as the part is cached. */
function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** Offset of the first line that is not empty or a comment. A slot before it is lost, which parseShape reports. */
function firstContent(text: string, { source }: Blocks): number {
  let start = 0;
  while (start < text.length && indentAt(text, start) === -1) start = lineEnd(text, start);
  if (start >= text.length || text.slice(0, start).includes(source.placeholders.mark)) throw GIVE_UP;
  return start;
}

const GIVE_UP = new Error("not block style");
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const HASH = 0x23;
const DASH = 0x2d;

function lineEnd(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end + 1;
}

/** Indentation of the line that starts there, -1 if it is empty or a comment. */
function indentAt(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === SPACE) at += 1;
  const code = text.charCodeAt(at);
  return Number.isNaN(code) || code === LINE_FEED || code === HASH ? -1 : at - start;
}

function isItem(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return text.charCodeAt(at) === DASH && (next === SPACE || next === LINE_FEED);
}

/** Cuts before each line of that indentation that starts an entry or item; deeper lines belong to the one before. */
function cut(text: string, first: number, indent: number, begins: (at: number) => boolean): readonly string[] {
  const cuts: string[] = [];
  let begin = first;
  for (let start = lineEnd(text, first); start < text.length; start = lineEnd(text, start)) {
    const own = indentAt(text, start);
    if (own === -1 || own > indent) continue;
    if (own < indent) throw GIVE_UP;
    if (!begins(start + indent)) continue;
    cuts.push(text.slice(begin, start));
    begin = start;
  }
  cuts.push(text.slice(begin));
  return cuts;
}

/** A list of the one item. An item that is a mapping is parsed as a block, with a space for the dash. */
function parseItem(text: string, indent: number, blocks: Blocks): ShapePart {
  let content = indent + 1;
  while (text.charCodeAt(content) === SPACE) content += 1;
  const block = " ".repeat(content) + text.slice(content);
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
  const header = HEADER.exec(text);
  if (header) {
    const nested = text.slice(header[0].length);
    if (nestedIndent(nested) >= indent) {
      const { shape, values } = parseBlock(nested, blocks);
      return { shape: ["map", [[header[1] as string, shape]]], values };
    }
  }
  if (!ENTRY.test(text)) throw GIVE_UP;
  return parseLeaf(text, blocks);
}

/** Indentation of the first line with content, -1 if there is none. */
function nestedIndent(text: string): number {
  for (let start = 0; start < text.length; start = lineEnd(text, start)) {
    const indent = indentAt(text, start);
    if (indent !== -1) return indent;
  }
  return -1;
}

function parseLeaf(leaf: string, { source, name, cache }: Blocks): ShapePart {
  const known = cache.get(leaf);
  if (known) return known;
  const text = copyOf(leaf);
  const part = parseShape({ ...source, text }, name);
  keep(text, part, cache);
  return part;
}

function keep(text: string, part: ShapePart, cache: BlockCache): void {
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
