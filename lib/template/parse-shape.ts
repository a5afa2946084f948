// Text with placeholders → shape. The one place where template text meets a YAML parser; values never come here.

import { constructFromEvents, EVENT_ID, type Event, parseEvents, SCALAR_STYLE, YAMLException } from "js-yaml";
import { OutriggerError } from "../errors.ts";
import { isObject, type JsonValue } from "../json.ts";
import { kubernetesSchema } from "../kube/yaml.ts";
import { boundJson, defineEntry, isDirective } from "./bound-json.ts";
import { describeTemplate } from "./finding.ts";
import type { PlaceTuple, Shape, TextParts } from "./shape.ts";
import type { Place, ShapeText, Slot } from "./text-pieces.ts";
import { valueText } from "./value-text.ts";

/**
 * Reads the text as kubectl would and finds every slot in the tree.
 *
 * @throws OutriggerError `template-render` at the place in the template where the YAML is wrong, or of a slot that is
 * not in the tree because it stands in a comment, an anchor or a tag
 */
export function parseShape(source: ShapeText, name: string): Shape {
  const { text } = source;
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    const documents = constructFromEvents(events, { source: text, schema: kubernetesSchema, maxAliases: MAX_ALIASES });
    if (documents.length > 1)
      throw renderError("it makes more than one YAML document", source.placeAt(secondDocument(events)), name);
    const parse: Parse = {
      source,
      name,
      found: new Set(),
      typed: typedSlots(events, source),
      pattern: placeholderPattern(source.mark),
      nodes: 0,
    };
    const shape = shapeOf((documents[0] ?? null) as JsonValue, parse);
    requireAll(parse);
    return shape;
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    throw renderError(
      `it does not make valid YAML: ${withoutPlaceholders(cause.reason, source.mark)}`,
      source.placeAt(cause.mark?.position ?? 0),
      name,
    );
  }
}

const MAX_DEPTH = 256;
const MAX_ALIASES = 10_000;
const MAX_NODES = 1_000_000;

interface Parse {
  readonly source: ShapeText;
  readonly name: string;
  readonly found: Set<number>;
  /** Slots that are a whole plain scalar without tag. */
  readonly typed: ReadonlySet<number>;
  readonly pattern: RegExp;
  nodes: number;
}

function placeholderPattern(mark: string): RegExp {
  return new RegExp(`${mark}(\\d+)${mark}`, "g");
}

function typedSlots(events: readonly Event[], { text, mark }: ShapeText): ReadonlySet<number> {
  const typed = new Set<number>();
  const whole = new RegExp(`^${mark}(\\d+)${mark}$`);
  for (const event of events) {
    if (event.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN || event.tagStart !== -1) continue;
    if (text[event.valueStart] !== mark) continue;
    const match = whole.exec(text.slice(event.valueStart, event.valueEnd));
    if (match) typed.add(Number(match[1]));
  }
  return typed;
}

/** Aliases may multiply nodes and contain themselves, hence the two limits. */
function shapeOf(value: JsonValue, parse: Parse, depth = 0): Shape {
  parse.nodes += 1;
  if (parse.nodes > MAX_NODES || depth > MAX_DEPTH)
    throw renderError(
      "its YAML is too large or too deep, or an alias contains itself",
      parse.source.placeAt(0),
      parse.name,
    );
  if (typeof value === "string") return scalarShape(value, parse);
  if (Array.isArray(value)) return listShape(value, parse, depth);
  if (isObject(value)) return mapShape(value, parse, depth);
  return ["static", value];
}

function scalarShape(value: string, parse: Parse): Shape {
  if (!value.includes(parse.source.mark)) return ["static", value];
  const parts = partsOf(value, parse);
  const [only] = parts;
  if (parts.length === 1 && typeof only === "object" && parse.typed.has(only.number)) {
    return only.slot.kind === "value"
      ? ["value", only.slot.index, placeTuple(only.slot.place)]
      : staticShape(
          located(() => boundJson((only.slot as Slot & { kind: "constant" }).value), only.slot.place, parse.name),
        );
  }
  const text = textParts(parts, parse);
  return typeof text === "string" ? ["static", text] : ["text", text];
}

/** A constant that is missing is left out, like any other value: `undefined` in a static shape. */
function staticShape(value: JsonValue | undefined): Shape {
  return ["static", value as JsonValue];
}

function listShape(list: readonly JsonValue[], parse: Parse, depth: number): Shape {
  const items = list.map((item) => shapeOf(item, parse, depth + 1)).filter((item) => !isLeftOut(item));
  return items.every(isStatic) ? ["static", items.map((item) => item[1] as JsonValue)] : ["list", items];
}

function mapShape(map: Readonly<Record<string, JsonValue | undefined>>, parse: Parse, depth: number): Shape {
  const entries: [string | TextParts, Shape][] = [];
  for (const key of Object.keys(map)) {
    const name = key.includes(parse.source.mark) ? keyOf(key, parse) : key;
    const value = shapeOf(map[key] as JsonValue, parse, depth + 1);
    if (name !== undefined && !isLeftOut(value)) entries.push([name, value]);
  }
  if (!entries.every(([key, value]) => typeof key === "string" && isStatic(value))) return ["map", entries];
  const whole: Record<string, JsonValue> = {};
  for (const [key, value] of entries) defineEntry(whole, key as string, value[1]);
  return ["static", whole];
}

/** A key is text; one that a constant leaves empty, or makes a directive of, takes its entry along. */
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

type Part = string | { readonly number: number; readonly slot: Slot };

function partsOf(text: string, parse: Parse): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(parse.pattern)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    const number = Number(match[1]);
    parts.push({ number, slot: parse.source.slots[number] as Slot });
    parse.found.add(number);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

function textParts(parts: readonly Part[], parse: Parse): string | TextParts {
  const joined: (string | readonly [number, PlaceTuple])[] = [];
  for (const part of parts) {
    if (typeof part === "object" && part.slot.kind === "value") {
      joined.push([part.slot.index, placeTuple(part.slot.place)]);
      continue;
    }
    const text = typeof part === "string" ? part : constantText(part.slot as Slot & { kind: "constant" }, parse.name);
    const last = joined.at(-1);
    if (typeof last === "string") joined[joined.length - 1] = last + text;
    else if (text !== "") joined.push(text);
  }
  if (joined.length === 0) return "";
  return joined.length === 1 && typeof joined[0] === "string" ? joined[0] : joined;
}

function constantText(slot: Slot & { readonly kind: "constant" }, name: string): string {
  return located(() => valueText(slot.value), slot.place, name);
}

function located<T>(read: () => T, place: Place, name: string): T {
  try {
    return read();
  } catch (cause) {
    throw renderError((cause as Error).message, place, name);
  }
}

function requireAll({ source, found, name }: Parse): void {
  for (const [number, slot] of source.slots.entries()) {
    if (found.has(number)) continue;
    throw renderError(
      "this tag's value is lost: it stands in a YAML comment, an anchor, a YAML tag or an overridden merge key; comments are written {{! … }}",
      slot.place,
      name,
    );
  }
}

function secondDocument(events: readonly Event[]): number {
  const at = events.findIndex((event, index) => index > 0 && event.type === EVENT_ID.DOCUMENT);
  for (const event of events.slice(at)) {
    if (event.type === EVENT_ID.SCALAR) return event.valueStart;
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return event.start;
  }
  return 0;
}

/** Messages may quote a key: the author knows tags, not placeholders. */
function withoutPlaceholders(reason: string, mark: string): string {
  return reason.replace(placeholderPattern(mark), "{{…}}");
}

function placeTuple({ source, line, column }: Place): PlaceTuple {
  return [source, line, column];
}

function renderError(reason: string, place: Place, name: string): OutriggerError {
  const { source, line, column } = place;
  return new OutriggerError(
    "template-render",
    `Cannot render ${describeTemplate(source === "" ? name : source)}: ${reason} (line ${line}, column ${column})`,
    { path: source === "" ? name : source, line, column },
  );
}
