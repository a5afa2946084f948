// What the page works on, wherever it comes from: the local API of the command line tool, or the playground's own texts.

import type { SourceTree } from "../../lib/release/source-tree.ts";

/** A workspace as it is loaded. */
export interface Workspace {
  /** Of the directory or deployment; the page's title. */
  readonly name: string;
  readonly kind: "directory" | "deployment" | "playground";
  /** Whether edits can be saved. */
  readonly canSave: boolean;
  readonly shipped: SourceTree;
  /** The user's own tree as it is saved. */
  readonly saved: SourceTree;
}

/** One edit to save. `undefined` removes the entry. */
export interface Edit {
  readonly path: string;
  /** The text that the edit was made on; null if there was none. */
  readonly base: string | null;
  /** Null removes the entry. */
  readonly text: string | null;
}

/** Saved, or refused because the entry has changed since: then with its text of now. */
export type Saved = { readonly saved: true } | { readonly saved: false; readonly current: string | null };

/** Where a workspace is kept. */
export interface WorkspaceSource {
  load(): Promise<Workspace>;
  save(edit: Edit): Promise<Saved>;
  /** Calls back when the workspace has been changed by another user. */
  watch(onChange: () => void): void;
}
