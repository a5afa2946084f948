// Prints a value to be inserted into a document: as lines of block style, or in flow style on one line or several.

import { defineEntry, isObject, type JsonValue } from "@outrigger/base";
import { formatYaml } from "../format-yaml.ts";
import type { YamlNode } from "../parse/nodes.ts";
import { isTakenForOther } from "../values/schema.ts";
import { pairUp } from "./align-lists.ts";
import type { DocumentStyle } from "./document-style.ts";

/**
 * The lines of a value in block style, without indentation of their own. A collection begins on the first line.
 *
 * @param before what was there: its keys keep their order, and new ones follow in that of their names, or with
 * `keepsOrder` of the value
 */
export function blockLines(
  value: JsonValue,
  { indent, indentsLists, keepsOrder }: DocumentStyle,
  before?: JsonValue,
): readonly string[] {
  const text = formatYaml(ordered(value, before, keepsOrder), { indent, indentsLists, keepsOrder: true });
  return text.replace(/\n$/, "").split("\n");
}

function ordered(value: JsonValue, before: JsonValue | undefined, keepsOrder = false): JsonValue {
  if (Array.isArray(value)) {
    const kept: readonly (number | undefined)[] = Array.isArray(before) ? pairUp(before, value) : [];
    return value.map((item, index) => ordered(item, (before as readonly JsonValue[])?.[kept[index] ?? -1], keepsOrder));
  }
  if (!isObject(value)) return value;
  const known = isObject(before) ? before : {};
  const keys = Object.keys(value);
  const added = keys.filter((key) => !Object.hasOwn(known, key));
  const inOrder = [...Object.keys(known).filter((key) => keys.includes(key)), ...(keepsOrder ? added : added.sort())];
  const result: Record<string, JsonValue> = {};
  for (const key of inOrder) defineEntry(result, key, ordered(value[key] as JsonValue, known[key], keepsOrder));
  return result;
}

/** Lines with so many spaces before them; empty lines stay empty. */
export function indented(lines: readonly string[], column: number): readonly string[] {
  const spaces = " ".repeat(column);
  return lines.map((line) => (line === "" ? "" : spaces + line));
}

/** Text that needs no quotes anywhere in flow style. */
const PLAIN = /^[A-Za-z0-9_./][\w./-]*(?::[\w./-]+)*$/;

/** A value in flow style on one line: JSON, or with as few quotes as are safe. */
export function flowText(value: JsonValue, isJson: boolean): string {
  if (typeof value === "string") return isJson ? quoted(value) : flowScalar(value);
  if (Array.isArray(value)) return `[${value.map((item) => flowText(item, isJson)).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${entries.map(([key, one]) => flowEntry(key, one as JsonValue, isJson)).join(", ")}}`;
}

export function flowEntry(key: string, value: JsonValue, isJson: boolean): string {
  return `${flowText(key, isJson)}: ${flowText(value, isJson)}`;
}

/** A value of JSON on several lines. The first is not indented, the last closes what it opens. */
export function jsonLines(value: JsonValue, indent: string): readonly string[] {
  return escaped(JSON.stringify(value, undefined, indent)).split("\n");
}

/** A scalar, or an empty collection, in place of a node: in the quotes that it had. */
export function scalarText(node: YamlNode, value: JsonValue): string {
  if (typeof value !== "string") return JSON.stringify(value);
  if (node.kind === "scalar" && node.style === "double") return quoted(value);
  if (node.kind === "scalar" && node.style === "single" && /^[\x20-\x7e]*$/.test(value))
    return `'${value.replaceAll("'", "''")}'`;
  const text = formatYaml(value).replace(/\n$/, "");
  return text.includes("\n") || /^[|>]/.test(text) ? quoted(value) : text;
}

function flowScalar(text: string): string {
  return PLAIN.test(text) && !isTakenForOther(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return escaped(JSON.stringify(text));
}

/** Line breaks and control characters of Unicode that YAML, unlike JSON, does not take as they are. */
function escaped(json: string): string {
  return json.replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
