// What a template writes, whatever pod comes: each field with its value or expression, and the conditions above it. Two templates with
// equal writes and an equal skeleton make the same of every pod, so an edit is the difference of the two.
import { type JsonValue, memoizeObject } from "@outrigger/base";
import { yamlValue } from "@outrigger/yaml";
import {
  type Leaf,
  type Piece,
  type Placeholders,
  placeholderNumber,
  placeholderPattern,
  type Trail,
} from "./bind/text-pieces.ts";
import { valueText } from "./bind/value-text.ts";
import { type BranchQuery, readOrUndefined, type Way, type Ways, waysOf } from "./branch-ways.ts";
import type { TemplatePosition } from "./finding.ts";
import { type TextChild, type TextNode, treeReader, wholeTree } from "./text-tree.ts";

/** A step of a write's path: a key, or an item of a list with its place and the texts of the fields that may name it. */
export type WriteStep = string | { readonly at: number; readonly item: Readonly<Record<string, string>> };

/** One thing that a template writes. */
export interface TemplateWrite {
  readonly path: readonly WriteStep[];
  /** What is written, with each expression in double braces: `{{proxyImage}}`. */
  readonly written: string;
  /** The value; left out where it depends on the pod. */
  readonly value?: JsonValue;
  /** Conditions above it, sorted: `if native`. */
  readonly conditions: readonly string[];
  readonly position: TemplatePosition;
}

/** All that a template writes, and its structure. */
export interface TemplateWrites {
  readonly name: string;
  readonly writes: readonly TemplateWrite[];
  /** The conditions, and the fields that each way through them writes, in their order and without values: where only values are edited, it stays. */
  readonly skeleton: string;
}

/** Reads the writes of a template: those of each of its branches. The same object for equal inputs. */
export function templateWrites(query: BranchQuery): TemplateWrites {
  return writesOn(waysOf(query));
}

const writesOn = memoizeObject(({ name, inputs, pieces, ways, isWhole, mark }: Ways): TemplateWrites => {
  const position: TemplatePosition = { source: name, line: 1, column: 1 };
  const found: Found = {
    writes: new Map(),
    orders: new Map(),
    seen: new Map(),
    root: rootPath(),
    free: noConditions(),
    numberOf: pieceNumbers(),
    treeOf: treeReader(mark),
  };
  for (const way of new Set(ways.flat())) if (way.shape !== undefined) addWrites(way, found);
  // No combination of such a branch that was tried is YAML: its text is all that is known.
  for (const tried of ways) {
    const [first] = tried;
    if (first === undefined || tried.some(({ shape }) => shape !== undefined)) continue;
    const written = withExpressions(first.text.text, first.text.placeholders);
    found.writes.set(keyOf(found.root, written, found.free), { path: [], written, conditions: [], position });
  }
  const orders = [...found.orders.values()].map((paths) => paths.map(({ key }) => key).join("\n"));
  // Writes that cannot all be read are those of another template wherever anything of it is another.
  const skeleton = isWhole ? [conditionsOf(pieces), ...orders.sort()].join("\n") : `too many branches: ${inputs}`;
  return { name, writes: [...found.writes.values()], skeleton };
});

/** What the ways through a template write, as far as they are read. */
interface Found {
  readonly writes: Map<string, TemplateWrite>;
  /** The paths that a way writes, in their order, by their numbers. */
  readonly orders: Map<string, readonly WritePath[]>;
  /** The same of each entry and item that was read, by all that decides what it writes. */
  readonly seen: Map<string, readonly WritePath[]>;
  readonly root: WritePath;
  readonly free: Conditions;
  readonly numberOf: (piece: Leaf) => number;
  readonly treeOf: (text: string) => TextNode;
}

/** Adds what a way writes that is not found yet, and the paths of all that it writes. */
function addWrites({ text, isCut }: Way, { writes, orders, seen, root, free, numberOf, treeOf }: Found): void {
  const { placeholders, piecesIn, withinPiece, positionAt } = text;
  const said = (source: string) => withExpressions(source, placeholders);
  const paths: WritePath[] = [];
  collect(isCut ? treeOf(text.text) : wholeTree(text.text), 0, root, free);
  orders.set(paths.map(({ number }) => number).join(" "), paths);

  function collect(node: TextNode, at: number, path: WritePath, above: Conditions): void {
    const { source, children } = node;
    if (source === undefined || (isPlainCollection(source) && children.length > 0)) {
      for (const child of children) collectOnce(child, at, path, above);
      return;
    }
    const [start, end] = [at + source.start, at + source.end];
    const written = text.text.slice(at + source.outerStart, end);
    const conditions = under(above, piecesIn(start, Math.max(end, start + 1)));
    const add = (at: WritePath, said: string, read: () => JsonValue | undefined) => {
      paths.push(at);
      const key = keyOf(at, said, conditions);
      if (writes.has(key)) return;
      const value = read();
      const write = { path: at.steps, written: said, conditions: conditions.sorted };
      writes.set(key, { ...write, position: positionAt(start), ...(value !== undefined && { value }) });
    };
    const only = wholeConstant(written, placeholders);
    if (only !== undefined) {
      for (const leaf of leavesOf(only.value)) {
        const inner = leaf.path.reduce((at, step) => at.below(step), path);
        add(inner, JSON.stringify(leaf.value), () => leaf.value);
      }
      return;
    }
    const isKnown = !written.includes(placeholders.mark) || isConstantText(written, placeholders);
    add(path, said(written), () => (isKnown ? constantOf(source, placeholders) : undefined));
  }

  /** What an entry writes depends on its text, on the pieces that it is made of, and on what is above it. */
  function collectOnce(child: TextChild, at: number, path: WritePath, above: Conditions): void {
    const { part, step } = child;
    if (part === undefined) {
      collectChild(child, at, path, above);
      return;
    }
    const start = at + part.start;
    const pieces = piecesIn(start, start + part.text.length)
      .map(numberOf)
      .join(" ");
    const key = `${path.number} ${above.number} ${step} ${withinPiece(start)} ${pieces}\n${part.text}`;
    const before = seen.get(key);
    if (before !== undefined) {
      for (const each of before) paths.push(each);
      return;
    }
    const first = paths.length;
    collectChild(child, at, path, above);
    seen.set(key, paths.slice(first));
  }

  function collectChild(
    { step, keyOffset, node, at: inner = 0 }: TextChild,
    at: number,
    path: WritePath,
    above: Conditions,
  ): void {
    const [keyStart, start] = [at + keyOffset, at + inner];
    const next = typeof step === "number" ? { at: step, item: fieldsOf(node, start) } : said(step);
    const keyEnd = typeof step === "number" ? keyStart + 1 : Math.max(keyStart + 1, start + node.offset);
    const own = withIdentity(next, node, start, under(above, piecesIn(keyStart, keyEnd)));
    collect(node, start, path.below(next), own);
  }

  /** Which item of a list it is depends on the pieces that write its fields too. */
  function withIdentity(step: WriteStep, node: TextNode, at: number, above: Conditions): Conditions {
    if (typeof step === "string") return above;
    return node.children.reduce((conditions, { step: key, node: { source }, at: inner = 0 }) => {
      if (source?.kind !== "scalar" || !Object.hasOwn(step.item, key)) return conditions;
      return under(conditions, piecesIn(at + inner + source.start, at + inner + source.end));
    }, above);
  }

  function fieldsOf(node: TextNode, at: number): Readonly<Record<string, string>> {
    const fields: Record<string, string> = {};
    for (const {
      step,
      node: { source },
      at: inner = 0,
    } of node.children) {
      if (source?.kind !== "scalar" || !IDENTITIES.has(step)) continue;
      fields[String(step)] = said(text.text.slice(at + inner + source.start, at + inner + source.end));
    }
    return fields;
  }
}

function isPlainCollection(source: NonNullable<TextNode["source"]>): boolean {
  const isCollection = source.kind === "mapping" || source.kind === "sequence";
  return isCollection && source.tag === undefined && source.anchor === undefined;
}

function pieceNumbers(): (piece: Leaf) => number {
  const numbers = new Map<Leaf, number>();
  return (piece) => {
    const number = numbers.get(piece) ?? numbers.size;
    numbers.set(piece, number);
    return number;
  };
}

/** A path of a template: ways write the same paths again and again, and each is one object. */
interface WritePath {
  readonly number: number;
  /** A text that no other path has. */
  readonly key: string;
  readonly steps: readonly WriteStep[];
  readonly below: (step: WriteStep) => WritePath;
}

function rootPath(): WritePath {
  let paths = 0;
  const pathOf = (key: string, steps: readonly WriteStep[]): WritePath => {
    const known = new Map<string, WritePath>();
    return {
      number: paths++,
      key,
      steps,
      below(step) {
        const text = typeof step === "string" ? step : `\0${step.at}\0${Object.entries(step.item).join("\0")}`;
        const before = known.get(text);
        if (before !== undefined) return before;
        const path = pathOf(`${key}/${JSON.stringify(step)}`, [...steps, step]);
        known.set(text, path);
        return path;
      },
    };
  };
  return pathOf("", []);
}

function keyOf(path: WritePath, written: string, conditions: Conditions): string {
  return `${path.number} ${conditions.number} ${written}`;
}

/** The conditions above a write. Equal conditions have one number. */
interface Conditions {
  readonly number: number;
  readonly sorted: readonly string[];
  /** The same object for the same trail. */
  readonly under: (trail: Trail) => Conditions;
}

function noConditions(): Conditions {
  const numbers = new Map<string, number>();
  const conditionsOf = (trails: ReadonlySet<Trail>): Conditions => {
    const known = new Map<Trail, Conditions>();
    const sorted = [...new Set([...trails].flat())].sort();
    const key = sorted.join("\n");
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    const withTrail = (trail: Trail): Conditions => {
      const before = known.get(trail);
      if (before !== undefined) return before;
      const more = trails.has(trail) ? self : conditionsOf(new Set([...trails, trail]));
      known.set(trail, more);
      return more;
    };
    const self: Conditions = {
      number,
      sorted,
      under: withTrail,
    };
    return self;
  };
  return conditionsOf(new Set());
}

/** The conditions with those of some pieces. */
function under(above: Conditions, pieces: readonly Leaf[]): Conditions {
  return pieces.reduce((conditions, { trail }) => (trail === undefined ? conditions : conditions.under(trail)), above);
}

/** Fields by which the items of a pod's lists are told apart. */
const IDENTITIES: ReadonlySet<string | number> = new Set(
  "name mountPath containerPort devicePath ip topologyKey".split(" "),
);

function withExpressions(source: string, { slots, mark }: Placeholders): string {
  if (!source.includes(mark)) return source;
  return source.replace(placeholderPattern(mark), (_, digits: string) => {
    const slot = slots.get(placeholderNumber(digits));
    return slot?.kind === "constant" ? constantText(slot.value) : `{{${slot?.expression ?? "?"}}}`;
  });
}

function constantText(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : valueText(value);
}

/** The constant that a whole plain scalar is. */
function wholeConstant(written: string, { slots, mark }: Placeholders) {
  if (!written.startsWith(mark) || written.indexOf(mark, 1) !== written.length - 1) return undefined;
  const slot = slots.get(placeholderNumber(written.slice(1, -1)));
  return slot?.kind === "constant" ? slot : undefined;
}

function isConstantText(written: string, { slots, mark }: Placeholders): boolean {
  return [...written.matchAll(placeholderPattern(mark))].every(
    ([, digits = ""]) => slots.get(placeholderNumber(digits))?.kind === "constant",
  );
}

function constantOf(source: NonNullable<TextNode["source"]>, placeholders: Placeholders): JsonValue | undefined {
  const value = readOrUndefined(() => yamlValue(source));
  return typeof value === "string" ? withExpressions(value, placeholders) : value;
}

/** A value by its leaves: what has no value is left out of the overlay. */
function leavesOf(
  value: unknown,
  path: readonly WriteStep[] = [],
): readonly { readonly path: readonly WriteStep[]; readonly value: JsonValue }[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item, at) => leavesOf(item, [...path, { at, item: identityFields(item) }]));
  }
  if (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  }
  return [{ path, value: value as JsonValue }];
}

function identityFields(item: unknown): Readonly<Record<string, string>> {
  if (typeof item !== "object" || item === null) return {};
  const entries = Object.entries(item).filter(([key, value]) => IDENTITIES.has(key) && typeof value !== "object");
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}

/** The conditions of a template as they are nested, without its texts. */
function conditionsOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => {
      if ("pieces" in piece) return conditionsOf(piece.pieces);
      if (!("yes" in piece)) return "";
      return `(${piece.condition} ? ${conditionsOf(piece.yes())} : ${conditionsOf(piece.no())})`;
    })
    .join("");
}
