// Where the shipped tree has the lines that a hunk of the chart changes. The shipped templates are made of partials, so each is laid
// out as one text and aligned with the imported template of the same tag, line by line.
import type { SourceTree } from "@outrigger/injector";
import { diffArrays } from "diff";
import type { Hunk } from "./chart-hunks.ts";

/** Lines of one file of the tree and what comes in their place. */
export interface Edit {
  readonly path: string;
  /** Index of the first line that goes, or before which lines come. */
  readonly line: number;
  readonly removed: number;
  readonly added: readonly string[];
}

interface Place {
  readonly path: string;
  readonly line: number;
}

interface LaidLine {
  /** The files that lead here, each with the index of the line in it, the template first. */
  readonly trail: readonly Place[];
  readonly text: string;
}

/** The edit of the shipped tree that does what the hunk does to the chart; undefined where its place is not found. */
export function placeHunk(tree: SourceTree, imported: string, hunk: Hunk): Edit | undefined {
  const laid = lay(tree, `templates/${hunk.template}`, []);
  const lines = imported.split("\n");
  const laidAt = align(lines, laid);
  const indices = hunk.removed.map((_, offset) => laidAt.get(hunk.start + offset));
  const found = indices.flatMap((index) => (index === undefined ? [] : [laid[index] as LaidLine]));
  if (hunk.removed.length === 0) return insertion(lines, laid, laidAt, hunk);
  return found.length === hunk.removed.length
    ? replacement(tree, found, hunk)
    : replacedWords(lines, laid, laidAt, hunk);
}

function lay(tree: SourceTree, path: string, trail: readonly Place[]): readonly LaidLine[] {
  if (trail.length > 20) throw new Error(`Cannot lay out ${path}: its partials call each other`);
  return (tree[path] ?? "").split("\n").flatMap((text, line): readonly LaidLine[] => {
    const here = [...trail, { path, line }];
    const partial = /^\s*\{\{> ([\w.-]+)/.exec(text)?.[1];
    return partial === undefined ? [{ trail: here, text }] : lay(tree, `partials/${partial}`, here);
  });
}

/** Index in the imported text → index in the laid one, for the lines that both have. */
function align(lines: readonly string[], laid: readonly LaidLine[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  let [left, right] = [0, 0];
  for (const { added, removed, value } of diffArrays(
    lines.map(bare),
    laid.map(({ text }) => bare(text)),
  )) {
    if (!added && !removed) for (const [offset] of value.entries()) pairs.set(left + offset, right + offset);
    if (!added) left += value.length;
    if (!removed) right += value.length;
  }
  return pairs;
}

/** A line without what the import writes otherwise: indentation and quotes. */
function bare(line: string): string {
  return line.trim().replace(/["']/g, "").replace(/\s+/g, " ");
}

function replacement(tree: SourceTree, found: readonly LaidLine[], { removed, added }: Hunk): Edit | undefined {
  const places = found.map(({ trail }) => trail.at(-1) as Place);
  const [first] = places;
  if (first === undefined || places.some(({ path, line }, at) => path !== first.path || line !== first.line + at))
    return undefined;
  const shift = indentation(tree[first.path]?.split("\n")[first.line] ?? "") - indentation(removed[0] ?? "");
  return { ...first, removed: removed.length, added: shifted(added, shift) };
}

/**
 * The place after the line before the hunk, in the file of that line or, where a new item of a list begins, of the nearest file that has
 * both neighbours.
 */
function insertion(
  lines: readonly string[],
  laid: readonly LaidLine[],
  laidAt: ReadonlyMap<number, number>,
  { start, added }: Hunk,
): Edit | undefined {
  const before = laid[laidAt.get(start - 1) ?? -1];
  const after = laid[laidAt.get(start) ?? -1];
  if (before === undefined) return undefined;
  const own = added.find(isYaml) ?? "";
  const continues = indentation(own) === indentation(lines.slice(0, start).findLast(isYaml) ?? "");
  const depth = continues || after === undefined ? before.trail.length - 1 : lastShared(before.trail, after.trail);
  const { path, line } = before.trail[depth] as Place;
  const near = [...laidAt]
    .filter(([at, index]) => isYaml(lines[at] ?? "") && laid[index]?.trail.at(-1)?.path === path)
    .sort(([a], [b]) => Math.abs(a - start) - Math.abs(b - start))
    .map(([at, index]) => indentation(laid[index]?.text ?? "") - indentation(lines[at] ?? ""))[0];
  return { path, line: line + 1, removed: 0, added: shifted(added, near ?? -indentation(own)) };
}

function lastShared(a: readonly Place[], b: readonly Place[]): number {
  const fork = a.findIndex(({ path, line }, at) => b[at]?.path !== path || b[at]?.line !== line);
  return fork === -1 || b[fork]?.path !== a[fork]?.path ? Math.max(0, fork - 1) : fork;
}

/**
 * The place of one line that both have, where the shipped one reads otherwise: the words that differ, if they are found once between the
 * neighbours.
 */
function replacedWords(
  lines: readonly string[],
  laid: readonly LaidLine[],
  laidAt: ReadonlyMap<number, number>,
  { start, removed, added }: Hunk,
): Edit | undefined {
  const [old = "", young = ""] = [removed[0], added[0]];
  if (removed.length !== 1 || added.length !== 1) return undefined;
  const [from, to] = differingWords(old, young);
  const first = nearest(laidAt, start - 1, -1, -1);
  const last = nearest(laidAt, start + 1, lines.length, 1) ?? laid.length;
  const hits = laid.slice((first ?? -1) + 1, last).filter(({ text }) => wordsIn(text, from) === 1);
  const [hit] = hits;
  if (from === "" || hits.length !== 1 || hit === undefined) return undefined;
  const place = hit.trail.at(-1) as Place;
  return { ...place, removed: 1, added: [hit.text.replace(wholeWords(from), () => to)] };
}

function nearest(laidAt: ReadonlyMap<number, number>, start: number, end: number, step: 1 | -1): number | undefined {
  for (let at = start; at !== end; at += step) {
    const index = laidAt.get(at);
    if (index !== undefined) return index;
  }
  return undefined;
}

function differingWords(old: string, young: string): readonly [string, string] {
  const [a, b] = [words(old), words(young)];
  let [head, tail] = [0, 0];
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head += 1;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return [
    a
      .slice(head, a.length - tail)
      .join("")
      .trim(),
    b
      .slice(head, b.length - tail)
      .join("")
      .trim(),
  ];
}

function words(text: string): readonly string[] {
  return text.split(/(?<=[\s(){}])|(?=[\s(){}])/);
}

function wordsIn(text: string, part: string): number {
  return text.split(wholeWords(part)).length - 1;
}

function wholeWords(part: string): RegExp {
  return new RegExp(`(?<![\\w./-])${part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w./-])`, "g");
}

function shifted(lines: readonly string[], shift: number): readonly string[] {
  return lines.map((line) =>
    isYaml(line) ? `${" ".repeat(Math.max(0, indentation(line) + shift))}${line.trim()}` : line.trim(),
  );
}

function isYaml(line: string): boolean {
  return !/^\s*(\{\{[#/^!]|\{\{else)/.test(line) && line.trim() !== "";
}

function indentation(line: string): number {
  return line.length - line.trimStart().length;
}
