// Where in the YAML of a pod a point of the template's text is: the type that a value has there. Reads indentation line by
// line, as far as it goes; where it does not, the type is unknown.

import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import type { Position } from "../go/go-syntax.ts";

interface Level {
  readonly column: number;
  readonly isItem: boolean;
  /** Whether it is a key with nothing after it on its line. */
  readonly isOpen: boolean;
  readonly type: TypeSchema | undefined;
}

export interface YamlPosition {
  /** Outermost first. */
  readonly levels: readonly Level[];
  /** The current line so far; a tag is one SLOT. */
  readonly line: string;
  /** The column of the key whose block scalar the lines belong to. */
  readonly block: number | undefined;
  /** The map or list that was bound last, until it is known how the text goes on. */
  readonly whole: WholeValue | undefined;
}

interface WholeValue {
  readonly column: number;
  readonly at: Position;
  /** Whether it is a list at the column of its key: another key may follow, another item may not. */
  readonly isList: boolean;
  /** Whether its line has ended. */
  readonly isPassed: boolean;
  /** What comes at its column next, though a bound value is all of its mapping or list. */
  readonly followedBy?: "entries of the same mapping" | "items of the same list";
}

export const START: YamlPosition = { levels: [], line: "", block: undefined, whole: undefined };

/** The character that stands for a tag in a line. */
export const SLOT = "\ue001";

export function advance(position: YamlPosition, text: string): YamlPosition {
  const [first = "", ...others] = text.split("\n");
  let current = beside({ ...position, line: position.line + first });
  for (const line of others) current = beside({ ...afterLine(current), line });
  return current;
}

/** The position of a map or list that is bound: a point on a line of its own. */
export function withWhole(position: YamlPosition, column: number, isList: boolean, at: Position): YamlPosition {
  const next = advance(position, SLOT);
  return next.whole?.followedBy !== undefined ? next : { ...next, whole: { column, at, isList, isPassed: false } };
}

function beside(position: YamlPosition): YamlPosition {
  const { whole, line } = position;
  const content = line.trimStart();
  if (whole?.isPassed !== true || whole.followedBy !== undefined || content === "" || content.startsWith("#"))
    return position;
  if (line.length - content.length !== whole.column) return { ...position, whole: undefined };
  const isItem = /^-(\s|$)/.test(content);
  if (whole.isList && !isItem) return { ...position, whole: undefined };
  const followedBy = isItem ? "items of the same list" : "entries of the same mapping";
  return { ...position, whole: { ...whole, followedBy } };
}

export interface ValuePlace {
  /** The type of the value that the line's key or item has; undefined where it is not known. */
  readonly type: TypeSchema | undefined;
  /** Whether nothing but the key or dash is before it on the line. */
  readonly isBare: boolean;
  readonly isInBlock: boolean;
  readonly isComment: boolean;
}

export function placeOf(position: YamlPosition): ValuePlace {
  if (isBlockLine(position)) return { type: undefined, isBare: false, isInBlock: true, isComment: false };
  const { line } = position;
  const { levels, rest } = readLine(line, position.levels);
  const isComment = /^#|\s#/.test(rest);
  return { type: typeAbove(levels), isBare: rest.trim() === "", isInBlock: false, isComment };
}

function isBlockLine({ line, block }: YamlPosition): boolean {
  if (block === undefined) return false;
  const column = line.search(/\S/);
  return column === -1 || column > block;
}

function afterLine(before: YamlPosition): YamlPosition {
  const position = { ...before, whole: before.whole && { ...before.whole, isPassed: true } };
  if (position.line.trim() === "" || isBlockLine(position)) return { ...position, line: "" };
  const { levels, rest } = readLine(position.line, position.levels);
  const block = /^[|>][-+0-9]*\s*(#.*)?$/.test(rest.trim()) ? (levels.at(-1)?.column ?? 0) : undefined;
  return { ...position, levels, line: "", block };
}

const KEY = /^("[^"]*"|'[^']*'|[^\s#:"'{}[\],](?:[^:]*[^:\s])?|\ue001)\s*:(?=\s|$)/;

/** The levels after the keys and dashes of a line, and what is left of it. A comment changes no level. */
function readLine(line: string, before: readonly Level[]): { levels: readonly Level[]; rest: string } {
  let rest = line.trimStart();
  if (rest === "" || rest.startsWith("#")) return { levels: before, rest };
  let column = line.length - rest.length;
  let levels = before;
  while (/^-(\s|$)/.test(rest)) {
    levels = levels.filter((level) => level.column < column || (level.column === column && !level.isItem));
    levels = [...levels, { column, isItem: true, isOpen: false, type: typeAbove(levels)?.element }];
    const width = 1 + rest.slice(1).search(/\S|$/);
    column += width;
    rest = rest.slice(width);
  }
  // A value on a line of its own belongs to the nearest key above it.
  levels = levels.filter((level) => level.column < column);
  const [whole, key = ""] = KEY.exec(rest) ?? [];
  if (whole === undefined) return { levels, rest };
  const above = typeAbove(levels);
  const name = key.replaceAll(/^["']|["']$/g, "");
  const type = above?.kind === "map" ? above.element : above?.fields.get(name)?.type;
  const after = rest.slice(whole.length);
  return { levels: [...levels, { column, isItem: false, isOpen: /^\s*(#.*)?$/.test(after), type }], rest: after };
}

function typeAbove(levels: readonly Level[]): TypeSchema | undefined {
  return levels.length === 0 ? POD_TYPE : levels.at(-1)?.type;
}
