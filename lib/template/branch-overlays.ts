// What each branch of a template writes, whether or not any data leads there: the constants of its overlays, with their
// positions. Parses many texts: slow, so it is for checking templates only.

import type { FieldPath, JsonValue } from "@outrigger/base";
import { fieldOffset, readYamlTree } from "@outrigger/yaml";
import { bindProgram } from "./bind/bind-program.ts";
import { branchKeyOf, decide, type RenderState, startRender } from "./bind/render-state.ts";
import { type Piece, placeholdersOf, shapeText } from "./bind/text-pieces.ts";
import type { CompiledTemplates, Program } from "./compiled-templates.ts";
import type { TemplatePosition } from "./finding.ts";
import type { HelperTable } from "./helpers/argument.ts";
import type { TemplateData } from "./load-templates.ts";
import { blockCache, parseBlocks } from "./shape/parse-blocks.ts";
import { parseShape } from "./shape/parse-shape.ts";
import type { Shape, TextParts } from "./shape/shape.ts";

/** A template of a set, and what is known when it is loaded: decisions of constants are taken, their other branches left out. */
export interface BranchQuery {
  readonly compiled: CompiledTemplates;
  readonly helpers: HelperTable;
  readonly constants: TemplateData;
  readonly name: string;
}

/** An overlay in which a value that depends on data is {@link UNKNOWN}. */
export interface BranchOverlay {
  readonly overlay: JsonValue;
  /** The position that writes the field, or else the nearest enclosing one. */
  locate(steps: FieldPath): TemplatePosition;
}

/** What is written in place of a value, or a part of a text, that depends on data. No YAML contains it. */
export const UNKNOWN = "\0";

/**
 * The overlays that together take every branch: each with all others off, and with all others on, a loop with one item. What
 * three branches write together only may be in none of them. A combination that is no YAML is left out.
 */
export function branchOverlays({ compiled, helpers, constants, name }: BranchQuery): readonly BranchOverlay[] {
  const program = compiled.templates[name] as Program;
  const { pieces } = bindProgram({ name, program, partials: compiled.partials, helpers, constants });
  const placeholders = placeholdersOf(pieces, name);
  const blocks = blockCache();
  const chosen = [NONE, ...choicesOf(pieces, NONE).slice(0, MOST_BRANCHES)];
  const keys = chosen.flatMap((choices) => [false, true].map((others) => keyOf(pieces, choices, others)));
  return [...new Set(keys)].flatMap((key): readonly BranchOverlay[] => {
    const text = shapeText(pieces, key, placeholders, name);
    try {
      const { shape } = parseBlocks(text, name, blocks) ?? parseShape(text, name);
      const overlay = constantsOf(shape);
      return [{ overlay, locate: (steps) => text.positionAt(fieldOffset(readYamlTree(text.text), steps, "key")) }];
    } catch {
      // Two branches that are never taken together, or a value where a rendering reports it.
      return [];
    }
  });
}

/** More than any template has that a person can read. */
const MOST_BRANCHES = 2000;

type Choices = ReadonlyMap<Piece, boolean>;

const NONE: Choices = new Map();

/** For each branch, the decisions that lead to it. */
function choicesOf(pieces: readonly Piece[], before: Choices): readonly Choices[] {
  return pieces.flatMap((piece): readonly Choices[] => {
    if (piece.kind === "indent" || piece.kind === "decided") return choicesOf(piece.pieces, before);
    if (piece.kind !== "choice" && piece.kind !== "loop") return [];
    return [true, false].flatMap((taken) => {
      const choices = new Map([...before, [piece, taken] as const]);
      return [choices, ...choicesOf(branchOf(piece, taken), choices)];
    });
  });
}

function branchOf(piece: Extract<Piece, { readonly kind: "choice" | "loop" }>, taken: boolean): readonly Piece[] {
  if (piece.kind === "choice") return taken ? piece.yes() : piece.no();
  return taken ? piece.body : piece.otherwise;
}

function keyOf(pieces: readonly Piece[], choices: Choices, others: boolean): string {
  const state = startRender([]);
  decideAll(pieces, choices, others, state);
  return branchKeyOf(state);
}

function decideAll(pieces: readonly Piece[], choices: Choices, others: boolean, state: RenderState): void {
  for (const piece of pieces) {
    if (piece.kind === "indent" || piece.kind === "decided") decideAll(piece.pieces, choices, others, state);
    if (piece.kind !== "choice" && piece.kind !== "loop") continue;
    const taken = choices.get(piece) ?? others;
    decide(state, taken);
    decideAll(branchOf(piece, taken), choices, others, state);
    // A loop ends with a decision of its own.
    if (piece.kind === "loop" && taken) decide(state, false);
  }
}

function constantsOf(shape: Shape): JsonValue {
  switch (shape[0]) {
    case "static":
      return shape[1];
    case "value":
      return UNKNOWN;
    case "text":
      return textOf(shape[1]);
    case "list":
      return shape[1].map(constantsOf);
    case "map":
      return Object.fromEntries(shape[1].map(([key, value]) => [textOf(key), constantsOf(value)]));
    case "at":
      return constantsOf(shape[2]);
  }
}

function textOf(parts: string | TextParts): string {
  return typeof parts === "string" ? parts : parts.map((part) => (typeof part === "string" ? part : UNKNOWN)).join("");
}
