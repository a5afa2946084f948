// Starting from an example: its entries become unsaved edits.

import type { SourceTree } from "@outrigger/injector";
import { signal } from "@preact/signals";
import type { ExampleTree } from "../wire.ts";
import { type DraftTable, settle, textOf } from "./drafts.ts";

/** The examples to choose from; undefined while the choice is closed. */
export const offered = signal<readonly ExampleTree[] | undefined>(undefined);

/** The drafts that an example makes. They replace all others; saved entries that the example does not have stay. */
export function draftsOf({ tree }: ExampleTree, saved: SourceTree): DraftTable {
  const drafts = Object.entries(tree).map(([path, text]) => [path, { text, base: textOf(saved, path) }] as const);
  return settle(Object.fromEntries(drafts), saved);
}

/** The saved entries that an example writes another text over. */
export function replacedBy(example: ExampleTree, saved: SourceTree): readonly string[] {
  return Object.keys(draftsOf(example, saved)).filter((path) => Object.hasOwn(saved, path));
}

/** How many edits starting from an example discards: none if they are all another example's own. */
export function discardedBy(drafts: DraftTable, examples: readonly ExampleTree[], saved: SourceTree): number {
  const text = JSON.stringify(drafts);
  const isExample = examples.some((example) => JSON.stringify(draftsOf(example, saved)) === text);
  return isExample ? 0 : Object.keys(drafts).length;
}
