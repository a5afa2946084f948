// The ways through a template that together take each of its branches, with the text that each writes. Parses many texts: slow, so
// it is for checking and comparing templates only.
import { boundedCache, memoizeObject, sharedMemory } from "@outrigger/base";
import { bindProgram } from "./bind/bind-program.ts";
import { branchKeyOf, decide, type RenderState, startRender } from "./bind/render-state.ts";
import { type Decision, type Piece, placeholdersOf, shapeText, type WrittenText } from "./bind/text-pieces.ts";
import type { Program } from "./compiled-templates.ts";
import type { HelperFunctions } from "./helpers/helper.ts";
import type { OverlayQuery } from "./inspect-overlay.ts";
import type { TemplateData } from "./load-templates.ts";
import { type BlockCache, parseBlocks, sharedBlocks } from "./shape/parse-blocks.ts";
import { parseShape, type ShapePart } from "./shape/parse-shape.ts";
import type { Shape } from "./shape/shape.ts";
import { templateInputs } from "./template-inputs.ts";

/** A template of a set, and what is known when it is loaded: decisions of constants are taken, their other branches left out. */
export interface BranchQuery extends Omit<OverlayQuery, "data"> {
  readonly constants: TemplateData;
}

/** A text of a template, and what it says where it is YAML. */
export interface Way {
  readonly text: WrittenText;
  readonly shape: Shape | undefined;
  /** Whether it can be cut into blocks. */
  readonly isCut: boolean;
}

export interface Ways {
  readonly name: string;
  /** All that decides what it writes: see templateInputs. */
  readonly inputs: string;
  readonly pieces: readonly Piece[];
  /** The mark of its placeholders. */
  readonly mark: string;
  /** The ways that were tried for each branch; the first is with all others off. */
  readonly ways: readonly (readonly Way[])[];
  /** False for more branches than can be judged. */
  readonly isWhole: boolean;
}

/**
 * Returns the ways through a template that together take each of its branches: the same object for equal inputs, so that what is read of
 * them is read once for all checks, and for what was served before.
 */
export function waysOf(query: BranchQuery): Ways {
  const known = knownWith(query.helpers);
  const inputs = templateInputs(query);
  const before = known.get(inputs);
  if (before !== undefined) return before;
  const found = findWays(query, inputs);
  const length = found.ways.flat().reduce((sum, { text }) => sum + text.text.length, 0);
  known.set(inputs, found, PER_CHARACTER * length);
  return found;
}

const knownWith = memoizeObject((_: HelperFunctions) => boundedCache<Ways>(sharedMemory.shapes));

/** Bytes that a text takes with its shape, its overlay and its positions. Ways through one template have most of that in common. */
const PER_CHARACTER = 12;

function findWays({ compiled, helpers, constants, name }: BranchQuery, inputs: string): Ways {
  const program = compiled.templates[name] as Program;
  const { pieces } = bindProgram({
    name,
    program,
    partials: compiled.partials,
    helpers,
    constants,
    texts: new WeakMap(),
  });
  const placeholders = placeholdersOf(pieces, name);
  const found = { name, inputs, pieces, mark: placeholders.mark };
  const blocks = blocksOfWays(sharedBlocks(placeholders.numbers));
  const known = new Map<string, Way>();
  let tries = 0;
  const wayOf = (choices: Choices, others: boolean): Way => {
    tries += 1;
    const state = startRender([]);
    decideAll(pieces, choices, others, state);
    const key = branchKeyOf(state);
    const before = known.get(key);
    if (before !== undefined) return before;
    const text = shapeText(pieces, key, placeholders, name);
    const cut = readOrUndefined(() => parseBlocks(text, name, blocks));
    const part = cut ?? readOrUndefined(() => parseShape(text, name));
    const way = { text, shape: part?.shape, isCut: cut !== undefined };
    known.set(key, way);
    return way;
  };
  const branches: Choices[] = [];
  for (const choices of choicesOf(pieces, NONE)) {
    if (branches.push(choices) > MOST_WAYS) return { ...found, ways: [], isWhole: false };
  }
  const taken = branches.filter((choices) => [...choices.values()].at(-1) === true);
  const ways: Way[][] = [];
  for (const choices of [NONE, ...branches]) {
    // More of them are not tried: partials that call others twice have many tries that come to few ways.
    if (known.size > MOST_WAYS || tries > MOST_TRIES) return { ...found, ways, isWhole: false };
    const own = [wayOf(choices, false), wayOf(choices, true)];
    if (own.at(-1)?.shape === undefined) own.push(...taken.map((each) => wayOf(new Map([...each, ...choices]), false)));
    ways.push(own);
  }
  return { ...found, ways, isWhole: true };
}

/** What only ways of one template have in common is large, and need not outlast them. */
function blocksOfWays(shared: BlockCache): Pick<BlockCache, "get" | "set"> {
  const own = new Map<string, ShapePart>();
  return {
    get: (text) => own.get(text) ?? shared.get(text),
    set(text, part, size) {
      own.set(text, part);
      if (text.length <= LONGEST_SHARED) shared.set(text, part, size);
    },
  };
}

const LONGEST_SHARED = 1000;

/** More than any template has that a person can read. */
const MOST_WAYS = 1500;
const MOST_TRIES = 15_000;

/** Undefined for two branches that are never taken together, or a value where a rendering reports it. */
export function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Decisions by their condition: what one block decides, each block with the same condition does. */
type Choices = ReadonlyMap<unknown, boolean>;

const NONE: Choices = new Map();

function conditionOf(piece: Decision): unknown {
  return piece.block === undefined ? piece : conditionText(piece.block);
}

const conditionText = memoizeObject(({ args, hash }: NonNullable<Decision["block"]>): string =>
  JSON.stringify([args, hash], (key, value) => (key === "line" || key === "column" ? undefined : value)),
);

/** Yields the decisions that lead to each branch. */
function* choicesOf(pieces: readonly Piece[], before: Choices): Generator<Choices> {
  for (const piece of pieces) {
    if ("pieces" in piece) yield* choicesOf(piece.pieces, before);
    if (!("yes" in piece)) continue;
    const condition = conditionOf(piece);
    for (const taken of [true, false]) {
      if ((before.get(condition) ?? taken) !== taken) continue;
      const choices = new Map([...before, [condition, taken] as const]);
      yield choices;
      yield* choicesOf(taken ? piece.yes() : piece.no(), choices);
    }
  }
}

function decideAll(pieces: readonly Piece[], choices: Choices, others: boolean, state: RenderState): void {
  for (const piece of pieces) {
    if ("pieces" in piece) decideAll(piece.pieces, choices, others, state);
    if (!("yes" in piece)) continue;
    const taken = choices.get(conditionOf(piece)) ?? others;
    decide(state, taken);
    decideAll(taken ? piece.yes() : piece.no(), choices, others, state);
    // A loop ends with a decision of its own.
    if (piece.kind === "loop" && taken) decide(state, false);
  }
}
