// What to change in the text of a document so that its value becomes another one: only the nodes that differ. Knows
// positions and values; how values are printed is print-value.ts, whether the result is right is edit-document.ts.

import { entryOf, isObject, type JsonObject, type JsonValue, jsonEqual } from "@outrigger/base";
import type { YamlEntry, YamlItem, YamlMapping, YamlNode, YamlSequence } from "../parse/nodes.ts";
import { entryName } from "../values/yaml-value.ts";
import { pairUp, type Run, runs } from "./align-lists.ts";
import { columnOf, type DocumentStyle, lineEndAfter, lineIndentOf, lineStartOf } from "./document-style.ts";
import { blockLines, flowEntry, flowText, indented, jsonLines, scalarText } from "./print-value.ts";

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Part = Pick<TextEdit, "start" | "end">;

/** The number of characters that may be added to a value in flow style on one line. */
const MOST_ADDED = 100;

/** The place of a node, which limits the form of a new value there. */
type Place =
  | { readonly kind: "root" | "flow" }
  /** An entry or item in block style; `column` is that of the collection's keys or dashes. */
  | { readonly kind: "entry" | "item"; readonly column: number };

/**
 * @param text ends with a line break
 * @param value what the reader makes of it
 */
export function collectEdits(
  text: string,
  root: YamlNode,
  value: JsonValue,
  wanted: JsonValue,
  style: DocumentStyle,
): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  const { lineBreak, isJson } = style;
  const isCompact = isJson && style.isCompact;
  walk(root, value, wanted, { kind: "root" });
  return edits;

  function put(start: number, end: number, inserted: string): void {
    edits.push({ start, end, text: inserted });
  }

  function walk(node: YamlNode, current: JsonValue | undefined, target: JsonValue, place: Place): void {
    if (jsonEqual(current, target)) return;
    if (place.kind !== "flow" && current !== undefined && outgrowsFlow(node, current, target)) {
      replace(node, target, place, current);
    } else if (node.kind === "mapping" && isObject(current) && isObject(target) && keepsEntry(node, target)) {
      editMapping(node, current, target);
    } else if (node.kind === "sequence" && Array.isArray(current) && Array.isArray(target)) {
      editSequence(node, current, target, place);
    } else replace(node, target, place);
  }

  /** Whether what is written on a line would become a line that nobody reads: it is written in block style then. */
  function outgrowsFlow(node: YamlNode, current: JsonValue, target: JsonValue): boolean {
    if (isJson || node.kind === "scalar" || node.kind === "alias" || !node.flow) return false;
    if (flowText(target, false).length - flowText(current, false).length <= MOST_ADDED) return false;
    // Comments, anchors, aliases and tags are not in the value.
    return !/[#&*!]/.test(text.slice(node.start, node.end));
  }

  function editMapping(node: YamlMapping, current: JsonObject, target: JsonObject): void {
    const column = columnOf(text, (node.entries[0] as YamlEntry).key.outerStart);
    const place: Place = node.flow ? { kind: "flow" } : { kind: "entry", column };
    const names = node.entries.map(({ key }) => entryName(key));
    const removed: number[] = [];
    for (const [index, { value: child }] of node.entries.entries()) {
      const name = names[index];
      if (name === undefined) continue;
      const next = entryOf(target, name);
      if (next === undefined) removed.push(index);
      // Of a key that is given twice, the last one counts.
      else if (names.lastIndexOf(name) === index) walk(child, entryOf(current, name), next, place);
    }
    const parts = node.entries.map(({ key, value: child }) => ({ start: key.outerStart, end: child.end }));
    for (const run of runs(removed)) remove(parts, run, node.flow);
    const added = Object.entries(target).filter(([name, child]) => {
      if (child === undefined) return false;
      return !names.includes(name) && !jsonEqual(entryOf(current, name), child);
    });
    if (added.length > 0) addEntries(node, Object.fromEntries(added) as Record<string, JsonValue>, column);
  }

  function addEntries(node: YamlMapping, added: Readonly<Record<string, JsonValue>>, column: number): void {
    const last = node.entries.at(-1) as YamlEntry;
    if (!node.flow) {
      insertLines(lineEndAfter(text, last.value.end), indented(blockLines(added, style), column));
      return;
    }
    const indent = ownIndent(node, last.key.outerStart);
    const printed = Object.entries(added).map(([name, child]) => {
      if (!isJson || indent === undefined) return compact(flowEntry(name, child, isJson), { [name]: child });
      return `${flowText(name, true)}: ${printedJson(child, indent)}`;
    });
    append(last.value.end, printed, indent);
  }

  function editSequence(
    node: YamlSequence,
    current: readonly JsonValue[],
    target: readonly JsonValue[],
    place: Place,
  ): void {
    const kept = pairUp(current, target);
    if (kept.every((index) => index === undefined)) {
      replace(node, target, place);
      return;
    }
    const column = columnOf(text, (node.items[0] as YamlItem).dash);
    const childPlace: Place = node.flow ? { kind: "flow" } : { kind: "item", column };
    const positions = new Set(kept);
    const removed = node.items.map((_, index) => index).filter((index) => !positions.has(index));
    const parts = node.items.map(({ dash, node: item }) => ({ start: dash, end: item.end }));
    // The items before the next one that is kept, or after the last one.
    let pending: JsonValue[] = [];
    for (const [index, item] of target.entries()) {
      const before = kept[index];
      if (before === undefined) pending.push(item);
      else {
        insertItems(node, before, pending, column);
        pending = [];
        walk((node.items[before] as YamlItem).node, current[before], item, childPlace);
      }
    }
    for (const run of runs(removed)) remove(parts, run, node.flow);
    insertItems(node, node.items.length, pending, column);
  }

  function insertItems(node: YamlSequence, position: number, items: readonly JsonValue[], column: number): void {
    if (items.length === 0) return;
    const next = node.items[position];
    if (node.flow) {
      insertFlowItems(node, next, items);
      return;
    }
    const lines = items.flatMap(itemLines);
    if (next === undefined) {
      insertLines(lineEndAfter(text, (node.items.at(-1) as YamlItem).node.end), indented(lines, column));
    } else if (lineIndentOf(text, next.dash) === undefined) {
      const [first = "", ...rest] = lines;
      const inserted = [first, ...indented(rest, column)].join(lineBreak);
      put(next.dash, next.dash, inserted + lineBreak + " ".repeat(column));
    } else insertLines(commentsBefore(next.dash), indented(lines, column));
  }

  function insertFlowItems(node: YamlSequence, next: YamlItem | undefined, items: readonly JsonValue[]): void {
    const last = node.items.at(-1) as YamlItem;
    const indent = ownIndent(node, (next ?? last).dash);
    const printed = items.map((item) =>
      isJson && indent !== undefined ? printedJson(item, indent) : compact(flowText(item, isJson), item),
    );
    if (next === undefined) append(last.node.end, printed, indent);
    else {
      put(next.dash, next.dash, printed.map((item) => item + gapOf(indent)).join(""));
    }
  }

  /** Appends to a collection in flow style: after the last entry or item, before a comma that follows it. */
  function append(end: number, printed: readonly string[], indent: string | undefined): void {
    put(end, end, printed.map((item) => gapOf(indent) + item).join(""));
  }

  function gapOf(indent: string | undefined): string {
    if (indent !== undefined) return `,${lineBreak}${indent}`;
    return isCompact ? "," : ", ";
  }

  function compact(printed: string, item: JsonValue): string {
    if (!isCompact) return printed;
    const whole = JSON.stringify(item);
    return printed.startsWith("{") || !isObject(item) ? whole : whole.slice(1, -1);
  }

  /** JSON on several lines, of which the first is not indented. */
  function printedJson(item: JsonValue, indent: string): string {
    return jsonLines(item, style.jsonIndent).join(lineBreak + indent);
  }

  /** The indentation of the entries of a flow collection that is written on several lines. */
  function ownIndent(node: YamlNode, offset: number): string | undefined {
    return lineStartOf(text, offset) > node.start ? lineIndentOf(text, offset) : undefined;
  }

  function itemLines(item: JsonValue): readonly string[] {
    const [first = "", ...rest] = blockLines(item, style);
    return [`- ${first}`, ...indented(rest, 2)];
  }

  function insertLines(at: number, lines: readonly string[]): void {
    put(at, at, lines.map((line) => line + lineBreak).join(""));
  }

  function remove(parts: readonly Part[], [from, to]: Run, isFlow: boolean): void {
    const first = parts[from] as Part;
    const end = (parts[to] as Part).end;
    const next = parts[to + 1];
    const before = parts[from - 1];
    if (!isFlow && lineIndentOf(text, first.start) !== undefined) {
      put(lineStartOf(text, first.start), lineEndAfter(text, end), "");
    } else if (next !== undefined) put(first.start, next.start, "");
    else if (before !== undefined) put(before.end, end, "");
  }

  /** @param before what was there, where its order is to stay */
  function replace(node: YamlNode, target: JsonValue, place: Place, before?: JsonValue): void {
    const isCollection = typeof target === "object" && target !== null && Object.keys(target).length > 0;
    // A tag may not fit the new value; an anchor does.
    const start = node.tag === undefined ? node.start : node.outerStart;
    const isWritten = node.end > node.start;
    const closing = isWritten && text[node.end - 1] === "\n" ? lineBreak : "";
    if (isJson || place.kind === "flow") {
      const line = lineStartOf(text, start);
      const indent = lineIndentOf(text, line + text.slice(line, start).search(/[^ \t]|$/));
      const isWide = isJson && !isCompact && isCollection && text.slice(root.start, root.end).includes("\n");
      const printed = isWide ? printedJson(target, indent ?? "") : valueText(node, target);
      put(start, node.end, (isWritten ? "" : " ") + printed + closing);
    } else if (!isCollection) {
      put(start, node.end, (isWritten ? "" : " ") + scalarText(node, target) + closing);
    } else if (place.kind === "entry") {
      const offset = Array.isArray(target) && !style.indentsLists ? 0 : style.indent;
      replaceBelow(node, start, indented(blockLines(target, style, before), place.column + offset));
    } else {
      const column = place.kind === "item" ? place.column + 2 : 0;
      const [first = "", ...rest] = blockLines(target, style, before);
      const lines = [(isWritten ? "" : " ") + first, ...indented(rest, column)].join(lineBreak);
      put(start, node.end, lines + closing);
    }
  }

  function valueText(node: YamlNode, target: JsonValue): string {
    const isDouble = node.kind === "scalar" && node.style === "double";
    return isCompact ? JSON.stringify(target) : flowText(target, isJson || isDouble);
  }

  /** A collection in block style as the value of a key: on the lines below it. */
  function replaceBelow(node: YamlNode, start: number, lines: readonly string[]): void {
    if (node.end === node.start) {
      insertLines(lineEndAfter(text, node.end), lines);
      return;
    }
    const key = text.slice(0, start).trimEnd().length;
    const closing = text[node.end - 1] === "\n" ? lineBreak : "";
    // A comment on the key's line stays on it.
    const comment =
      closing === "" ? (/^[ \t]+#[^\r\n]*/.exec(text.slice(node.end, lineEndAfter(text, node.end)))?.[0] ?? "") : "";
    const end = node.end + comment.length;
    put(key, end, comment + lineBreak + lines.join(lineBreak) + closing);
  }

  /** The start of the comment lines directly above a line: they belong to what follows them. */
  function commentsBefore(offset: number): number {
    let start = lineStartOf(text, offset);
    while (start > 0) {
      const above = lineStartOf(text, start - 1);
      if (!/^[ \t]*#/.test(text.slice(above, start))) break;
      start = above;
    }
    return start;
  }
}

function keepsEntry(node: YamlMapping, target: JsonObject): boolean {
  return node.entries.some(({ key }) => {
    const name = entryName(key);
    return name === undefined ? key.kind === "scalar" && key.value === "<<" : entryOf(target, name) !== undefined;
  });
}
