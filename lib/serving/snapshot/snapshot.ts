// What `serve/` carries: one derived snapshot of everything that serving takes. It is whole or it is nothing: its digest is
// that of its bytes, and everything in it was written by one commit.
import type { Release } from "@outrigger/injector";
import type { ClusterRecord } from "./cluster-record.ts";
import type { Share } from "./workload-share.ts";

/** Version of the snapshot's form. A reader refuses any other and keeps what it has. */
export const SNAPSHOT_FORMAT = 1;

/** Everything that serving takes, as one commit left it. */
export interface Snapshot {
  readonly format: number;
  /** The commit's number: only grows, and readers ignore a lower one than they have seen. The same as in the head. */
  readonly seq: number;
  /** Channel → digest of its release. */
  readonly channels: Readonly<Record<string, string>>;
  readonly clusters: Readonly<Record<string, ClusterRecord>>;
  /** Digest → release: those that a channel names, each once. */
  readonly releases: Readonly<Record<string, Release>>;
  /** Channels that are pinned, so that a lost record can be restored as it was. */
  readonly pins: readonly string[];
  /** The channel that edits go to, for the same reason. Left out: stable. */
  readonly edits?: string;
  /** Channel → the release that a share of its workloads is served in place of its own. Left out where no channel has one. */
  readonly shares?: Readonly<Record<string, Share>>;
  /** The number of the last change that it was derived from. */
  readonly change: number;
}

/** `serve/head`: the one commit point. */
export interface Head {
  /** Of the snapshot's compressed bytes: packParts() of @outrigger/aws makes it. */
  readonly digest: string;
  /** How many parts the snapshot has: 1 to 9. */
  readonly parts: number;
  readonly seq: number;
}
