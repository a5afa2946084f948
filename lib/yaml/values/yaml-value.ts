// Nodes → JSON, as sigs.k8s.io/yaml makes it: what scalars, keys, merges and aliases mean. Knows nothing about text but
// the offsets that errors name.

import { defineEntry, type JsonValue } from "@outrigger/base";
import type { YamlMapping, YamlNode, YamlScalar } from "../parse/nodes.ts";
import { YamlSyntaxError } from "../parse/token.ts";
import { keyText, resolveScalar } from "./schema.ts";

/** The bounds of what aliases may repeat, and a listener for keys that are given twice. */
export interface ValueOptions {
  /**
   * The number of characters that aliases may add to the text. If a bound is left out, it is that of an operator's
   * text.
   */
  readonly maxExpansion?: number;
  readonly maxAliases?: number;
  /** Called for each key that its mapping has already. The last one wins. */
  readonly onDuplicate?: (key: YamlNode) => void;
  /** The value of an entry or item that has no text. */
  readonly empty?: JsonValue;
}

const MAX_ALIASES = 10_000;
const MAX_EXPANSION = 1_000_000;
/** The cost of a node in addition to its text: brackets, commas, the work of walking it. */
const NODE_SIZE = 2;

/**
 * The value of a document. Nodes with aliases are shared: treat the result as immutable.
 *
 * @throws YamlSyntaxError for what has no form in JSON, for an alias without anchor, and for aliases that contain
 * themselves or make the document too large
 */
export function yamlValue(
  root: YamlNode,
  { maxExpansion = MAX_EXPANSION, maxAliases = MAX_ALIASES, onDuplicate, empty }: ValueOptions = {},
): JsonValue {
  const anchors = new Map<string, YamlNode>();
  const values = new Map<YamlNode, JsonValue>();
  const sizes = new Map<YamlNode, number>();
  const open = new Set<YamlNode>();
  let size = 0;
  let added = 0;
  let aliases = 0;
  return read(root, undefined);

  function read(node: YamlNode, isItem: "item" | undefined): JsonValue {
    if (node.kind === "alias") return readAlias(node);
    const { anchor } = node;
    if (anchor === undefined) return readOwn(node, isItem);
    anchors.set(anchor, node);
    open.add(node);
    const before = size;
    const value = readOwn(node, isItem);
    open.delete(node);
    values.set(node, value);
    sizes.set(node, size - before);
    return value;
  }

  function readOwn(node: Exclude<YamlNode, { kind: "alias" }>, isItem: "item" | undefined): JsonValue {
    size += NODE_SIZE;
    if (node.kind === "scalar") return readScalar(node, isItem);
    if (node.kind === "sequence") return node.items.map((item) => read(item.node, "item"));
    const object: Record<string, JsonValue> = {};
    fill(object, node, new Set());
    return object;
  }

  function readScalar(node: YamlScalar, isItem: "item" | undefined): JsonValue {
    size += node.end - node.start;
    const isWritten = node.end > node.start || node.tag !== undefined;
    if (!isWritten && isItem !== undefined && empty !== undefined) return empty;
    const value = resolveScalar(node);
    if (isItem !== undefined || node === root) assertFinite(value, node.start);
    return value;
  }

  /** Reads an alias, and counts the cost of repeating its node. */
  function readAlias({ name, start }: Extract<YamlNode, { kind: "alias" }>): JsonValue {
    const target = anchors.get(name);
    if (target === undefined) throw new YamlSyntaxError("this alias has no anchor before it", start);
    if (open.has(target)) throw new YamlSyntaxError("an anchor contains an alias of itself", start);
    const expansion = sizes.get(target) ?? 0;
    size += expansion;
    added += expansion;
    aliases += 1;
    if (added > maxExpansion || aliases > maxAliases)
      throw new YamlSyntaxError("aliases make the document too large", start);
    const value = values.get(target) as JsonValue;
    assertFinite(value, start);
    return value;
  }

  /**
   * Adds a mapping's entries to an object. Later entries override earlier ones, including merged ones (`<<`), in the
   * order of the text.
   */
  function fill(object: Record<string, JsonValue>, mapping: YamlMapping, own: Set<string>): void {
    for (const { key, value } of mapping.entries) {
      if (isMergeKey(key)) {
        merge(object, value);
        continue;
      }
      const name = nameOf(key, read(key, undefined));
      if (own.has(name)) onDuplicate?.(key);
      own.add(name);
      defineEntry(object, name, read(value, "item"));
    }
  }

  /** Returns the text of a key, as keys of JSON are text: `on:` is the key `true`, as in kubectl. */
  function nameOf(key: YamlNode, value: JsonValue): string {
    if (value === null || typeof value === "object")
      throw new YamlSyntaxError("a key must be text, a number or a boolean", key.start);
    if (typeof value === "string") return value;
    const node = key.kind === "alias" ? anchors.get(key.name) : key;
    return keyText(node as YamlScalar, value);
  }

  function merge(object: Record<string, JsonValue>, source: YamlNode): void {
    const sources = source.kind === "sequence" ? source.items.map(({ node }) => node) : [source];
    // Of several, the first one wins; anchors come into being in the order of the text.
    for (const one of sources.map(mergedValue).toReversed())
      for (const [name, value] of Object.entries(one)) defineEntry(object, name, value);
  }

  function mergedValue(source: YamlNode): Readonly<Record<string, JsonValue>> {
    const target = source.kind === "alias" ? anchors.get(source.name) : source;
    if (target !== undefined && target.kind !== "mapping")
      throw new YamlSyntaxError("<< merges a mapping, or a list of mappings", source.start);
    return read(source, undefined) as Readonly<Record<string, JsonValue>>;
  }
}

/** The name of an entry as its mapping has it; undefined for a merge, and for a key that is an alias. */
export function entryName(key: YamlNode): string | undefined {
  if (key.kind !== "scalar" || isMergeKey(key)) return undefined;
  const value = resolveScalar(key);
  return value === null ? undefined : keyText(key, value);
}

/** Rejects infinity and NaN, which JSON does not have. A key may be one of them: it is text then. */
function assertFinite(value: JsonValue, at: number): void {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new YamlSyntaxError("infinity and NaN have no JSON form: put the value in quotes if it is text", at);
}

function isMergeKey(key: YamlNode): boolean {
  if (key.kind !== "scalar" || key.value !== "<<") return false;
  return key.tag === MERGE_TAG || (key.style === "plain" && key.tag === undefined);
}

const MERGE_TAG = "tag:yaml.org,2002:merge";
