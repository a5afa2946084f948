// The nodes of a YAML text with their positions, for messages that point at a field. parseYaml reads the values.

import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent, YAMLException } from "js-yaml";
import { parseYamlEvents } from "./yaml-events.ts";

export interface YamlNode {
  readonly offset: number;
  readonly children: readonly YamlChild[];
  /** Undefined for the root of an empty text. */
  readonly event: Event | undefined;
}

export interface YamlChild {
  /** The key of an entry or the index of an item. */
  readonly step: string | number;
  readonly keyOffset: number;
  readonly node: YamlNode;
}

/** 1-based. */
export interface YamlPlace {
  readonly line: number;
  readonly column: number;
}

export interface YamlTreeOptions {
  /** The text of a key, where it differs from what is written. */
  readonly keyText?: (key: ScalarEvent) => string;
  /** Items for which it returns true do not count in the indexes of a list. */
  readonly isLeftOut?: (item: Event) => boolean;
}

const MAX_DEPTH = 256;

/** @throws YAMLException for invalid YAML */
export function readYamlTree(text: string, { keyText, isLeftOut }: YamlTreeOptions = {}): YamlNode {
  const events = parseYamlEvents(text, { maxDepth: MAX_DEPTH });
  const textOf = keyText ?? ((key) => (key.valueStart < 0 ? "" : getScalarValue(text, key)));
  let at = 0;
  while (events[at]?.type === EVENT_ID.DOCUMENT) at += 1;
  return read(0);

  /** @param fallback the offset of a node without text */
  function read(fallback: number): YamlNode {
    const event = events[at++];
    if (event?.type === EVENT_ID.MAPPING) return { offset: event.start, children: readEntries(), event };
    if (event?.type === EVENT_ID.SEQUENCE) return { offset: event.start, children: readItems(event.start), event };
    if (event?.type === EVENT_ID.SCALAR) return { offset: scalarOffset(event, fallback), children: [], event };
    if (event?.type === EVENT_ID.ALIAS) return { offset: event.anchorStart, children: [], event };
    return { offset: fallback, children: [], event };
  }

  function readEntries(): readonly YamlChild[] {
    const children: YamlChild[] = [];
    while (isOpen(events[at])) {
      const key = events[at] as Event;
      const keyOffset = read(0).offset;
      const node = read(keyOffset);
      if (key.type === EVENT_ID.SCALAR) children.push({ step: textOf(key), keyOffset, node });
    }
    at += 1;
    return children;
  }

  function readItems(start: number): readonly YamlChild[] {
    const children: YamlChild[] = [];
    let index = 0;
    while (isOpen(events[at])) {
      const item = events[at] as Event;
      const node = read(start);
      if (isLeftOut?.(item) !== true) children.push({ step: index++, keyOffset: node.offset, node });
    }
    at += 1;
    return children;
  }
}

/** The offset of a field, or else of the nearest enclosing node. Of equal keys the last one wins. */
export function fieldOffset(root: YamlNode, steps: readonly (string | number)[], part: "key" | "value"): number {
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

/**
 * Finds a field in a YAML text; undefined if the text is invalid.
 *
 * @example
 * ```ts
 * locateYaml("a:\n  b: 1\n", ["a", "b"], "value") // => { line: 2, column: 6 }
 * locateYaml("a:\n  b: 1\n", ["a", "b"], "key") // => { line: 2, column: 3 }
 * ```
 */
export function locateYaml(
  text: string,
  steps: readonly (string | number)[],
  part: "key" | "value",
): YamlPlace | undefined {
  try {
    return placeOf(text, fieldOffset(readYamlTree(text), steps, part));
  } catch (error) {
    // parseYaml reports what is wrong with the text.
    if (error instanceof YAMLException) return undefined;
    throw error;
  }
}

function placeOf(text: string, offset: number): YamlPlace {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** The offset of the opening quote, if there is one. */
function scalarOffset({ valueStart, style }: ScalarEvent, fallback: number): number {
  if (valueStart < 0) return fallback;
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? valueStart - 1 : valueStart;
}

function isOpen(event: Event | undefined): boolean {
  return event !== undefined && event.type !== EVENT_ID.POP;
}
