// Finds the position in the templates that a field of an overlay comes from, for messages about invalid overlays. Renders
// and parses again with all positions kept: slow, so it is for errors only.

import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { bindProgram } from "./bind/bind-program.ts";
import { branchKeyOf, startRender } from "./bind/branch-key.ts";
import { type Place, placeholderNumber, placeholderPattern, placeholdersOf, shapeText } from "./bind/text-pieces.ts";
import { valueText } from "./bind/value-text.ts";
import type { CompiledTemplates, Program } from "./compiled-templates.ts";
import type { HelperTable } from "./helpers/helper-table.ts";
import type { TemplateData } from "./load-templates.ts";

export interface FieldQuery {
  readonly compiled: CompiledTemplates;
  readonly helpers: HelperTable;
  /** The template that renders the overlay. */
  readonly name: string;
  /** The data that it was rendered with. */
  readonly data: TemplateData;
  /** Keys and indexes in the overlay. */
  readonly steps: readonly (string | number)[];
  /** Whether to find the key or the value of the entry. */
  readonly part: "key" | "value";
}

/**
 * The position in a template or partial that renders the field, or else the nearest enclosing one: the tag whose value
 * contains the field, or the alias that repeats it.
 */
export function locateField({ compiled, helpers, name, data, steps, part }: FieldQuery): Place {
  const plan = bindProgram({
    name,
    program: compiled.templates[name] as Program,
    partials: compiled.partials,
    helpers,
    constants: {},
  });
  const registers = new Array<unknown>(plan.registers());
  registers[0] = data;
  const state = startRender(registers);
  plan.run?.(state);
  const placeholders = placeholdersOf(plan.pieces, name);
  const { text, placeAt } = shapeText(plan.pieces, branchKeyOf(state), placeholders, name);
  const tags: Tag[] = [];
  let values = 0;
  const pattern = placeholderPattern(placeholders.mark);
  for (const match of text.matchAll(pattern)) {
    const slot = placeholders.slots[placeholderNumber(match[1] as string)];
    const value = slot?.kind === "constant" ? slot.value : state.values[values++];
    tags.push({ offset: match.index, length: match[0].length, value });
  }
  const events = parseEvents(text, { maxDepth: MAX_DEPTH });
  return placeAt(offsetOf(readTree({ text, events, tags, pattern }), steps, part));
}

const MAX_DEPTH = 256;

/** A tag in the text, with its value. */
interface Tag {
  readonly offset: number;
  readonly length: number;
  readonly value: unknown;
}

interface Reading {
  readonly text: string;
  readonly events: readonly Event[];
  readonly tags: readonly Tag[];
  readonly pattern: RegExp;
}

interface Node {
  readonly offset: number;
  readonly children: readonly Child[];
}

interface Child {
  readonly step: string | number;
  readonly keyOffset: number;
  readonly node: Node;
}

/** Of equal keys the last one wins, as in the overlay. */
function offsetOf(root: Node, steps: readonly (string | number)[], part: FieldQuery["part"]): number {
  let node = root;
  let keyOffset = root.offset;
  for (const [index, step] of steps.entries()) {
    const child = node.children.findLast((one) => one.step === step);
    if (child === undefined) return index === 0 || node.children.length === 0 ? node.offset : keyOffset;
    keyOffset = child.keyOffset;
    node = child.node;
  }
  return part === "key" ? keyOffset : node.offset;
}

function readTree(reading: Reading): Node {
  const { events } = reading;
  let at = 0;
  while (events[at]?.type === EVENT_ID.DOCUMENT) at += 1;
  return read(0);

  /** @param fallback the offset of a node without text */
  function read(fallback: number): Node {
    const event = events[at++];
    if (event?.type === EVENT_ID.MAPPING) return { offset: event.start, children: readEntries() };
    if (event?.type === EVENT_ID.SEQUENCE) return { offset: event.start, children: readItems(event.start) };
    if (event?.type === EVENT_ID.SCALAR) return { offset: scalarOffset(event, fallback), children: [] };
    if (event?.type === EVENT_ID.ALIAS) return { offset: event.anchorStart, children: [] };
    return { offset: fallback, children: [] };
  }

  function readEntries(): readonly Child[] {
    const children: Child[] = [];
    while (isOpen(events[at])) {
      const key = events[at] as Event;
      const keyOffset = read(0).offset;
      const node = read(keyOffset);
      if (key.type === EVENT_ID.SCALAR) children.push({ step: keyText(key, reading), keyOffset, node });
    }
    at += 1;
    return children;
  }

  function readItems(start: number): readonly Child[] {
    const children: Child[] = [];
    let index = 0;
    while (isOpen(events[at])) {
      const item = events[at] as Event;
      const node = read(start);
      if (!isLeftOut(item, reading)) children.push({ step: index++, keyOffset: node.offset, node });
    }
    at += 1;
    return children;
  }
}

/** The offset of the opening quote, if there is one. */
function scalarOffset({ valueStart, style }: ScalarEvent, fallback: number): number {
  if (valueStart < 0) return fallback;
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? valueStart - 1 : valueStart;
}

function isOpen(event: Event | undefined): boolean {
  return event !== undefined && event.type !== EVENT_ID.POP;
}

function keyText(event: ScalarEvent, { text, tags, pattern }: Reading): string {
  if (event.valueStart < 0) return "";
  let tag = tags.findIndex(({ offset }) => offset >= event.valueStart);
  return getScalarValue(text, event).replace(pattern, () => valueText(tags[tag++]?.value));
}

/** An item that consists of one tag without a value is not in the overlay. */
function isLeftOut(event: Event, { tags }: Reading): boolean {
  if (event.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN || event.tagStart !== -1) return false;
  const tag = tags.find(({ offset }) => offset === event.valueStart);
  return (
    tag !== undefined && tag.length === event.valueEnd - event.valueStart && (tag.value ?? undefined) === undefined
  );
}
