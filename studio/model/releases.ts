// Channels and clusters of a deployment, as the local API gives them.

import { signal } from "@preact/signals";
import { isObject } from "../../lib/json.ts";
import type { SourceTree } from "../../lib/release/source-tree.ts";
import type { Impact } from "../preview/question.ts";

export interface ReleasesState {
  readonly channels: Readonly<Record<string, ChannelState>>;
  readonly clusters: Readonly<Record<string, ClusterState>>;
  /** The channel that edits are published to. */
  readonly publishTo: string;
  readonly difference: string | null;
}

/** What lib/publish keeps of a channel, as far as the page shows it. */
export interface ChannelState {
  readonly release: string;
  readonly pinned: boolean;
  /** The latest first. */
  readonly history: readonly {
    /** ISO 8601. */
    readonly at: string;
    readonly action: string;
    readonly release: string;
    readonly by: string;
    readonly why: string;
    readonly edits?: readonly string[];
  }[];
}

export interface ClusterState {
  readonly revisions: Readonly<Record<string, string>>;
  readonly tokens: readonly string[];
}

/** What a person is about to do, shown with its impact before it is confirmed. */
export type Move =
  | { readonly action: "publish" }
  | { readonly action: "promote"; readonly from: string; readonly to: string }
  | { readonly action: "rollback" | "pin"; readonly channel: string; readonly release: string }
  | { readonly action: "unpin"; readonly channel: string };

export const releases = signal<ReleasesState | undefined>(undefined);
/** The move that waits for its confirmation. */
export const planned = signal<Move | undefined>(undefined);
/** Undefined while it is measured; a text if it cannot be. */
export const plannedImpact = signal<Impact | string | undefined>(undefined);

/** What the page asks of the local API. */
export interface ReleasesApi {
  read(): Promise<ReleasesState>;
  tree(name: string): Promise<SourceTree>;
  move(move: Move, message: string): Promise<{ readonly message: string; readonly warnings: readonly string[] }>;
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
