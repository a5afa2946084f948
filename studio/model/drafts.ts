// Unsaved edits: path → text, or null for an entry that is removed. A draft that equals what is saved is none.

import type { SourceTree, TreeFinding } from "@outrigger/injector";

/** A draft, and the text it was made on. */
export interface Draft {
  readonly text: string | null;
  readonly base: string | null;
}

/** A draft as it is sent. */
interface PathDraft extends Draft {
  readonly path: string;
}

export type DraftTable = Readonly<Record<string, Draft>>;

/** Drafts as they are sent, and back. */
export function editsOf(drafts: DraftTable): readonly PathDraft[] {
  return Object.entries(drafts).map(([path, { text, base }]) => ({ path, text, base }));
}

export function draftTable(edits: readonly PathDraft[]): DraftTable {
  return Object.fromEntries(edits.map(({ path, text, base }) => [path, { text, base }]));
}

export function textOf(tree: SourceTree, path: string): string | null {
  return Object.hasOwn(tree, path) ? (tree[path] as string) : null;
}

/** The table with one more edit. The base of an edit is what was saved when it began. */
export function withDraft(drafts: DraftTable, saved: SourceTree, path: string, text: string | null): DraftTable {
  const earlier = Object.hasOwn(drafts, path) ? drafts[path] : undefined;
  const base = earlier === undefined ? textOf(saved, path) : earlier.base;
  const { [path]: _removed, ...others } = drafts;
  return text === textOf(saved, path) ? others : { ...others, [path]: { text, base } };
}

export function editedTree(saved: SourceTree, drafts: DraftTable): SourceTree {
  const tree: Record<string, string> = { ...saved };
  for (const [path, { text }] of Object.entries(drafts)) {
    if (text === null) delete tree[path];
    else tree[path] = text;
  }
  return tree;
}

/** Paths whose saved text is no longer what their draft was made on. */
export function conflicts(saved: SourceTree, drafts: DraftTable): readonly string[] {
  return Object.entries(drafts).flatMap(([path, { base }]) => (textOf(saved, path) === base ? [] : [path]));
}

/** Drafts that still say something, after the saved tree has changed. */
export function settle(drafts: DraftTable, saved: SourceTree): DraftTable {
  return Object.fromEntries(Object.entries(drafts).filter(([path, { text }]) => text !== textOf(saved, path)));
}

/** The drafts that an example, or a link, makes. Saved entries that it does not have stay. */
export function draftsOf(tree: SourceTree, saved: SourceTree): DraftTable {
  const drafts = Object.entries(tree).map(([path, text]) => [path, { text, base: textOf(saved, path) }] as const);
  return settle(Object.fromEntries(drafts), saved);
}

/** The saved entries that an example writes another text over. */
export function replacedBy(example: SourceTree, saved: SourceTree): readonly string[] {
  return Object.keys(draftsOf(example, saved)).filter((path) => Object.hasOwn(saved, path));
}

/** The number of edits that starting from an example discards: 0 if they are all another example's own. */
export function discardedBy(drafts: DraftTable, examples: readonly SourceTree[], saved: SourceTree): number {
  const text = JSON.stringify(drafts);
  const isExample = examples.some((example) => JSON.stringify(draftsOf(example, saved)) === text);
  return isExample ? 0 : Object.keys(drafts).length;
}

/** Edits that no parameter holds: what is stored has as many bytes as the text. */
export function sizeFindings(
  drafts: DraftTable,
  saved: SourceTree,
  { fresh, known }: { readonly fresh: number; readonly known: number },
): readonly TreeFinding[] {
  return Object.entries(drafts).flatMap(([path, { text }]) => {
    const largest = bytesOf(textOf(saved, path) ?? "") > fresh ? known : fresh;
    const bytes = bytesOf(text ?? "");
    const way = path.includes("/") ? "split it in two" : "shorten it";
    const message = `it has ${bytes} bytes, and a parameter holds ${largest}; ${way}`;
    return bytes <= largest ? [] : [{ severity: "error", path, message }];
  });
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
