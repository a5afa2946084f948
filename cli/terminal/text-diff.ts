// How a change of texts reads: a unified diff, as git prints it.
import type { SourceTree } from "@outrigger/injector";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { pathsOf, textAt } from "../tree/three-way.ts";
import { printable } from "./printable.ts";

export interface Side {
  /** The name of the text; `/dev/null` for a text that does not exist. */
  readonly name: string;
  readonly text: string | undefined;
}

/** The diff, ready to be printed; empty where the texts are the same. */
export function textDiff(before: Side, after: Side): string {
  if (before.text === after.text) return "";
  const nameOf = ({ name, text }: Side) => (text === undefined ? "/dev/null" : name);
  const patch = createTwoFilesPatch(nameOf(before), nameOf(after), before.text ?? "", after.text ?? "", "", "", {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return printable(patch);
}

/** A tree and what it is called in front of its paths: `dev:source`. */
export interface NamedTree {
  readonly name: string;
  readonly tree: SourceTree;
}

/** The diffs of all entries, or of those at `paths`. */
export function treeDiff(before: NamedTree, after: NamedTree, paths?: readonly string[]): string {
  return entryDiffs(before, after, paths)
    .map(({ diff }) => diff)
    .join("");
}

/** The differences of trees, each by itself. */
export function entryDiffs(before: NamedTree, after: NamedTree, paths = pathsOf(before.tree, after.tree)) {
  const sideOf = ({ name, tree }: NamedTree, path: string) => ({ name: `${name}/${path}`, text: textAt(tree, path) });
  const diffs = paths.map((path) => ({ path, diff: textDiff(sideOf(before, path), sideOf(after, path)) }));
  return diffs.filter(({ diff }) => diff !== "");
}
