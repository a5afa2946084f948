// What a template writes, whatever pod comes: each field with its value or expression, and the conditions above it. Two templates with
// equal writes and an equal skeleton make the same of every pod, so an edit is the difference of the two.
import { type JsonValue, memoize, memoizeObject, once } from "@outrigger/base";
import { type LocatedNode, readYamlTree, yamlValue } from "@outrigger/yaml";
import { type Leaf, type Piece, type Placeholders, placeholderNumber, placeholderPattern } from "./bind/text-pieces.ts";
import { valueText } from "./bind/value-text.ts";
import { type BranchQuery, readOrUndefined, type Way, type Ways, waysOf } from "./branch-ways.ts";
import type { TemplatePosition } from "./finding.ts";

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

const writesOn = memoizeObject(({ name, pieces, ways, isWhole }: Ways): TemplateWrites => {
  const position: TemplatePosition = { source: name, line: 1, column: 1 };
  const found = new Map<string, TemplateWrite>();
  const orders = new Set<string>();
  for (const way of new Set(ways.flat())) if (way.shape !== undefined) orders.add(addWrites(way, found));
  // No combination of such a branch that was tried is YAML: its text is all that is known.
  for (const tried of ways) {
    const [first] = tried;
    if (first === undefined || tried.some(({ shape }) => shape !== undefined)) continue;
    const written = first.text.text;
    found.set(keyOf(ROOT, written, NO_CONDITIONS), { path: [], written, conditions: [], position });
  }
  const skeleton = isWhole ? [conditionsOf(pieces), ...[...orders].sort()].join("\n") : "too many branches";
  return { name, writes: [...found.values()], skeleton };
});

/** Adds what a way writes that is not found yet, and returns the paths of all that it writes. */
function addWrites({ text }: Way, found: Map<string, TemplateWrite>): string {
  const { placeholders, piecesIn, positionAt } = text;
  const said = (source: string) => withExpressions(source, placeholders);
  const paths: string[] = [];
  collect(treeOf(text.text), ROOT, NO_CONDITIONS);
  return paths.join("\n");

  function collect(node: LocatedNode, path: WritePath, above: Conditions): void {
    const { source } = node;
    if (source === undefined) return;
    const isCollection = source.kind === "mapping" || source.kind === "sequence";
    const isPlain = source.kind !== "alias" && source.tag === undefined && source.anchor === undefined;
    if (isCollection && node.children.length > 0 && isPlain) {
      for (const { step, keyOffset, node: child } of node.children) {
        const next = typeof step === "number" ? { at: step, item: fieldsOf(child) } : said(step);
        const keyEnd = typeof step === "number" ? keyOffset + 1 : Math.max(keyOffset + 1, child.offset);
        const own = [...piecesIn(keyOffset, keyEnd), ...identityOf(next, child)];
        collect(child, below(path, next), withTrails(above, own));
      }
      return;
    }
    const written = text.text.slice(source.outerStart, source.end);
    const own = piecesIn(source.start, Math.max(source.end, source.start + 1));
    const conditions = withTrails(above, own);
    const add = (at: WritePath, said: string, read: () => JsonValue | undefined) => {
      paths.push(at.key);
      const key = keyOf(at, said, conditions);
      if (found.has(key)) return;
      const value = read();
      const write = { path: at.steps(), written: said, conditions: conditions.sorted() };
      found.set(key, { ...write, position: positionAt(source.start), ...(value !== undefined && { value }) });
    };
    const only = wholeConstant(written, placeholders);
    if (only !== undefined) {
      for (const leaf of leavesOf(only.value))
        add(leaf.path.reduce(below, path), JSON.stringify(leaf.value), () => leaf.value);
      return;
    }
    const isKnown = !written.includes(placeholders.mark) || isConstantText(written, placeholders);
    add(path, said(written), () => (isKnown ? constantOf(source, placeholders) : undefined));
  }

  /** Which item of a list it is depends on the pieces that write its fields too. */
  function identityOf(step: WriteStep, node: LocatedNode): readonly Leaf[] {
    if (typeof step === "string") return [];
    return node.children.flatMap(({ step: key, node: child }) => {
      const { source } = child;
      return source?.kind === "scalar" && Object.hasOwn(step.item, key) ? piecesIn(source.start, source.end) : [];
    });
  }

  function fieldsOf(node: LocatedNode): Readonly<Record<string, string>> {
    const scalars = node.children.flatMap(({ step, node: { source } }) =>
      source?.kind === "scalar" && IDENTITIES.includes(String(step))
        ? [[String(step), said(text.text.slice(source.start, source.end))] as const]
        : [],
    );
    return Object.fromEntries(scalars);
  }
}

/** Keys are as they are written. A text has placeholders for values: where an edit changes only these, it is read already. */
const treeOf = memoize((text) => readYamlTree(text, { keyText: ({ start, end }) => text.slice(start, end) }), {
  longest: 64_000,
  bytesOf: (_, text) => PER_CHARACTER * text.length,
});

/** Bytes that the nodes of a text take. */
const PER_CHARACTER = 40;

/** A path with a text that no other path has: ways write the same paths again and again. */
interface WritePath {
  readonly key: string;
  readonly steps: () => readonly WriteStep[];
}

const ROOT: WritePath = { key: "", steps: () => [] };

function below(path: WritePath, step: WriteStep): WritePath {
  return { key: `${path.key}/${JSON.stringify(step)}`, steps: () => [...path.steps(), step] };
}

function keyOf({ key }: WritePath, written: string, { key: conditionsKey }: Conditions): string {
  // No YAML contains this character.
  return `${key}\0${written}\0${conditionsKey()}`;
}

/** The trails of the pieces above a write, and their conditions. Most writes have those of the write before. */
interface Conditions {
  readonly trails: ReadonlySet<readonly string[]>;
  readonly sorted: () => readonly string[];
  readonly key: () => string;
}

const NO_CONDITIONS: Conditions = { trails: new Set(), sorted: () => [], key: () => "" };

function withTrails(above: Conditions, leaves: readonly Leaf[]): Conditions {
  const added = leaves.flatMap(({ trail }) => (trail === undefined || above.trails.has(trail) ? [] : [trail]));
  if (added.length === 0) return above;
  const trails = new Set([...above.trails, ...added]);
  const sorted = once(() => [...new Set([...trails].flat())].sort());
  return { trails, sorted, key: once(() => sorted().join("\n")) };
}

/** Fields by which the items of a pod's lists are told apart. */
const IDENTITIES: readonly (string | number)[] = "name mountPath containerPort devicePath ip topologyKey".split(" ");

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
  const match = written.startsWith(mark) ? placeholderPattern(mark).exec(written) : null;
  if (match === null || match[0] !== written) return undefined;
  const slot = slots.get(placeholderNumber(match[1] as string));
  return slot?.kind === "constant" ? slot : undefined;
}

function isConstantText(written: string, { slots, mark }: Placeholders): boolean {
  return [...written.matchAll(placeholderPattern(mark))].every(
    ([, digits = ""]) => slots.get(placeholderNumber(digits))?.kind === "constant",
  );
}

function constantOf(source: NonNullable<LocatedNode["source"]>, placeholders: Placeholders): JsonValue | undefined {
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
  const entries = Object.entries(item).filter(([key, value]) => IDENTITIES.includes(key) && typeof value !== "object");
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
