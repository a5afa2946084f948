// What it means that an edit keeps a file: all of its text is still there, in its order, outside of the values that the
// edit gives another value. It knows texts and values, and nothing of how the edit was made.
import { isObject, type JsonObject, type JsonValue, jsonEqual } from "@outrigger/base";
import { parseYamlDocuments, parseYamlNodes, type YamlNode, yamlValue } from "@outrigger/yaml";
import { alignItems } from "./align-items.ts";

type YamlMapping = Extract<YamlNode, { kind: "mapping" }>;
type YamlSequence = Extract<YamlNode, { kind: "sequence" }>;

/**
 * A place at which the text of the file may be interrupted: text of that range may be gone, and other text be in its
 * place.
 */
interface Cut {
  readonly start: number;
  readonly end: number;
}

/** The comments above the first entry of a collection, and the space before it: a new first entry may come above them. */
const COMMENTS_ABOVE = /(?:\n[ \t]*(?:#[^\n]*)?)+$/;

/**
 * The parts of `before` that `after` does not have, in the order of the file. A part ends where the edit has to write: at a
 * scalar with another value, at an entry that is gone, and between the entries of a collection that gets a new one.
 */
export function lostText(before: string, after: string): readonly string[] {
  const old = parseYamlDocuments(before, "before");
  const edited = parseYamlDocuments(after, "after");
  if (old.length !== edited.length) return [before];
  const cuts = old.flatMap(({ start, end, value }, index) => {
    const wanted = edited[index]?.value ?? null;
    return jsonEqual(value, wanted) ? [] : cutsOf(before.slice(start, end), wanted, start);
  });
  const lost: string[] = [];
  let from = 0;
  for (const part of partsBetween(before, cuts)) {
    const found = after.indexOf(part, from);
    if (found === -1) lost.push(part);
    else from = found + part.length;
  }
  return lost;
}

function partsBetween(text: string, cuts: readonly Cut[]): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of cuts.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start > from) parts.push(text.slice(from, start));
    from = Math.max(from, end);
  }
  return [...parts, text.slice(from)];
}

function cutsOf(text: string, wanted: JsonValue, offset: number): readonly Cut[] {
  const root = parseYamlNodes(text, { isJson: isJson(text) })?.root;
  if (root === undefined) return [];
  const value = yamlValue(root, VALUES);
  const cuts: Cut[] = [];
  visit(root, value, wanted);
  return cuts.map(({ start, end }) => ({ start: start + offset, end: end + offset }));

  function visit(node: YamlNode, current: JsonValue | undefined, target: JsonValue | undefined): void {
    if (jsonEqual(current, target)) return;
    if (node.kind === "mapping" && node.entries.length > 0 && isObject(current) && isObject(target)) {
      visitMapping(node, current, target);
    } else if (node.kind === "sequence" && node.items.length > 0 && Array.isArray(current) && Array.isArray(target)) {
      visitSequence(node, current, target);
    } else cuts.push({ start: text.slice(0, node.start).trimEnd().length, end: node.end });
  }

  function visitMapping(node: YamlMapping, current: JsonObject, target: JsonObject): void {
    const names = node.entries.map(({ key }) => nameOf(key, node));
    const ranges = node.entries.map(({ key, value: child }) => ({ start: key.outerStart, end: child.end }));
    for (const [index, { value: child }] of node.entries.entries()) {
      const name = names[index];
      if (name === undefined || names.lastIndexOf(name) !== index) continue;
      if (target[name] === undefined) cuts.push(withoutPlace(ranges, index, node));
      else visit(child, current[name], target[name]);
    }
    if (Object.keys(target).some((name) => !names.includes(name))) between(ranges, node);
  }

  function visitSequence(node: YamlSequence, current: readonly JsonValue[], target: readonly JsonValue[]): void {
    const ranges = node.items.map(({ dash, node: item }) => ({ start: dash, end: item.end }));
    const aligned = alignItems(current, target);
    const kept = new Set(aligned.map((item) => item.before));
    for (const { before, after } of aligned) {
      if (before !== undefined)
        visit((node.items[before] as YamlSequence["items"][number]).node, current[before], after);
    }
    for (const index of ranges.keys()) if (!kept.has(index)) cuts.push(withoutPlace(ranges, index, node));
    if (aligned.some(({ before }) => before === undefined)) between(ranges, node);
  }

  /** An entry that is gone, with its line in block style, and with one comma in flow style. */
  function withoutPlace(ranges: readonly Cut[], index: number, { flow }: YamlMapping | YamlSequence): Cut {
    const { start, end } = ranges[index] as Cut;
    if (flow) return { start: ranges[index - 1]?.end ?? start, end: ranges[index + 1]?.start ?? end };
    const line = text.lastIndexOf("\n", start - 1) + 1;
    const next = text[end - 1] === "\n" ? end : text.indexOf("\n", end) + 1;
    return { start: text.slice(line, start).trim() === "" ? line : start, end: next === 0 ? text.length : next };
  }

  /** Adds the cuts before and after each entry, and in block style at each line, where comments are. */
  function between(ranges: readonly Cut[], node: YamlMapping | YamlSequence): void {
    for (const { start, end } of ranges) cuts.push({ start, end: start }, { start: end, end });
    if (node.flow) return;
    const first = text.lastIndexOf("\n", text.slice(0, node.start).replace(COMMENTS_ABOVE, "").length - 1) + 1;
    const last = (ranges.at(-1) as Cut).end;
    for (let at = text.indexOf("\n", first) + 1; at > 0; at = text.indexOf("\n", at) + 1) {
      cuts.push({ start: at, end: at });
      if (at > last) return;
    }
  }
}

const VALUES = { maxAliases: 10_000, maxExpansion: 1_000_000, onDuplicate: () => {} };

/** A key as its mapping has it; undefined for a merge, and for a key that is an alias. */
function nameOf(key: YamlNode, mapping: YamlMapping): string | undefined {
  if (key.kind !== "scalar" || (key.value === "<<" && key.style === "plain")) return undefined;
  return Object.keys(yamlValue({ ...mapping, entries: [{ key, value: key }] }, VALUES) as JsonObject)[0];
}

function isJson(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
