// What each branch of a template writes, whether or not any data leads there: the constants of its overlays, with their
// positions. Parses many texts: slow, so it is for checking templates only.

import { type FieldPath, type JsonValue, memoizeObject, type OutriggerError, once } from "@outrigger/base";
import { fieldOffset, parseYamlNodes, readYamlTree, type YamlNode, yamlValue } from "@outrigger/yaml";
import { bindProgram } from "./bind/bind-program.ts";
import { branchKeyOf, decide, type RenderState, startRender } from "./bind/render-state.ts";
import { type Decision, type Piece, placeholdersOf, type ShapeText, shapeText } from "./bind/text-pieces.ts";
import type { Program } from "./compiled-templates.ts";
import { renderError, type TemplatePosition } from "./finding.ts";
import type { OverlayQuery } from "./inspect-overlay.ts";
import { parseBlocks, sharedBlocks } from "./shape/parse-blocks.ts";
import { parseShape } from "./shape/parse-shape.ts";
import type { Shape, TextParts } from "./shape/shape.ts";
import type { TemplateData } from "./template-data.ts";

/** A template of a set, and what is known when it is loaded: decisions of constants are taken, their other branches left out. */
export interface BranchQuery extends Omit<OverlayQuery, "data"> {
  readonly constants: TemplateData;
}

/** An overlay in which a value that depends on data is {@link UNKNOWN}. */
export interface BranchOverlay {
  readonly overlay: JsonValue;
  /** The position that writes the field, or else the nearest enclosing one. */
  locate(steps: FieldPath): TemplatePosition;
}

/** The text in place of a value, or of a part of a text, that depends on data. No YAML contains it. */
export const UNKNOWN = "\0";

export interface TemplateBranches {
  /**
   * The overlays that together take every branch: each with all others off, and with all others on, a loop with one item. Where
   * all others do not go together, each with each one of them. What three branches write together only may be in none.
   */
  readonly overlays: readonly BranchOverlay[];
  /**
   * An error for each key that a branch gives to a mapping which has it already, whatever else is taken: every rendering with that
   * branch fails. Two branches of which a pod takes one may give the same key. And one for more branches than can be judged.
   */
  readonly faults: () => readonly OutriggerError[];
}

/** Reads a template branch by branch. A combination that is no YAML is left out. */
export function readBranches(query: BranchQuery): TemplateBranches {
  const { name } = query;
  const { ways, isWhole } = waysOf(query);
  const overlays = [...new Set(ways.flat())].flatMap(({ text, shape }): readonly BranchOverlay[] => {
    if (shape === undefined) return [];
    const root = once(() => readYamlTree(text.text));
    return [{ overlay: constantsOf(shape), locate: (steps) => text.positionAt(fieldOffset(root(), steps, "key")) }];
  });
  const place: TemplatePosition = { source: name, line: 1, column: 1 };
  return { overlays, faults: () => (isWhole ? doubledKeys(ways) : [renderError(TOO_MANY, place)]) };
}

function doubledKeys(all: readonly (readonly Way[])[]): readonly OutriggerError[] {
  const found = all.flatMap((ways) => {
    if (ways.some(({ shape }) => shape !== undefined)) return [];
    const [first, ...others] = ways.map(({ text }) => doubledIn(text));
    return [...(first ?? [])].filter(([place]) => others.every((each) => each.has(place)));
  });
  return [...new Map(found).values()].map((position) => renderError(TWICE, position));
}

const TOO_MANY = "it has too many branches that do not go together; split it";
const TWICE = "a key is given twice in its mapping, in a branch that no sample takes; leave one of them out";

function doubledIn({ text, placeholders, positionAt }: ShapeText): ReadonlyMap<string, TemplatePosition> {
  const found = new Map<string, TemplatePosition>();
  const onDuplicate = (key: YamlNode) => {
    // What a tag writes may be another key each time.
    if (text.slice(key.start, key.end).includes(placeholders.mark)) return;
    const position = positionAt(key.start);
    found.set(JSON.stringify(position), position);
  };
  const document = readOrUndefined(() => parseYamlNodes(text));
  if (document !== undefined) readOrUndefined(() => yamlValue(document.root, { onDuplicate }));
  return found;
}

/** A text of a template, and what it says where it is YAML. */
interface Way {
  readonly text: ShapeText;
  readonly shape: Shape | undefined;
}

/** The ways through a template that take each of its branches. */
function waysOf({ compiled, helpers, constants, name }: BranchQuery) {
  const program = compiled.templates[name] as Program;
  const { pieces } = bindProgram({ name, program, partials: compiled.partials, helpers, constants });
  const placeholders = placeholdersOf(pieces, name);
  const blocks = sharedBlocks(placeholders.numbers);
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
    const way = {
      text,
      shape: readOrUndefined(() => (parseBlocks(text, name, blocks) ?? parseShape(text, name)).shape),
    };
    known.set(key, way);
    return way;
  };
  const branches: Choices[] = [];
  for (const choices of choicesOf(pieces, NONE)) {
    if (branches.push(choices) > MOST_WAYS) return { ways: [], isWhole: false };
  }
  const taken = branches.filter((choices) => [...choices.values()].at(-1) === true);
  const ways: Way[][] = [];
  for (const choices of [NONE, ...branches]) {
    // More of them are not tried: partials that call others twice have many tries that come to few ways.
    if (known.size > MOST_WAYS || tries > MOST_TRIES) return { ways, isWhole: false };
    const own = [wayOf(choices, false), wayOf(choices, true)];
    if (own.at(-1)?.shape === undefined) own.push(...taken.map((each) => wayOf(new Map([...each, ...choices]), false)));
    ways.push(own);
  }
  return { ways, isWhole: true };
}

/** More than any template has that a person can read. */
const MOST_WAYS = 1500;
const MOST_TRIES = 15_000;

/** Undefined for two branches that are never taken together, or a value where a rendering reports it. */
function readOrUndefined<T>(read: () => T): T | undefined {
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
