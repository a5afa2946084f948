// What the studio edits: a source tree over the shipped one. One write at a time, and none over somebody else's.

import type { SourceTree } from "../../lib/release/source-tree.ts";
import { checkSourcePath } from "../../lib/release/source-tree.ts";
import { watchDirectories } from "../../lib/source/watch-directory.ts";
import { directoryTree } from "../tree/read-trees.ts";
import { writeSourceFiles } from "../tree/source-files.ts";
import { textAt } from "../tree/three-way.ts";

export interface StudioState {
  readonly name: string;
  readonly kind: "directory" | "deployment";
  readonly canSave: boolean;
  readonly shipped: SourceTree;
  readonly saved: SourceTree;
}

export interface StudioEdit {
  readonly path: string;
  /** The text that the edit was made on; null if there was none. */
  readonly base: string | null;
  /** Null removes the entry. */
  readonly text: string | null;
}

export type StudioSaved = { readonly saved: true } | { readonly saved: false; readonly current: string | null };

export interface StudioWorkspace {
  read(): Promise<StudioState>;
  /** Writes an entry if it is still what the edit was made on. */
  save(edit: StudioEdit): Promise<StudioSaved>;
  /** Calls back after a change by anyone. Returns what ends it. */
  watch(onChange: () => void): () => void;
}

/**
 * A directory as a workspace.
 *
 * @param directory undefined: the shipped tree alone, in which nothing can be saved
 * @param shipped the directory of the shipped tree
 */
export function directoryWorkspace(directory: string | undefined, shipped: () => Promise<SourceTree>): StudioWorkspace {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run);
    last = result.catch(() => {});
    return result;
  };
  return {
    read: async () => ({
      name: directory ?? "shipped templates",
      kind: "directory",
      canSave: directory !== undefined,
      shipped: await shipped(),
      saved: directory === undefined ? {} : await directoryTree(directory),
    }),
    save: (edit) => inTurn(() => saveEntry(directory, edit)),
    watch(onChange) {
      if (directory === undefined) return () => {};
      const watch = watchDirectories([directory], onChange);
      return () => watch.close();
    },
  };
}

async function saveEntry(directory: string | undefined, { path, base, text }: StudioEdit): Promise<StudioSaved> {
  checkSourcePath(path);
  if (directory === undefined) return { saved: false, current: null };
  const current = textAt(await directoryTree(directory), path) ?? null;
  if (current !== base && current !== text) return { saved: false, current };
  await writeSourceFiles(directory, text === null ? {} : { [path]: text }, [path]);
  return { saved: true };
}
