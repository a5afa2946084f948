// Where YAML in block style may be cut by its indentation into entries and items. What is unusual is not cut: then the whole text is
// parsed at once.

/** Tabs, other line ends, directives and document markers: their meaning depends on their position. */
export const UNUSUAL = /[\t\r\u0085\u2028\u2029\ufeff]|^(?:%|---|\.\.\.)/m;

/** A line that starts an entry: a plain or quoted key, a colon, and white space or nothing. */
export const ENTRY = /^ *(?:"([^"\\\n]*)"|'([^'\n]*)'|([^\s\-?:,[\]{}#&*!|>'"%@`<](?:[^\n]*?[^\n ])??)) *:(?: |\n|$)/;

/** An entry whose first line is only a key that can only be text. */
const HEADER = /^ *(?!(?:y|n|yes|no|on|off|true|false|null) *:)([a-z_$][\w.$/-]*): *\n/i;

/** Thrown by what cuts. */
export const GIVE_UP = new Error("not block style");

/** The entries or the items of a block. */
export interface CutBlock {
  readonly indent: number;
  readonly isList: boolean;
  /** Where the block begins to have content. */
  readonly first: number;
  /** One after the other, from there to the end of the block. */
  readonly parts: readonly string[];
}

/** @param mark of placeholders: one in a comment is not cut away */
export function cutBlock(text: string, mark: string): CutBlock {
  const first = firstContent(text, mark);
  const indent = indentAt(text, first);
  const isList = isItem(text, first + indent);
  const parts = cut(text, first, indent, (at) => {
    if (isList && !isItem(text, at)) throw GIVE_UP;
    // A list below its key need not be indented.
    return isList || !isItem(text, at);
  });
  return { indent, isList, first, parts };
}

/** The content of an item as a block of the same length, with a space for the dash. */
export function itemBlock(text: string, indent: number): string {
  let content = indent + 1;
  while (text.charCodeAt(content) === SPACE) content += 1;
  return " ".repeat(content) + text.slice(content);
}

/** The key of an entry that has a block below it, and where that begins; undefined for any other. */
export function nestedBlock(text: string, indent: number): { readonly key: string; readonly at: number } | undefined {
  const header = HEADER.exec(text);
  if (header === null) return undefined;
  const at = header[0].length;
  return nestedIndent(text.slice(at)) >= indent ? { key: header[1] as string, at } : undefined;
}

/** Offset of the first line that is not empty or a comment. A slot before it is lost, which parseShape reports. */
function firstContent(text: string, mark: string): number {
  let start = 0;
  while (start < text.length && indentAt(text, start) === -1) start = lineEnd(text, start);
  if (start >= text.length || text.slice(0, start).includes(mark)) throw GIVE_UP;
  return start;
}

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const HASH = 0x23;
const DASH = 0x2d;

function lineEnd(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end + 1;
}

/** Indentation of the line that starts there, -1 if it is empty or a comment. */
function indentAt(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === SPACE) at += 1;
  const code = text.charCodeAt(at);
  return Number.isNaN(code) || code === LINE_FEED || code === HASH ? -1 : at - start;
}

function isItem(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return text.charCodeAt(at) === DASH && (next === SPACE || next === LINE_FEED);
}

/** Cuts before each line of that indentation that starts an entry or item; deeper lines belong to the one before. */
function cut(text: string, first: number, indent: number, begins: (at: number) => boolean): readonly string[] {
  const cuts: string[] = [];
  let begin = first;
  for (let start = lineEnd(text, first); start < text.length; start = lineEnd(text, start)) {
    const own = indentAt(text, start);
    if (own === -1 || own > indent) continue;
    if (own < indent) throw GIVE_UP;
    if (!begins(start + indent)) continue;
    cuts.push(text.slice(begin, start));
    begin = start;
  }
  cuts.push(text.slice(begin));
  return cuts;
}

/** Indentation of the first line with content, -1 if there is none. */
function nestedIndent(text: string): number {
  for (let start = 0; start < text.length; start = lineEnd(text, start)) {
    const indent = indentAt(text, start);
    if (indent !== -1) return indent;
  }
  return -1;
}
