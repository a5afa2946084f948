// What the studio edits: a source tree over the shipped one. One write at a time, and none over another user's.

import { join } from "node:path";
import type { OutriggerError } from "@outrigger/base";
import { checkSourcePath, errorFinding, type Release, type SourceTree } from "@outrigger/injector";
import { watchDirectories } from "@outrigger/publisher";
import type {
  ChannelState,
  ClusterWorkload,
  Edit,
  Moved,
  Question,
  ReleasesState,
  RolloutState,
  RunningState,
  Save,
  Saved,
  Workspace,
} from "@outrigger/studio";
import { inTurn } from "../terminal/in-turn.ts";
import { directoryTree } from "../tree/read-trees.ts";
import { writeSourceFiles } from "../tree/source-files.ts";
import { textAt } from "../tree/three-way.ts";
import type { AskedMove } from "./parse-move.ts";

export interface StudioWorkspace {
  /** The cluster is not the workspace's own, and the preview is made of what is read. */
  read(): Promise<Omit<Workspace, "cluster" | "preview">>;
  /** Writes all entries if each is still what its edit was made on, and none otherwise. Left out: a move saves them. */
  save?(request: Save): Promise<Saved>;
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
  /** The moves of a channel, older ones than its record has, too. */
  history(channel: string): Promise<ChannelState["history"]>;
  /** What the share of a channel did so far, and what happens to it. */
  rollout(channel: string): Promise<RolloutState>;
  /** What the pods of the cluster have; undefined without a cluster. */
  running?(): Promise<RunningState>;
  /** What saving, publishing, promoting, pinning, unpinning, rolling back, or moving a rollout on comes to. Nothing is written. */
  ask(move: AskedMove): Promise<Question>;
  /** Carries out exactly what the question answered; refused where anything has moved since. */
  confirm(confirmation: { readonly id: string; readonly message: string }): Promise<Moved>;
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
  const save = inTurn(({ edits }: Save) => saveEntries(directory, edits));
  return {
    read: async () => {
      const found: OutriggerError[] = [];
      const [base, saved] = await Promise.all([shipped(), readDirectory(directory, found)]);
      const faults = found.map((fault) => errorFinding(fault, []));
      const name = directory ?? "shipped templates";
      return { name, kind: "directory", canSave: directory !== undefined, shipped: base, saved, faults };
    },
    save,
    watch(onChange) {
      if (directory === undefined) return () => {};
      const watch = watchDirectories([directory], onChange);
      return () => watch.close();
    },
  };
}

/** A file that does not belong there is a finding, and the others are shown. */
async function readDirectory(directory: string | undefined, faults: OutriggerError[]): Promise<SourceTree> {
  return directory === undefined ? {} : directoryTree(directory, (fault) => faults.push(fault));
}

async function saveEntries(directory: string | undefined, edits: readonly Edit[]): Promise<Saved> {
  const faults: OutriggerError[] = [];
  const current = await readDirectory(directory, faults);
  const places = edits.map(({ path }) => join(directory ?? "", `${path}.`));
  const inTheWay = faults.find(({ path = "" }) => places.some((place) => path.startsWith(place)));
  if (inTheWay !== undefined) throw inTheWay;
  const changed = changedSince(edits, current);
  if (directory === undefined || Object.keys(changed).length > 0) return { saved: false, current: changed };
  const texts = edits.flatMap(({ path, text }) => (text === null ? [] : [[path, text] as const]));
  const paths = edits.map(({ path }) => path);
  await writeSourceFiles(directory, Object.fromEntries(texts), paths);
  return { saved: true };
}

/**
 * The entries that are no longer what their edits were made on, with their texts of now.
 *
 * @throws OutriggerError for a path that names no entry
 */
export function changedSince(edits: readonly Edit[], tree: SourceTree): Readonly<Record<string, string | null>> {
  for (const { path } of edits) checkSourcePath(path);
  const changed = edits.flatMap(({ path, base, text }) => {
    const now = textAt(tree, path) ?? null;
    return now === base || now === text ? [] : [[path, now] as const];
  });
  return Object.fromEntries(changed);
}
