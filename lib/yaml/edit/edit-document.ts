// Changes a document's value by changing its text in as few places as it takes: comments, order, quotes and anchors of
// everything else stay. The result is read again, so it never has another value than was asked for.

import { defineEntry, entryOf, isObject, type JsonObject, type JsonValue, jsonEqual } from "@outrigger/base";
import type { YamlLayout } from "../format-yaml.ts";
import { parseYamlNodes } from "../parse/parse-nodes.ts";
import { YamlSyntaxError } from "../parse/token.ts";
import { yamlValue } from "../values/yaml-value.ts";
import { alignLists, isSame } from "./align-lists.ts";
import { collectEdits, type TextEdit } from "./collect-edits.ts";
import { documentStyle } from "./document-style.ts";

/**
 * The most rounds of edits. Two are needed when an anchor changes: its aliases change too, and are then written out.
 */
const MAX_ROUNDS = 4;

/**
 * The document with the wanted value; undefined where its text cannot be edited so that it has that value.
 *
 * @param text one document, YAML or JSON, without the separators around it
 * @param layout `keepsOrder`: new keys are written in the order of the value, and not in that of their names
 * @example
 * ```ts
 * editDocument("a: 1 # one\nb: [x]\n", { a: 2, b: ["x", "z"] }) // => "a: 2 # one\nb: [x, z]\n"
 * ```
 */
export function editDocument(
  text: string,
  wanted: JsonValue,
  { keepsOrder = false }: Pick<YamlLayout, "keepsOrder"> = {},
): string | undefined {
  const isJson = isJsonText(text);
  const isEnded = text.endsWith("\n");
  let edited = isEnded ? text : `${text}\n`;
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const root = parseYamlNodes(edited, { isJson })?.root;
      if (root === undefined) return undefined;
      const value = yamlValue(root);
      if (jsonEqual(value, wanted)) return isEnded ? edited : edited.replace(/\r?\n$/, "");
      const edits = collectEdits(edited, root, value, wanted, { ...documentStyle(edited, root), keepsOrder });
      const next = applyEdits(edited, edits);
      if (next === undefined || next === edited) return undefined;
      edited = next;
    }
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
  }
  return undefined;
}

function isJsonText(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/**
 * Applies edits to a text, or returns undefined if they overlap. Insertions at one offset stay in their order, before a
 * replacement that begins there.
 */
function applyEdits(text: string, edits: readonly TextEdit[]): string | undefined {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: inserted } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start < at) return undefined;
    parts.push(text.slice(at, start), inserted);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

/**
 * The written value with the change from `before` to `after`. What did not change is as it was written, also in an item that moved.
 *
 * @example
 * ```ts
 * rebase({ a: 1, b: null }, { a: "1" }, { a: "1", c: "2" }) // => { a: 1, b: null, c: "2" }
 * ```
 */
export function rebase(written: JsonValue, before: JsonValue | undefined, after: JsonValue): JsonValue {
  if (jsonEqual(before, after)) return written;
  if (isObject(written) && isObject(before) && isObject(after)) return rebaseObject(written, before, after);
  if (Array.isArray(written) && Array.isArray(before) && Array.isArray(after)) {
    return alignLists(before, after).map((item) => {
      const at = item.before ?? before.findIndex((other) => isSame(other, item.after));
      return at === -1 ? item.after : rebase(written[at] as JsonValue, before[at], item.after);
    });
  }
  return after;
}

function rebaseObject(written: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const rebased: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(written)) {
    if (value === undefined) continue;
    const [was, is] = [entryOf(before, key), entryOf(after, key)];
    // Its type reads nothing of it, and nothing of it was changed.
    if (was === undefined && is === undefined) defineEntry(rebased, key, value);
    else if (is !== undefined) defineEntry(rebased, key, rebase(value, was, is));
  }
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined || Object.hasOwn(written, key)) continue;
    // Its type reads something that is not written.
    if (!jsonEqual(entryOf(before, key), value)) defineEntry(rebased, key, value);
  }
  return rebased;
}
