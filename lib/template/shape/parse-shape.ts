// Text with placeholders → shape. The only code that passes template text to a YAML parser; values never get here.

import { defineEntry, isDirective, isObject, type JsonValue } from "@outrigger/base";
import {
  parseYamlNodes,
  unclosedQuote,
  type ValueOptions,
  type YamlNode,
  YamlSyntaxError,
  yamlValue,
} from "@outrigger/yaml";
import { boundJson } from "../bind/bound-json.ts";
import {
  type Placeholders,
  placeholder,
  placeholderNumber,
  placeholderPattern,
  type ShapeText,
  type Slot,
} from "../bind/text-pieces.ts";
import { valueText } from "../bind/value-text.ts";
import { describeTemplate, renderError, type TemplatePosition } from "../finding.ts";
import type { PositionTuple, Shape, TextParts } from "./shape.ts";

/** A shape and the number of values that it takes. */
export interface ShapePart {
  readonly shape: Shape;
  readonly values: number;
}

/**
 * Reads the text as kubectl would and finds every slot in the tree.
 *
 * @throws OutriggerError `template-render` with the position of invalid YAML, or of a slot that is not in the tree because
 * it is in a comment, an anchor or a tag
 */
export function parseShape({ text, placeholders, positionAt }: ShapeText, name: string): ShapePart {
  try {
    const units = renumbered(text, placeholders);
    const document = parseYamlNodes(units.text);
    const second = document === undefined ? undefined : secondDocument(units.text, document.end);
    if (second !== undefined) throw renderError("it renders more than one YAML document", positionAt(second));
    const value = document === undefined ? null : yamlValue(document.root, VALUE_OPTIONS);
    const { mark } = placeholders;
    const found = new Set<number>();
    const typed = typedSlots(document?.root, mark);
    const parse: Parse = { ...units, mark, found, typed, pattern: placeholderPattern(mark), nodes: 0 };
    const shape = shapeOf(value, parse, 0);
    requireAll(parse);
    return { shape, values: units.values };
  } catch (cause) {
    if (cause === TOO_LARGE) throw renderError(LIMITS, { source: name, line: 1, column: 1 });
    if (!(cause instanceof YamlSyntaxError)) throw cause;
    const { position } = cause;
    const quote = unclosedQuote(text, position, cause.reason);
    if (quote !== undefined) throw renderError("the quote that opens here is not closed", positionAt(quote));
    const partial = partialBehindKey(text, position, positionAt);
    if (partial !== undefined) {
      const fix = "write its tag on a line of its own, below the key and indented";
      throw renderError(
        `${partial} has fields, and follows a key on its line: ${fix}`,
        positionAt(lineStart(text, position)),
      );
    }
    const reason = cause.reason.replace(placeholderPattern(placeholders.mark), "{{…}}");
    throw renderError(`it does not render valid YAML: ${reason}`, positionAt(position));
  }
}

/** The partial that wrote a colon on a line that another text began: `resources: {{> resources}}`. */
function partialBehindKey(text: string, at: number, positionAt: ShapeText["positionAt"]): string | undefined {
  if (text[at] !== ":") return undefined;
  const [{ source }, line] = [positionAt(at), positionAt(lineStart(text, at))];
  return source === line.source ? undefined : describeTemplate(source);
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at) + 1;
}

/** The value of an entry or item under which nothing is written. An object, so that it cannot be a key. */
const EMPTY: JsonValue = Object.freeze({});

/** Values are read as in kubectl, but a field under which nothing is written differs from a literal `null`, and no key is given twice. */
const VALUE_OPTIONS: ValueOptions = {
  maxExpansion: 10_000_000,
  empty: EMPTY,
  onDuplicate: ({ start }) => {
    throw new YamlSyntaxError("a key is given twice in its mapping", start);
  },
};

const MAX_DEPTH = 256;
const MAX_NODES = 1_000_000;

interface Parse {
  /** The slots by their number in this text; a slot in a loop has several numbers. */
  readonly slots: readonly Slot[];
  /** The index of the value of each slot. */
  readonly indexes: readonly number[];
  readonly mark: string;
  readonly found: Set<number>;
  /** Slots that are a whole plain scalar without a YAML tag. */
  readonly typed: ReadonlySet<number>;
  readonly pattern: RegExp;
  nodes: number;
}

/** A slot inside a loop is in the text several times: each occurrence gets its own number. */
function renumbered(text: string, { mark, slots: all }: Placeholders) {
  const slots: Slot[] = [];
  const indexes: number[] = [];
  let values = 0;
  const numbered = text.replace(placeholderPattern(mark), (_, digits: string) => {
    const slot = all.get(placeholderNumber(digits)) as Slot;
    indexes.push(slot.kind === "slot" ? values++ : -1);
    return placeholder(mark, slots.push(slot) - 1);
  });
  return { text: numbered, slots, indexes, values };
}

function typedSlots(root: YamlNode | undefined, mark: string): ReadonlySet<number> {
  const typed = new Set<number>();
  const length = placeholder(mark, 0).length;
  if (root !== undefined) visit(root);
  return typed;

  function visit(node: YamlNode): void {
    if (node.kind === "mapping") {
      for (const { key, value } of node.entries) {
        visit(key);
        visit(value);
      }
    } else if (node.kind === "sequence") {
      for (const item of node.items) visit(item.node);
    } else if (node.kind === "scalar" && node.style === "plain" && node.tag === undefined) {
      const { value } = node;
      if (value.startsWith(mark) && value.length === length) typed.add(placeholderNumber(value.slice(1, -1)));
    }
  }
}

/** Aliases can multiply nodes and contain themselves, hence the two limits. */
function shapeOf(value: JsonValue, parse: Parse, depth: number): Shape {
  parse.nodes += 1;
  if (parse.nodes > MAX_NODES || depth > MAX_DEPTH) throw TOO_LARGE;
  if (value === EMPTY) return staticShape(undefined);
  if (typeof value === "string") return scalarShape(value, parse);
  if (Array.isArray(value)) return listShape(value, parse, depth);
  if (isObject(value)) return mapShape(value, parse, depth);
  return ["static", value];
}

function scalarShape(value: string, parse: Parse): Shape {
  if (!value.includes(parse.mark)) return ["static", value];
  const parts = partsOf(value, parse);
  const [only] = parts;
  if (parts.length === 1 && typeof only === "number" && parse.typed.has(only)) {
    const slot = parse.slots[only] as Slot;
    if (slot.kind === "slot") return ["value", parse.indexes[only] as number, positionTuple(slot.position)];
    return staticShape(located(() => boundJson(slot.value), slot.position));
  }
  const text = textParts(parts, parse);
  return typeof text === "string" ? ["static", text] : ["text", text];
}

/** A missing constant is left out, like any other value: `undefined` in a static shape. */
function staticShape(value: JsonValue | undefined): Shape {
  return ["static", value as JsonValue];
}

function listShape(list: readonly JsonValue[], parse: Parse, depth: number): Shape {
  return shapeOfItems(list.map((item) => shapeOf(item, parse, depth + 1)).filter((item) => !isLeftOut(item)));
}

/** A list of known items is a known list. */
export function shapeOfItems(items: readonly Shape[]): Shape {
  return items.every(isStatic) ? ["static", items.map((item) => item[1] as JsonValue)] : ["list", items];
}

function mapShape(map: Readonly<Record<string, JsonValue | undefined>>, parse: Parse, depth: number): Shape {
  const entries: [string | TextParts, Shape][] = [];
  for (const key of Object.keys(map)) {
    const name = key.includes(parse.mark) ? keyOf(key, parse) : key;
    const value = shapeOf(map[key] as JsonValue, parse, depth + 1);
    if (name !== undefined && !isLeftOut(value)) entries.push([name, value]);
  }
  return shapeOfEntries(entries);
}

/** A map of known entries is a known map. */
export function shapeOfEntries(entries: readonly (readonly [string | TextParts, Shape])[]): Shape {
  if (!entries.every(([key, value]) => typeof key === "string" && isStatic(value))) return ["map", entries];
  const whole: Record<string, JsonValue> = {};
  for (const [key, value] of entries) defineEntry(whole, key as string, value[1] as JsonValue);
  return ["static", whole];
}

/** A key is text. An entry whose key a constant makes empty or a directive is left out. */
function keyOf(key: string, parse: Parse): string | TextParts | undefined {
  const text = textParts(partsOf(key, parse), parse);
  return typeof text === "string" && (text === "" || isDirective(text)) ? undefined : text;
}

function isStatic(shape: Shape): shape is Extract<Shape, readonly ["static", JsonValue]> {
  return shape[0] === "static";
}

function isLeftOut(shape: Shape): boolean {
  return shape[0] === "static" && shape[1] === undefined;
}

/** Texts, and numbers of slots. */
type Part = string | number;

function partsOf(text: string, parse: Parse): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(parse.pattern)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    const number = placeholderNumber(match[1] as string);
    parts.push(number);
    parse.found.add(number);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

function textParts(parts: readonly Part[], { slots, indexes }: Parse): string | TextParts {
  const joined: (string | readonly [number, PositionTuple])[] = [];
  for (const part of parts) {
    const slot = typeof part === "number" ? slots[part] : undefined;
    if (slot?.kind === "slot") {
      joined.push([indexes[part as number] as number, positionTuple(slot.position)]);
      continue;
    }
    const text = slot === undefined ? (part as string) : located(() => valueText(slot.value), slot.position);
    const last = joined.at(-1);
    if (typeof last === "string") joined[joined.length - 1] = last + text;
    else if (text !== "") joined.push(text);
  }
  if (joined.length === 0) return "";
  return joined.length === 1 && typeof joined[0] === "string" ? joined[0] : joined;
}

function located<T>(read: () => T, position: TemplatePosition): T {
  try {
    return read();
  } catch (cause) {
    throw renderError((cause as Error).message, position);
  }
}

function requireAll({ slots, found }: Parse): void {
  for (const [number, slot] of slots.entries()) {
    if (found.has(number)) continue;
    throw renderError(
      "the value of this tag is lost: the tag is in a YAML comment, an anchor, a YAML tag or an overridden merge key; write comments as {{! … }}",
      slot.position,
    );
  }
}

/** Offset of what follows the document, if it is more than markers and comments. */
function secondDocument(text: string, end: number): number | undefined {
  const more = /(?:(?:---|\.\.\.)(?=\s|$)|[ \t\n\r]+|#.*)*/y;
  more.lastIndex = end;
  const at = end + (more.exec(text)?.[0].length ?? 0);
  return at < text.length ? at : undefined;
}

function positionTuple({ source, line, column }: TemplatePosition): PositionTuple {
  return [source, line, column];
}

const LIMITS = "its YAML is too large or too deep, or an alias contains itself";
const TOO_LARGE = new Error("too large");
