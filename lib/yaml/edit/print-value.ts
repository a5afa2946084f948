// Prints a value to be inserted into a document: as lines of block style, or in flow style on one line or several.

import { isObject, type JsonValue } from "@outrigger/base";
import { formatYaml } from "../format-yaml.ts";
import type { YamlNode } from "../parse/nodes.ts";
import { isTakenForOther } from "../values/schema.ts";
import type { DocumentStyle } from "./document-style.ts";

/**
 * The lines of a value in block style, without indentation of their own. A collection begins on the first line.
 */
export function blockLines(value: JsonValue, { indent, indentsLists }: DocumentStyle): readonly string[] {
  return formatYaml(value, { indent, indentsLists }).replace(/\n$/, "").split("\n");
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
