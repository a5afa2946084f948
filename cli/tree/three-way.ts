// What happens to two trees that were the same once: which entries are carried over, which stay, and which were
// edited on both sides. The same for both directions: pull carries from the store, push from the directory.
import { createHash } from "node:crypto";
import { defined } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";

/** Path → SHA-256 of the text that both sides had when they were last the same. */
export type Base = Readonly<Record<string, string>>;

/**
 * Compares two trees with what they had in common. Each entry falls on the first line that fits:
 *
 * | from, to       | to, base       | from, base | the entry         |
 * |----------------|----------------|------------|-------------------|
 * | same           |                |            | nothing to do     |
 * | different      | same           |            | carried           |
 * | different      | different      | same       | kept              |
 * | different      | different      | different  | conflict          |
 *
 * A missing entry is a text like any other: a deletion is carried, kept or in conflict as an edit is.
 *
 * What is carried is written where `from` has a text, and removed where it has none.
 *
 * @param force carries everything: the other side becomes what `from` is
 * @returns with the paths, what the other side has in the end, and what both sides have in common then
 */
export function threeWay(from: SourceTree, to: SourceTree, base: Base, force = false) {
  const carried: string[] = [];
  const kept: string[] = [];
  const conflicts: string[] = [];
  for (const path of changedPaths(from, to)) {
    const [ours, theirs] = [textAt(from, path), textAt(to, path)];
    const common = textAt(base, path);
    if (force || digestOrNone(theirs) === common) carried.push(path);
    else if (digestOrNone(ours) === common) kept.push(path);
    else conflicts.push(path);
  }
  const stays = new Set([...kept, ...conflicts]);
  const mapped = (valueAt: (path: string) => string | undefined) =>
    defined(Object.fromEntries(pathsOf(from, to).map((path) => [path, valueAt(path)]))) as SourceTree;
  const result = mapped((path) => textAt(stays.has(path) ? to : from, path));
  const shared = mapped((path) => (stays.has(path) ? textAt(base, path) : digestOrNone(textAt(from, path))));
  return { carried, kept, conflicts, result, base: shared as Base };
}

/** SHA-256 of a text: 64 hexadecimal digits. */
export function textDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Every path of either tree, in order. */
export function pathsOf(...trees: readonly SourceTree[]): readonly string[] {
  return [...new Set(trees.flatMap((tree) => Object.keys(tree)))].sort();
}

/** Every path whose text is not the same in both trees, in order. */
export function changedPaths(before: SourceTree, after: SourceTree): readonly string[] {
  return pathsOf(before, after).filter((path) => textAt(before, path) !== textAt(after, path));
}

/** The text at a path, of the tree itself and not of what objects have by nature. */
export function textAt(tree: SourceTree, path: string): string | undefined {
  return Object.hasOwn(tree, path) ? tree[path] : undefined;
}

function digestOrNone(text: string | undefined): string | undefined {
  return text === undefined ? undefined : textDigest(text);
}
