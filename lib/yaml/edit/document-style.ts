// How a document is written: what inserted lines should look like.

import type { YamlLayout } from "../format-yaml.ts";
import type { YamlNode } from "../parse/nodes.ts";

export interface DocumentStyle extends Pick<YamlLayout, "indent" | "indentsLists" | "keepsOrder"> {
  readonly lineBreak: "\n" | "\r\n";
  /** Whether everything is in flow style and in double quotes: JSON, or YAML that is written like it. */
  readonly isJson: boolean;
  /** The white space of one level of JSON. */
  readonly jsonIndent: string;
  /** Whether the document is JSON without any white space. */
  readonly isCompact: boolean;
}

const DEFAULT_INDENT = 2;
const MAX_INDENT = 8;
/** The number of characters that are searched for the white space before the first key. */
const MAX_LOOK = 1000;

/** Looks at the collections of the document, and at its line breaks. What it does not show is as kubectl writes it. */
export function documentStyle(text: string, root: YamlNode): DocumentStyle {
  const indents: number[] = [];
  const lists: number[] = [];
  visit(root);
  const step = indents.find((one) => one > 0 && one <= MAX_INDENT);
  const list = lists[0];
  const first = root.kind === "mapping" ? root.entries[0] : undefined;
  const ownLine = first === undefined ? undefined : lineIndentOf(text, first.key.start);
  return {
    indent: step ?? DEFAULT_INDENT,
    indentsLists: list !== undefined && list > 0,
    lineBreak: /\r\n/.test(text) ? "\r\n" : "\n",
    isJson: root.kind === "mapping" && root.flow && /^\s*\{\s*"/.test(text.slice(root.start, root.start + MAX_LOOK)),
    jsonIndent: ownLine === undefined || ownLine === "" ? "  " : ownLine,
    isCompact: first !== undefined && /^:\S/.test(text.slice(first.key.end, first.key.end + 2)),
  };

  function visit(node: YamlNode): void {
    if (node.kind === "mapping" && !node.flow) {
      const column = columnOf(text, node.start);
      for (const { value } of node.entries) {
        if (value.kind === "mapping" && !value.flow) indents.push(columnOf(text, value.start) - column);
        if (value.kind === "sequence" && !value.flow) lists.push(columnOf(text, value.start) - column);
        visit(value);
      }
    } else if (node.kind === "sequence" && !node.flow) {
      for (const item of node.items) visit(item.node);
    }
  }
}

/** The white space before a node that begins its line; undefined for one that does not. */
export function lineIndentOf(text: string, offset: number): string | undefined {
  const before = text.slice(lineStartOf(text, offset), offset);
  return before.trim() === "" ? before : undefined;
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStartOf(text, offset);
}

export function lineStartOf(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Offset after the line break that follows a node, or the length of the text. A block scalar ends after its own. */
export function lineEndAfter(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === "\n") return offset;
  const found = text.indexOf("\n", offset);
  return found === -1 ? text.length : found + 1;
}
