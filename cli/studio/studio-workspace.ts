// What the studio edits: a source tree over the shipped one. One write at a time, and none over another user's.

import { join } from "node:path";
import type { OutriggerError } from "@outrigger/base";
import { errorFinding, type SourceTree } from "@outrigger/injector";
import { watchDirectories } from "@outrigger/publisher";
import type { ClusterWorkload, Edit, Saved, Workspace } from "@outrigger/studio";
import { inTurn } from "../terminal/in-turn.ts";
import { directoryTree } from "../tree/read-trees.ts";
import { writeSourceFiles } from "../tree/source-files.ts";
import { changedSince } from "./parse-move.ts";
import type { StudioReleases } from "./releases.ts";

export interface StudioWorkspace {
  /** The cluster is not the workspace's own, and the preview is made of what is read. */
  read(): Promise<Omit<Workspace, "cluster" | "preview">>;
  /** Writes all entries if each is still what its edit was made on, and none otherwise. Left out: a move saves them. */
  save?(edits: readonly Edit[]): Promise<Saved>;
  /** Calls back after a change by any user. Returns what ends it. */
  watch(onChange: () => void): () => void;
  /** The time at which a look for changes succeeded last: milliseconds since 1970. Left out: changes are reported as they happen. */
  lookedAt?(): number;
  /** Channels and clusters; undefined for a directory. */
  readonly releases?: StudioReleases;
}

/** A cluster whose workloads are previewed. */
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
  const save = inTurn((edits: readonly Edit[]) => saveEntries(directory, edits));
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
