// Pieces → the text of a Handlebars template, with block tags on lines of their own wherever YAML reads the same. Blank lines
// mean nothing in YAML outside of block scalars, so a line may end earlier or later; what follows keeps its indentation.

import { type Piece, type PieceBlock, startsWithLineEnd } from "./piece.ts";

/** The text before a point ends in the middle of a line, or its last line is only this white space. */
type End = { readonly isFresh: false } | { readonly isFresh: true; readonly indent: string };

interface Laid {
  readonly text: string;
  readonly end: End;
}

const MID: End = { isFresh: false };
const FRESH: End = { isFresh: true, indent: "" };

export function layOut(pieces: readonly Piece[]): string {
  const { text, end } = sequence(pieces, FRESH, () => true);
  const whole = end.isFresh ? text : `${text}\n`;
  return whole.replace(/^\n+/, "");
}

/** Whether the pieces are a part of a line. */
function isInline(pieces: readonly Piece[]): boolean {
  return !pieces.some((piece) =>
    piece.kind === "text"
      ? piece.text.includes("\n")
      : piece.kind === "block"
        ? piece.branches.some(({ body }) => !isInline(body))
        : piece.kind === "partial" && !isInline(piece.body),
  );
}

function sequence(pieces: readonly Piece[], start: End, after: () => boolean): Laid {
  let text = "";
  let end = start;
  const write = (laid: Laid): void => {
    text += laid.text;
    end = laid.end;
  };
  for (const [index, piece] of pieces.entries()) {
    const rest = (): boolean => startsWithLineEnd(pieces, after, index + 1);
    switch (piece.kind) {
      case "text":
        write(textOf(piece.text, piece.isLiteral, end));
        break;
      case "tag":
        write({ text: (end.isFresh ? end.indent : "") + joined(text, piece.text), end: MID });
        break;
      case "comment":
        if (end.isFresh) write({ text: `${end.indent}${piece.text}\n`, end });
        else if (rest() && !isLiteral(pieces[index + 1])) write({ text: `\n${piece.text}\n`, end: FRESH });
        else write({ text: joined(text, piece.text), end: MID });
        break;
      case "partial":
        write(partialOf(piece, text, end, rest));
        break;
      case "block":
        write(onLines(piece, pieces[index + 1], end, rest) ?? inLine(piece, text, end));
    }
  }
  return { text, end };
}

/** A brace or backslash before a tag would be read as part of it. */
function joined(before: string, tag: string): string {
  return before.endsWith("{") ? ` ${tag}` : before.endsWith("\\") ? `\\${tag}` : tag;
}

function textOf(text: string, isLiteral: boolean, start: End): Laid {
  const lines = text.split("\n");
  if (lines.length === 1) {
    if (text.trim() !== "" || !start.isFresh) return { text: (start.isFresh ? start.indent : "") + text, end: MID };
    return { text: "", end: { isFresh: true, indent: start.indent + text } };
  }
  const last = lines.at(-1) as string;
  const [first = "", ...others] = lines;
  const head =
    start.isFresh && first.trim() === ""
      ? isLiteral
        ? "\n"
        : ""
      : `${start.isFresh ? start.indent : ""}${first.trimEnd()}\n`;
  const middle = others.slice(0, -1).filter((line) => isLiteral || line.trim() !== "");
  const body = head + middle.map((line) => `${isLiteral ? line : line.trimEnd()}\n`).join("");
  if (last.trim() === "") return { text: body, end: { isFresh: true, indent: last } };
  return { text: body + last, end: MID };
}

function partialOf(
  { text: tag, body }: Extract<Piece, { kind: "partial" }>,
  before: string,
  end: End,
  rest: () => boolean,
): Laid {
  if (isInline(body)) return { text: (end.isFresh ? end.indent : "") + joined(before, tag), end: MID };
  const hasOwnLines = startsWithLineEnd(body, rest);
  if (!hasOwnLines && !end.isFresh) return { text: joined(before, tag), end: MID };
  const line = end.isFresh ? "" : "\n";
  // The partial's own lines have their indentation; what the call's line had before it is not part of them.
  if (hasOwnLines || (end.isFresh && end.indent === "")) return { text: `${line}${tag}\n`, end: FRESH };
  return { text: `${end.isFresh ? end.indent : ""}{{!}}${tag}${rest() ? "" : "\n"}`, end: rest() ? MID : FRESH };
}

/** Tags on lines of their own; undefined where that would change a line. */
function onLines(block: PieceBlock, next: Piece | undefined, start: End, rest: () => boolean): Laid | undefined {
  const breaks = !start.isFresh;
  if (breaks && !startsWithLineEnd([block], rest)) return undefined;
  const inner: End = breaks ? FRESH : start;
  const laid = block.branches.map(({ tag, body }) => ({ tag, ...sequence(body, inner, rest) }));
  const ends = [...laid.map(({ end }) => end), ...(block.isTotal ? [] : [inner])];
  const isSame = ends.every((end) => end.isFresh && end.indent === (ends[0] as { indent?: string }).indent);
  if (!isSame && !rest()) return undefined;
  // In a block scalar every line end counts: none may be added.
  if ((breaks || !isSame) && (isLiteral(next) || block.branches.some(({ body }) => body.some(isLiteral))))
    return undefined;
  const body = laid.map(({ tag, text, end }) => `${tag}\n${text}${end.isFresh ? "" : "\n"}`).join("");
  return { text: `${breaks ? "\n" : ""}${body}${block.close}\n`, end: isSame ? (ends[0] as End) : FRESH };
}

/** Part of a block scalar, in which blank lines count. */
function isLiteral(piece: Piece | undefined): boolean {
  return piece?.kind === "text" && piece.isLiteral;
}

/** Tags where they were. A tag that would be alone on its line gets an empty comment: Handlebars takes such a line out. */
function inLine(block: PieceBlock, before: string, start: End): Laid {
  let text = start.isFresh ? start.indent : "";
  const alone = (): boolean => /(^|\n)[ \t]*$/.test(before + text);
  for (const [index, { tag, body }] of block.branches.entries()) {
    const raw = rawText(body);
    const guard = alone() && /^[ \t]*(\n|$)/.test(raw) ? "{{!}}" : "";
    text += (index === 0 ? joined(before + text, tag) + guard : guard + tag) + raw;
  }
  return { text: text + (alone() ? "{{!}}" : "") + block.close, end: MID };
}

function rawText(pieces: readonly Piece[]): string {
  return pieces.reduce((text, piece) => {
    if (piece.kind === "text") return text + piece.text;
    if (piece.kind === "block") return text + inLine(piece, text, MID).text;
    return text + joined(text, piece.text);
  }, "");
}
