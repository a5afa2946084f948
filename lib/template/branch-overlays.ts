// What each branch of a template writes, whether or not any data leads there: the constants of its overlays, with their
// positions. Parses many texts: slow, so it is for checking templates only.

import { type FieldPath, type JsonValue, memoizeObject, type OutriggerError, once } from "@outrigger/base";
import { fieldOffset, parseYamlNodes, readYamlTree, type YamlNode, yamlValue } from "@outrigger/yaml";
import type { ShapeText } from "./bind/text-pieces.ts";
import { type BranchQuery, readOrUndefined, type Way, type Ways, waysOf } from "./branch-ways.ts";
import { renderError, type TemplatePosition } from "./finding.ts";
import type { Shape, TextParts } from "./shape/shape.ts";
import { UNKNOWN } from "./unknown.ts";

/** An overlay in which a value that depends on data is {@link UNKNOWN}. */
export interface BranchOverlay {
  readonly overlay: JsonValue;
  /** The position that writes the field, or else the nearest enclosing one. */
  locate(steps: FieldPath): TemplatePosition;
}

export interface TemplateBranches {
  /** False for a template with more branches than can be judged. */
  readonly isWhole: boolean;
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
  return branchesOn(waysOf(query));
}

const branchesOn = memoizeObject(({ name, ways, isWhole }: Ways): TemplateBranches => {
  const overlays = [...new Set(ways.flat())].flatMap(({ text, shape }): readonly BranchOverlay[] => {
    if (shape === undefined) return [];
    const root = once(() => readYamlTree(text.text));
    return [{ overlay: constantsOf(shape), locate: (steps) => text.positionAt(fieldOffset(root(), steps, "key")) }];
  });
  const place: TemplatePosition = { source: name, line: 1, column: 1 };
  return { isWhole, overlays, faults: once(() => (isWhole ? doubledKeys(ways) : [renderError(TOO_MANY, place)])) };
});

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
