// Finds the positions in the templates that the fields of an overlay come from, for messages about invalid overlays.
// Renders and parses again with all positions kept: slow, so it is for publishing and for errors only.

import { boundedCache, cacheMemory, type FieldPath, memoizeObject, once } from "@outrigger/base";
import { fieldOffset, type LocatedNode, readYamlTree } from "@outrigger/yaml";
import { bindProgram } from "./bind/bind-program.ts";
import { branchKeyOf, startRender } from "./bind/render-state.ts";
import {
  placeholderNumber,
  placeholderPattern,
  placeholdersOf,
  type Slot,
  shapeText,
  type TakenBranch,
} from "./bind/text-pieces.ts";
import { valueText } from "./bind/value-text.ts";
import type { CompiledTemplates, Program } from "./compiled-templates.ts";
import type { TemplatePosition } from "./finding.ts";
import type { HelperFunctions } from "./helpers/helper.ts";
import type { TemplateData } from "./load-templates.ts";

export interface OverlayQuery {
  readonly compiled: CompiledTemplates;
  readonly helpers: HelperFunctions;
  /** The template that renders the overlay. */
  readonly name: string;
  /** The data that it was rendered with. */
  readonly data: TemplateData;
}

/** A rendering seen from its overlay: which line of a template or partial wrote what. */
export interface InspectedOverlay {
  /**
   * The position that renders the field, or else the nearest enclosing one: the tag whose value contains the field, or the
   * alias that repeats it.
   */
  locate(steps: FieldPath, part: "key" | "value"): TemplatePosition;
  /** The tag that is the whole value of the field, which may be in quotation marks, or of one around it, and the steps from there to the field. */
  tagAt(
    steps: FieldPath,
  ): { readonly position: TemplatePosition; readonly value: unknown; readonly rest: FieldPath } | undefined;
  /** Every tag that prints a value, in the order of the text. */
  readonly tags: () => readonly { readonly position: TemplatePosition; readonly value: unknown }[];
  /** Entries and items without a value: neither a value, a tag nor a literal `null` is written. */
  emptyFields(): readonly { readonly steps: FieldPath; readonly position: TemplatePosition }[];
}

/**
 * Renders a template once more, with the position of everything that it writes.
 *
 * @throws OutriggerError and YAMLException as rendering the template does
 */
export function inspectOverlay({ compiled, helpers, name, data }: OverlayQuery): InspectedOverlay {
  const bound = boundTemplate(compiled, helpers, name);
  const state = run(bound, data);
  const { text, positionAt, places, hasEmptyFields } = writtenText(bound, branchKeyOf(state), name);
  const pattern = placeholderPattern(bound.placeholders.mark);
  let values = 0;
  const tags = places.map(
    ({ slot, ...place }): Tag => ({ ...place, value: slot.kind === "constant" ? slot.value : state.values[values++] }),
  );
  const root = once(() =>
    readYamlTree(text, {
      keyText: (key) => {
        let tag = tags.findIndex(({ offset }) => offset >= key.start);
        return key.value.replace(pattern, () => valueText(tags[tag++]?.value));
      },
      isLeftOut: (item) => {
        const tag = wholeTag({ source: item }, tags);
        return tag !== undefined && (tag.value ?? undefined) === undefined;
      },
    }),
  );
  return {
    locate: (steps, part) => positionAt(fieldOffset(root(), steps, part)),
    tagAt: (steps) => {
      const found = findTag(root(), steps, tags);
      return found && { position: found.tag.position, value: found.tag.value, rest: found.rest };
    },
    tags: () => tags,
    emptyFields: () =>
      hasEmptyFields
        ? emptyFields(root(), []).map(({ steps, offset }) => ({ steps, position: positionAt(offset) }))
        : [],
  };
}

/**
 * The decisions that a rendering takes, in the order of the text. Renderings that take the same ones share their list, so that asking for
 * each pod of a cluster costs what running a template costs.
 *
 * @throws OutriggerError as rendering the template does
 */
export function takenBranches({ compiled, helpers, name, data }: OverlayQuery): readonly TakenBranch[] {
  const bound = boundTemplate(compiled, helpers, name);
  const key = branchKeyOf(run(bound, data));
  const known = bound.taken.get(key);
  if (known !== undefined) return known;
  const taken = shapeText(bound.plan.pieces, key, bound.placeholders, name).branches();
  bound.taken.set(key, taken, 2 * key.length + taken.length * BRANCH_BYTES);
  return taken;
}

/**
 * The text that renderings write which take the same decisions, with placeholders for values: most samples take the same ones.
 *
 * @throws YAMLException where the text is no YAML
 */
function writtenText({ plan, placeholders, written }: BoundTemplate, key: string, name: string): Written {
  const known = written.get(key);
  if (known !== undefined) return known;
  const { text, positionAt } = shapeText(plan.pieces, key, placeholders, name);
  const places = [...text.matchAll(placeholderPattern(placeholders.mark))].map((match) => ({
    offset: match.index,
    length: match[0].length,
    position: positionAt(match.index),
    slot: placeholders.slots.get(placeholderNumber(match[1] as string)) as Slot,
  }));
  const made = { text, positionAt, places, hasEmptyFields: emptyFields(readYamlTree(text), []).length > 0 };
  written.set(key, made, 2 * (key.length + text.length) + places.length * PLACE_BYTES);
  return made;
}

interface Written {
  readonly text: string;
  readonly positionAt: (offset: number) => TemplatePosition;
  /** Where tags print a value, in the order of the text. */
  readonly places: readonly (Omit<Tag, "value"> & { readonly slot: Slot })[];
  /** Whether an entry or an item may be without a value. */
  readonly hasEmptyFields: boolean;
}

/** The bytes that a place takes in memory, with the pieces that `positionAt` keeps, or nearly so. */
const PLACE_BYTES = 400;
/** The bytes that a decision takes in memory, or nearly so. */
const BRANCH_BYTES = 120;
/** Bytes of decisions and texts that are remembered for each template. */
const REMEMBERED = 4_000_000;

type BoundTemplate = ReturnType<typeof bindTemplate>;

function run({ plan }: BoundTemplate, data: TemplateData) {
  const registers = new Array<unknown>(plan.registers());
  registers[0] = data;
  const state = startRender(registers);
  plan.run?.(state);
  return state;
}

/** A tree is tried with many samples: each template is bound once. */
function boundTemplate(compiled: CompiledTemplates, helpers: HelperFunctions, name: string) {
  const known = boundTemplates(compiled);
  const made = known.get(name) ?? bindTemplate(compiled, helpers, name);
  known.set(name, made);
  return made;
}

const boundTemplates = memoizeObject((_: CompiledTemplates) => new Map<string, BoundTemplate>());

function bindTemplate({ templates, partials }: CompiledTemplates, helpers: HelperFunctions, name: string) {
  const program = templates[name] as Program;
  const plan = bindProgram({ name, program, partials, helpers, constants: {}, keepsDecisions: true });
  const memory = cacheMemory(() => REMEMBERED);
  const taken = boundedCache<readonly TakenBranch[]>(memory);
  const written = boundedCache<Written>(memory);
  return { plan, placeholders: placeholdersOf(plan.pieces, name), taken, written };
}

interface Tag {
  readonly offset: number;
  readonly length: number;
  readonly position: TemplatePosition;
  readonly value: unknown;
}

function findTag(node: LocatedNode, steps: FieldPath, tags: readonly Tag[]): { tag: Tag; rest: FieldPath } | undefined {
  const [step, ...rest] = steps;
  const child = node.children.findLast((one) => one.step === step);
  if (child !== undefined) return findTag(child.node, rest, tags);
  const tag = wholeTag(node, tags) ?? quotedTag(node, tags);
  return tag && { tag, rest: steps };
}

/** The tag that is all between quotation marks: its value as text. */
function quotedTag({ source }: LocatedNode, tags: readonly Tag[]): Tag | undefined {
  if (source?.kind !== "scalar" || source.tag !== undefined || !/^(?:single|double)/.test(source.style))
    return undefined;
  const tag = tags.find(({ offset }) => offset === source.start + 1);
  return tag?.length === source.end - source.start - 2 ? tag : undefined;
}

/** The tag that is the whole of a plain scalar. */
function wholeTag({ source }: Pick<LocatedNode, "source">, tags: readonly Tag[]): Tag | undefined {
  if (source?.kind !== "scalar" || source.style !== "plain" || source.tag !== undefined) return undefined;
  const tag = tags.find(({ offset }) => offset === source.start);
  return tag?.length === source.end - source.start ? tag : undefined;
}

function emptyFields(
  node: LocatedNode,
  steps: FieldPath,
): readonly { readonly steps: FieldPath; readonly offset: number }[] {
  return node.children.flatMap(({ step, keyOffset, node: child }) => {
    const path = [...steps, step];
    const { source } = child;
    const isEmpty = source?.kind === "scalar" && source.end === source.start && source.tag === undefined;
    return isEmpty ? [{ steps: path, offset: keyOffset }] : emptyFields(child, path);
  });
}
