// `toYaml` next to entries of the same mapping: Go joins texts, here the entries and the value become one merged map.

import type { Piece } from "./piece.ts";

/**
 * Returns the pieces with the entries above a bound map taken into it, as far back as its mapping begins.
 *
 * @param argument the map as a Handlebars argument
 * @returns undefined where an entry is more than a key with one scalar
 */
export function mergeSiblings(
  pieces: readonly Piece[],
  column: number,
  argument: string,
): readonly Piece[] | undefined {
  const tags: string[] = [];
  let text = "";
  let start = pieces.length;
  while (start > 0) {
    const piece = pieces[start - 1] as Piece;
    if (piece.kind === "text") text = piece.text + text;
    else if (piece.kind === "tag") text = `\ue002${tags.push(piece.text) - 1}\ue002${text}`;
    else if (piece.kind !== "comment") break;
    start -= 1;
    const opened = openingOf(text, column);
    if (opened === undefined) continue;
    const entries = opened.lines.map((line) => entryOf(line, tags));
    if (entries.includes(undefined)) return undefined;
    const kept: Piece = { kind: "text", text: opened.kept, isLiteral: false };
    if (/\ue002/.test(opened.kept)) return undefined;
    const tag: Piece = { kind: "tag", text: `{{merge (dict ${entries.join(" ")}) ${argument}}}` };
    return [...pieces.slice(0, start), kept, tag];
  }
  return undefined;
}

/**
 * Finds the beginning of the mapping, after a dash or on the line below its key. Returns the text before its first entry, and the
 * lines of its entries without indentation.
 */
function openingOf(text: string, column: number): { kept: string; lines: readonly string[] } | undefined {
  const all = text.split("\n");
  const lines: string[] = [];
  for (let index = all.length - 1; index > 0; index--) {
    const line = all[index] as string;
    const content = line.trimStart();
    const indent = line.length - content.length;
    if (content === "" || content.startsWith("#")) continue;
    const dash = /^-(\s+)/.exec(content);
    if (dash !== null && indent + dash[0].length === column) {
      const kept = [...all.slice(0, index), line.slice(0, column)].join("\n");
      return { kept, lines: [content.slice(dash[0].length), ...lines] };
    }
    if (indent === column) lines.unshift(content);
    else if (indent < column && content.endsWith(":")) {
      return { kept: [...all.slice(0, index + 1), " ".repeat(column)].join("\n"), lines };
    } else return undefined;
  }
  return undefined;
}

const ENTRY = /^([A-Za-z0-9_./-]+):\s+(?:"([^"\\]*)"|'([^']*)'|(\S.*))$/;

function entryOf(line: string, tags: readonly string[]): string | undefined {
  const [, key, double, single, plain] = ENTRY.exec(line.trimEnd()) ?? [];
  const value = double ?? single ?? plain;
  if (key === undefined || value === undefined || value.includes('"')) return undefined;
  const [, number] = /^\ue002(\d+)\ue002$/.exec(value) ?? [];
  if (number !== undefined) return `"${key}" ${argumentOf(tags[Number(number)] as string)}`;
  if (value.includes("\ue002")) return undefined;
  const isLiteral = plain !== undefined && /^(true|false|\d+)$/.test(plain);
  return `"${key}" ${isLiteral ? value : `"${value}"`}`;
}

function argumentOf(tag: string): string {
  const inner = tag.slice(2, -2);
  return inner.includes(" ") ? `(${inner})` : inner;
}
