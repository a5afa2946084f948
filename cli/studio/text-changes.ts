// The texts of two source trees that differ: what was edited between two releases. Pure.
import type { SourceTree } from "@outrigger/injector";
import type { TextChange } from "@outrigger/studio";
import { changedPaths, textAt } from "../tree/three-way.ts";

/** Returns null where one of the trees is not known. An entry that a tree has not is null. */
export function textChanges(
  before: SourceTree | undefined,
  after: SourceTree | undefined,
): readonly TextChange[] | null {
  if (before === undefined || after === undefined) return null;
  return changedPaths(before, after).map((path) => ({
    path,
    before: textAt(before, path) ?? null,
    after: textAt(after, path) ?? null,
  }));
}
