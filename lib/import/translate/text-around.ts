// The text around the actions of a Go template: what it is to YAML, and where a line of it ends.

import { type GoNode, isBlock } from "../go/go-syntax.ts";
import type { Piece } from "./piece.ts";
import { placeOf, type YamlPosition } from "./yaml-position.ts";

/** Blank lines count in a block scalar only; those at the start of a text are before any that it opens. */
export function textPieces(text: string, position: YamlPosition): readonly Piece[] {
  if (placeOf(position).isInBlock) return [{ kind: "text", text, isLiteral: true }];
  const lead = /^\s*\n/.exec(text)?.[0] ?? "";
  const isLiteral = /[|>][-+0-9]*[ \t]*\n/.test(text);
  const body: Piece = {
    kind: "text",
    text: isLiteral ? text.slice(lead.length) : withClosersInside(text.slice(lead.length), lead !== ""),
    isLiteral,
  };
  return lead === "" ? [body] : [{ kind: "text", text: lead, isLiteral: false }, body];
}

/** Go's YAML accepts the bracket that closes a flow collection at the column of its key; YAML itself does not. */
function withClosersInside(text: string, startsLine: boolean): string {
  const [first = "", ...others] = text.split("\n");
  const moved = (line: string) => (/^[ \t]*[}\]],?[ \t]*$/.test(line) ? `  ${line}` : line);
  return [startsLine ? moved(first) : first, ...others.map(moved)].join("\n");
}

/** Whether the mapping that a line at this column belongs to has entries above. */
export function siblings(position: YamlPosition, column: number): boolean {
  return column !== -1 && position.levels.some((level) => level.column === column && !level.isItem);
}

/** Whether a line at this column is among the items of a list. */
export function isAmongItems(position: YamlPosition, column: number): boolean {
  return position.levels.some((level) => level.column === column && level.isItem);
}

/** Whether a list can be here that is at the column of its key: `tolerations:`, and its items below the key. */
export function isListAtItsKey({ line, levels }: YamlPosition): boolean {
  const key = levels.at(-1);
  if (line.trim() !== "" || key === undefined || key.isItem || key.column !== line.length) return false;
  return key.isOpen && key.type?.kind === "list";
}

/** Whether a line ends before any further output, whichever branches are taken. */
export function endsLineNext(nodes: readonly GoNode[], after: () => boolean): boolean {
  const [node, ...rest] = nodes;
  if (node === undefined) return after();
  if (node.kind === "text")
    return /^[ \t]*(\n|#)/.test(node.text) || (node.text.trim() === "" && endsLineNext(rest, after));
  if (node.kind === "comment" || (node.kind === "action" && node.pipeline.variables.length > 0))
    return endsLineNext(rest, after);
  if (!isBlock(node)) return node.kind === "template";
  const continued = () => endsLineNext(rest, after);
  return endsLineNext(node.body, continued) && endsLineNext(node.otherwise, continued);
}
