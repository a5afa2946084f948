// Channels and clusters of a deployment, as the local API gives them.

import { signal } from "@preact/signals";
import { isObject } from "../../lib/json.ts";
import type { Release } from "../../lib/release/release.ts";
import type { SourceTree } from "../../lib/release/source-tree.ts";
import type { Move, Moved, ReleasesState } from "../../lib/studio/wire.ts";
import type { ExamineAnswer, Impact } from "../preview/question.ts";

export const releases = signal<ReleasesState | undefined>(undefined);
/** The move that waits for its confirmation. */
export const planned = signal<Move | undefined>(undefined);
/** Undefined while it is measured; a text if it cannot be. */
export const plannedImpact = signal<
  (Pick<ExamineAnswer, "clusterImpact"> & { readonly impact: Impact }) | string | undefined
>(undefined);

/** What the page asks of the local API. */
export interface ReleasesApi {
  read(): Promise<ReleasesState>;
  tree(name: string): Promise<SourceTree>;
  /** The release that a channel serves, or a release. */
  release(name: string): Promise<Release>;
  move(move: Move, message: string): Promise<Moved>;
}

/** The names of the trees before and after a move: channels, releases, or `source`; undefined if no tree changes. */
export function treesOf(move: Move, publishTo: string): readonly [before: string, after: string] | undefined {
  switch (move.action) {
    case "publish":
      return [publishTo, "source"];
    case "promote":
      return [move.to, move.from];
    case "rollback":
    case "pin":
      return [move.channel, move.release];
    case "unpin":
      return undefined;
  }
}

export function releasesApi(ask: (path: string, init?: RequestInit) => Promise<unknown>): ReleasesApi {
  return {
    read: async () => (await ask("/api/releases")) as ReleasesState,
    tree: async (name) => (await ask(`/api/tree?name=${encodeURIComponent(name)}`)) as SourceTree,
    release: async (name) => (await ask(`/api/release?name=${encodeURIComponent(name)}`)) as Release,
    move: async (move, message) => {
      const value = await ask("/api/move", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...move, message }),
      });
      const { message: answer, warnings } = isObject(value) ? value : {};
      return { message: String(answer), warnings: Array.isArray(warnings) ? warnings.map(String) : [] };
    },
  };
}
