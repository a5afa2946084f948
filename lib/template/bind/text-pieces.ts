// A template as the pieces of all its possible texts, and the text that a branch key selects.
// Holds no values: a slot is a placeholder with the number of its value.

import { OutriggerError, once } from "@outrigger/base";
import type { BlockStatement } from "../compiled-templates.ts";
import { describeTemplate, loadError, type TemplatePosition } from "../finding.ts";
import { branchKeyReader } from "./render-state.ts";
import { type SlotNumbers, slotNumbers } from "./slot-numbers.ts";

/** The conditions above a piece, the outermost first: `if (eq metadata.labels.app "a")`, `unless …`, `each spec.containers`. */
export type Trail = readonly string[];

export type Piece =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly position: TemplatePosition;
      readonly trail?: Trail | undefined;
    }
  | {
      readonly kind: "slot";
      readonly position: TemplatePosition;
      readonly trail?: Trail | undefined;
      /** What it prints, where the build keeps texts. */
      readonly expression?: string | undefined;
    }
  | {
      readonly kind: "constant";
      readonly value: unknown;
      readonly position: TemplatePosition;
      readonly trail?: Trail | undefined;
    }
  | Decision
  /** A block whose condition is constant. Kept for those who ask which decisions were taken. */
  | {
      readonly kind: "decided";
      readonly taken: boolean;
      readonly pieces: readonly Piece[];
      readonly position: TemplatePosition;
    }
  /** A partial call that is alone on its line: each line of its text gets the white space before the call. */
  | { readonly kind: "indent"; readonly indent: string; readonly pieces: readonly Piece[] };

/** What a rendering decides. A loop decides again after each item. */
export interface Decision {
  readonly kind: "choice" | "loop";
  readonly yes: () => readonly Piece[];
  readonly no: () => readonly Piece[];
  readonly position: TemplatePosition;
  /** The block, where what it tests is of the template's data alone: another one with that test decides the same. */
  readonly block?: BlockStatement | undefined;
  /** What it tests, where the build keeps texts: `eq metadata.labels.app "a"`. */
  readonly condition?: string | undefined;
}

export type Slot = Extract<Piece, { readonly kind: "slot" | "constant" }>;
export type Leaf = Slot | Extract<Piece, { readonly kind: "text" }>;

/** A text with placeholders. The values of its `slot` placeholders come in the order of the text. */
export interface ShapeText {
  readonly text: string;
  readonly placeholders: Placeholders;
  /** The position in the templates that an offset of the text comes from. */
  positionAt(offset: number): TemplatePosition;
}

/** A placeholder is `mark`, the number of its slot in four digits to base 36, `mark`. */
export interface Placeholders {
  readonly mark: string;
  readonly slots: ReadonlyMap<number, Slot>;
  readonly ofSlot: ReadonlyMap<Piece, string>;
  /** Texts with placeholders of the same numbers mean the same. */
  readonly numbers: SlotNumbers;
}

const LONGEST_TEXT = 16_000_000;
const DIGITS = 4;
const BASE = 36;

/** The placeholder of a number. All have one length, so renumbering moves nothing. */
export function placeholder(mark: string, number: number): string {
  return mark + number.toString(BASE).padStart(DIGITS, "0") + mark;
}

/** Matches a placeholder, with its number as group. */
export function placeholderPattern(mark: string): RegExp {
  return new RegExp(`${mark}([0-9a-z]{${DIGITS}})${mark}`, "g");
}

export function placeholderNumber(digits: string): number {
  return Number.parseInt(digits, BASE);
}

/**
 * Numbers the slots of a template. The mark is a Latin-1 character that no text of the template contains: one character
 * outside Latin-1 would make every string cut from the text two-byte, which slows down all later use.
 */
export function placeholdersOf(pieces: readonly Piece[], name: string): Placeholders {
  const texts = new Set<string>();
  const slots: Slot[] = [];
  collect(pieces, texts, slots);
  for (let code = 0xa4; code <= 0xff; code++) {
    const mark = String.fromCharCode(code);
    if (code === 0xad || [...texts].some((text) => text.includes(mark))) continue;
    const numbers = slotNumbers();
    const numbered = slots.map((slot) => [numbers.numberOf(slot), slot] as const);
    const ofSlot = new Map(numbered.map(([number, slot]) => [slot, placeholder(mark, number)]));
    return { mark, slots: new Map(numbered), ofSlot, numbers };
  }
  throw loadError(name, "it contains every character from U+00A4 to U+00FF, leave one out");
}

function collect(pieces: readonly Piece[], texts: Set<string>, slots: Slot[]): void {
  for (const piece of pieces) {
    if (piece.kind === "text") texts.add(piece.text);
    else if (piece.kind === "slot" || piece.kind === "constant") slots.push(piece);
    else if ("yes" in piece) for (const branch of [piece.yes(), piece.no()]) collect(branch, texts, slots);
    else collect(piece.pieces, texts, slots);
  }
}

/** A text with its decisions, in its order, and the pieces that it is made of. */
export interface WrittenText extends ShapeText {
  branches(): readonly TakenBranch[];
  /** The pieces of which a part is from one offset of the text to another. */
  piecesIn(start: number, end: number): readonly Leaf[];
  /** How far an offset of the text is within its piece. */
  withinPiece(offset: number): number;
}

/** The text with placeholders of a rendering with this branch key, and its decisions in the order of the text. */
export function shapeText(
  pieces: readonly Piece[],
  branchKey: string,
  placeholders: Placeholders,
  name: string,
): WrittenText {
  const write = (places?: Places): string => {
    const writer: Writer = { text: "", places, indents: [], placeholders, name };
    writePieces(pieces, branchKeyReader(branchKey), writer);
    return writer.text;
  };
  // Only needed for errors and by tests of trees, so they are computed on demand.
  const places = once(() => {
    const found: Places = { starts: [], branches: [] };
    write(found);
    return found;
  });
  return {
    text: write(),
    placeholders,
    positionAt: (offset) => positionIn(places().starts, offset),
    branches: () => places().branches,
    piecesIn: (start, end) => {
      const { starts } = places();
      const found = new Set<Leaf>();
      for (let index = firstAfter(starts, start); index < starts.length; index++) {
        const { offset, piece } = starts[index] as TextStart;
        if (offset >= end) break;
        found.add(piece);
      }
      return [...found];
    },
    withinPiece: (offset) => {
      const { starts } = places();
      return offset - (starts[firstAfter(starts, offset)]?.offset ?? offset);
    },
  };
}

/** A decision of one rendering, at the position of its block. */
export interface TakenBranch {
  readonly position: TemplatePosition;
  /** Whether the branch was taken, or a loop had an item. */
  readonly taken: boolean;
}

interface Writer {
  text: string;
  readonly places: Places | undefined;
  /** The indentations of the partials around, the outermost first. `fresh` means that the next character starts a line of that partial's text. */
  readonly indents: { readonly indent: string; fresh: boolean }[];
  readonly placeholders: Placeholders;
  readonly name: string;
}

interface Places {
  readonly starts: TextStart[];
  readonly branches: TakenBranch[];
}

interface TextStart {
  readonly offset: number;
  readonly text: string;
  readonly position: TemplatePosition;
  readonly piece: Leaf;
}

function writePieces(pieces: readonly Piece[], decision: () => boolean, writer: Writer): void {
  for (const piece of pieces) {
    switch (piece.kind) {
      case "text":
        writeText(piece, writer);
        break;
      case "slot":
      case "constant":
        writeLine(writer.placeholders.ofSlot.get(piece) as string, piece.position, piece, writer);
        break;
      case "choice":
      case "loop": {
        const taken = decision();
        writer.places?.branches.push({ position: piece.position, taken });
        do writePieces(taken ? piece.yes() : piece.no(), decision, writer);
        while (taken && piece.kind === "loop" && decision());
        break;
      }
      case "decided":
        writer.places?.branches.push({ position: piece.position, taken: piece.taken });
        writePieces(piece.pieces, decision, writer);
        break;
      case "indent":
        writer.indents.push({ indent: piece.indent, fresh: true });
        writePieces(piece.pieces, decision, writer);
        writer.indents.pop();
        break;
    }
  }
}

function writeText(piece: Extract<Leaf, { readonly kind: "text" }>, writer: Writer): void {
  const { text, position } = piece;
  if (writer.indents.length === 0) {
    append(text, position, piece, writer);
    return;
  }
  let start = 0;
  for (let line = 0; start < text.length; line++) {
    const lineEnd = text.indexOf("\n", start);
    const end = lineEnd === -1 ? text.length : lineEnd + 1;
    const at = line === 0 ? position : { ...position, line: position.line + line, column: 1 };
    writeLine(text.slice(start, end), at, piece, writer);
    if (lineEnd !== -1) for (const level of writer.indents) level.fresh = true;
    start = end;
  }
}

/** Writes one line or part of one, after the indentation of the partials whose line it starts. */
function writeLine(text: string, position: TemplatePosition, piece: Leaf, writer: Writer): void {
  for (const level of writer.indents) {
    if (!level.fresh) continue;
    append(level.indent, position, piece, writer);
    level.fresh = false;
  }
  append(text, position, piece, writer);
}

function append(text: string, position: TemplatePosition, piece: Leaf, writer: Writer): void {
  writer.places?.starts.push({ offset: writer.text.length, text, position, piece });
  writer.text += text;
  if (writer.text.length > LONGEST_TEXT) {
    throw new OutriggerError(
      "template-render",
      `Cannot render ${describeTemplate(writer.name)}: its text is longer than ${LONGEST_TEXT} characters`,
      { cause: new RangeError("the text of a template has a longest length") },
    );
  }
}

/** The index of the first text that ends after an offset. */
function firstAfter(starts: readonly TextStart[], start: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { offset, text } = starts[middle] as TextStart;
    if (offset + text.length > start) high = middle;
    else low = middle + 1;
  }
  return low;
}

function positionIn(starts: readonly TextStart[], offset: number): TemplatePosition {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] as TextStart).offset <= offset) low = middle;
    else high = middle - 1;
  }
  const start = starts[low];
  if (start === undefined) return { source: "", line: 1, column: 1 };
  const lines = start.text.slice(0, offset - start.offset).split("\n");
  const column = (lines.at(-1) as string).length + (lines.length === 1 ? start.position.column : 1);
  return { ...start.position, line: start.position.line + lines.length - 1, column };
}
