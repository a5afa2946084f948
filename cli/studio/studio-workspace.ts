// What the studio edits: a source tree over the shipped one. One write at a time, and none over another user's.

import type { ChannelRecord } from "../../lib/publish/publisher-request.ts";
import { checkSourcePath, type SourceTree } from "../../lib/release/source-tree.ts";
import { watchDirectories } from "../../lib/source/watch-directory.ts";
import type { Wish } from "../ask-and-print.ts";
import { inTurn } from "../in-turn.ts";
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
  /** Calls back after a change by any user. Returns what ends it. */
  watch(onChange: () => void): () => void;
  /** Channels and clusters; undefined for a directory. */
  readonly releases?: StudioReleases;
}

export interface StudioReleases {
  read(): Promise<ReleasesState>;
  /** The user's own texts that a channel, release or `source` was made from. */
  tree(name: string): Promise<SourceTree>;
  /** Publishes, promotes, pins, unpins or rolls back. */
  move(wish: Wish, message: string): Promise<Moved>;
}

export interface ReleasesState {
  readonly channels: Readonly<Record<string, ChannelRecord>>;
  readonly clusters: Readonly<Record<string, ClusterState>>;
  /** The channel that edits are published to. */
  readonly publishTo: string;
  /** Why what is served is not what is stored; null if it is. */
  readonly difference: string | null;
}

export interface ClusterState {
  /** Revision → channel. */
  readonly revisions: Readonly<Record<string, string>>;
  /** When each live token was made: ISO 8601. */
  readonly tokens: readonly string[];
}

export interface Moved {
  readonly message: string;
  readonly warnings: readonly string[];
}

/**
 * A directory as a workspace.
 *
 * @param directory undefined: the shipped tree alone, in which nothing can be saved
 * @param shipped the directory of the shipped tree
 */
export function directoryWorkspace(directory: string | undefined, shipped: () => Promise<SourceTree>): StudioWorkspace {
  const save = inTurn((edit: StudioEdit) => saveEntry(directory, edit));
  return {
    read: async () => ({
      name: directory ?? "shipped templates",
      kind: "directory",
      canSave: directory !== undefined,
      shipped: await shipped(),
      saved: directory === undefined ? {} : await directoryTree(directory),
    }),
    save,
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
