// What the studio edits: a source tree over the shipped one. One write at a time, and none over another user's.

import type { Release } from "@outrigger/injector";
import { checkSourcePath, type SourceTree } from "@outrigger/injector";
import { watchDirectories } from "@outrigger/publisher";
import type {
  ClusterWorkload,
  Edit,
  Moved,
  ReleasesState,
  RolloutState,
  RunningState,
  Saved,
  Workspace,
} from "@outrigger/studio";
import type { ActionRequest } from "../releases/action-request.ts";
import { inTurn } from "../terminal/in-turn.ts";
import { directoryTree } from "../tree/read-trees.ts";
import { writeSourceFiles } from "../tree/source-files.ts";
import { textAt } from "../tree/three-way.ts";

export interface StudioWorkspace {
  /** The cluster is not the workspace's own, and the preview is made of what is read. */
  read(): Promise<Omit<Workspace, "cluster" | "preview">>;
  /** Writes an entry if it is still what the edit was made on. */
  save(edit: Edit): Promise<Saved>;
  /** Calls back after a change by any user. Returns what ends it. */
  watch(onChange: () => void): () => void;
  /** When a look for changes succeeded last: milliseconds since 1970. Left out: changes are reported as they happen. */
  lookedAt?(): number;
  /** Channels and clusters; undefined for a directory. */
  readonly releases?: StudioReleases;
}

export interface StudioReleases {
  read(): Promise<ReleasesState>;
  /** The release that a channel serves, or a release, as it is stored; or the one that `source` makes. */
  release(name: string): Promise<Release>;
  /** What the share of a channel did so far, and what becomes of it. */
  rollout(channel: string): Promise<RolloutState>;
  /** What the pods of the cluster have; undefined without a cluster. */
  running?(): Promise<RunningState>;
  /** Publishes, promotes, pins, unpins, rolls back, or moves a rollout on. */
  move(request: ActionRequest, message: string): Promise<Moved>;
}

/** A cluster that is looked at, never changed. */
export interface StudioCluster {
  readonly name: string;
  workloads(): Promise<readonly ClusterWorkload[]>;
}

/**
 * A directory as a workspace.
 *
 * @param directory undefined: the shipped tree alone, in which nothing can be saved
 * @param shipped the directory of the shipped tree
 */
export function directoryWorkspace(directory: string | undefined, shipped: () => Promise<SourceTree>): StudioWorkspace {
  const save = inTurn((edit: Edit) => saveEntry(directory, edit));
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

async function saveEntry(directory: string | undefined, { path, base, text }: Edit): Promise<Saved> {
  checkSourcePath(path);
  if (directory === undefined) return { saved: false, current: null };
  const current = textAt(await directoryTree(directory), path) ?? null;
  if (current !== base && current !== text) return { saved: false, current };
  await writeSourceFiles(directory, text === null ? {} : { [path]: text }, [path]);
  return { saved: true };
}
