// What the publish function is asked, and what it answers: the contract between the command line, the registration and
// the one writer of everything that is derived. Plain JSON both ways.
import { defined, type ErrorCode, ownError } from "@outrigger/base";
import type { ClusterRecord, Share } from "@outrigger/serving";
import type { Effect, EffectName } from "../effect/effects.ts";
import type { ChannelSettings } from "../records/channel-settings.ts";
import type { Rollout, RolloutPlan } from "../rollout/rollout.ts";

/** Who asks and why: kept with the result. */
export interface Cause {
  /** `arn:aws:iam::…:user/…`, or the name that a laptop or a pipeline gives itself. */
  readonly by: string;
  /** Free text; empty where nothing was said. */
  readonly why: string;
}

/** A lease on a cluster's record: while it lasts, changes that do not carry its id are rejected. */
export interface LeaseRequest {
  /** 16 to 64 hexadecimal digits, made by the caller. */
  readonly id: string;
  /** From now on; 0 releases it. */
  readonly seconds: number;
}

/** What a requester saw of a channel; left out where it did not look. A move is refused where that is over. */
interface Seen {
  /** The release that it served; null for no channel. */
  readonly serving?: string | null;
  /** The change that wrote it: a pin, a share or a proposal that was made again is another person's, however like it. */
  readonly change?: number;
}

interface Guarded {
  readonly lease?: LeaseRequest;
  /** Digest of the record that was read (recordDigest), or `none`: any other record is left as it is. */
  readonly expect?: string;
}

/** What the publisher is asked: an action with its own keys, and who asks. JSON. */
export type PublisherRequest = {
  readonly cause: Cause;
  /** Nothing is written. */
  readonly dryRun?: boolean;
  /** Names the request: one that arrives again, because its answer was lost, is not carried out twice. */
  readonly id?: string;
  /** The deployment that is meant, `/outrigger/dev`: any other refuses. */
  readonly prefix?: string;
} & (
  | (Seen & {
      readonly action: "publish";
      /** Left out: the channel that edits go to. */
      readonly channel?: string;
      /** Publish only if the source tree has this digest (treeDigest): what a push has just written. */
      readonly tree?: string;
      /** Publish although the channel is pinned. */
      readonly unpin?: true;
      /** Triggered by an edit, not by a person: a pinned channel stays where it is. */
      readonly automatic?: true;
      /** Keep the release, and move nothing: replicas copy it before the channel moves. */
      readonly prepare?: true;
      /** Publish only if the tree compiles to this release: what was prepared. */
      readonly release?: string;
      /** Classes of change that a person has looked at: what else the channel holds is refused. */
      readonly accept?: readonly EffectName[];
    })
  /** What is seen is of `to`. */
  | (Seen & {
      readonly action: "promote";
      readonly from: string;
      readonly to: string;
      /** What `from` serves, as its requester saw it. */
      readonly release?: string;
      readonly unpin?: true;
      /** Percent of the workloads that `to` serves the release to, next to its own; 0 ends that. Left out: all, and it is its own. */
      readonly share?: number;
      /** What happens to the share by itself. */
      readonly rollout?: RolloutPlan;
      /** Although a rollout is under way, whose alarms and next shares are dropped. */
      readonly replace?: true;
      /** Carries out what another person asked for, on a channel that takes no promotion without. */
      readonly approve?: true;
    })
  /** The next share of a rollout, or back to the channel's own release for all. */
  | {
      readonly action: "step-rollout";
      readonly channel: string;
      readonly direction: "next" | "back";
      /** The share that is served, as its requester saw it, and the change that wrote it: two shares of 25 % are two shares. */
      readonly seen?: Share & Pick<ChannelRecord, "change">;
    }
  /** What a person may set of a channel; what is left out stays. */
  | (Pick<Seen, "change"> & {
      readonly action: "set-channel";
      readonly channel: string;
      /** Whether promotions to it need another person's approval. */
      readonly approval?: boolean;
      /** What edits may not carry by themselves; null for the default, which a list may have too. */
      readonly holds?: readonly (EffectName | "default")[] | null;
      /** Edits go to it from now on. A channel that does not exist is made: it serves what they have come to so far. */
      readonly edits?: true;
    })
  /** Back to the release before, or to the one named; the channel is pinned. */
  | (Seen & { readonly action: "rollback"; readonly channel: string; readonly release?: string })
  | (Seen & { readonly action: "pin"; readonly channel: string; readonly release?: string })
  | (Seen & { readonly action: "unpin"; readonly channel: string })
  | (Seen & { readonly action: "remove-channel"; readonly channel: string })
  /** Makes or replaces a record; its tokens are kept where `tokens` is left out. */
  | (Guarded & {
      readonly action: "put-cluster";
      readonly cluster: string;
      readonly record: Omit<ClusterRecord, "tokens" | "lease"> & Partial<Pick<ClusterRecord, "tokens">>;
    })
  | (Guarded & { readonly action: "remove-cluster"; readonly cluster: string })
  /** Adds a live token's digest; refused where two are live. */
  | (Guarded & { readonly action: "add-token"; readonly cluster: string; readonly sha256: string })
  | (Guarded & { readonly action: "retire-token"; readonly cluster: string; readonly sha256: string })
  /** Derives the snapshot again from channels, clusters and releases, and takes away what nothing names. */
  | { readonly action: "repair" }
  /** Takes over what the primary serves: replicate.ts. */
  | {
      readonly action: "replicate";
      /** Take over channels too that were moved here. */
      readonly force?: true;
      /** Copy this release of the primary, and take over nothing. */
      readonly copy?: string;
      /** What the primary serves by now: readings may be behind. */
      readonly until?: Until;
    }
);

/** A channel, and a change of it: two moves to the same release are two moves. */
export interface Until {
  readonly channel: string;
  readonly change: number;
}

/** What is wrong, as data: OutriggerError without its cause. */
export interface PublisherError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
}

/** What the publisher answers: the result, or why nothing was changed. JSON. */
export type PublisherResult =
  | {
      readonly ok: true;
      /** What it comes to, in a sentence: `stable now serves 1f2e… (was 77aa…)`. */
      readonly message: string;
      /** Digest of the release that it is about, where it is about one. */
      readonly release?: string;
      readonly channel?: string;
      /** Of a publication that is a dry run: what the channel serves, as a request's own `serving` names it. */
      readonly serving?: string | null;
      /** The change that wrote the channel's record; left out where a person did. */
      readonly change?: number;
      /** Of the snapshot that is served now. */
      readonly seq: number;
      /** False where everything was so already. */
      readonly changed: boolean;
      readonly warnings: readonly string[];
      /** An edit that waits for a person: what it would do to pods. */
      readonly held?: readonly Effect[];
      /** Records and releases that cannot be read: what was served of them continues being served. */
      readonly problems?: readonly PublisherError[];
    }
  | { readonly ok: false; readonly error: PublisherError };

/** One move of a channel. */
export interface ChannelMove extends Cause {
  readonly release: string;
  readonly action: "publish" | "promote" | "rollback" | "pin" | "unpin";
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Parameters that were edited since the release before, as `templates/sidecar@7`. */
  readonly edits?: readonly string[];
  /** treeDigest of the source tree, where one was published. */
  readonly tree?: string;
  /** How many entries that tree had. */
  readonly entries?: number;
  /** What it did to pods, by class. */
  readonly effects?: readonly EffectName[];
  /** treeDigest of the source tree, where the channel takes edits and a person has moved it to another: the schedule leaves that tree. */
  readonly passedOver?: string;
  /** Edits go to the channel since; kept of the newest move only. */
  readonly editsSince?: string;
  /** The share of workloads that another release is served to since. */
  readonly share?: Share;
  /** What happens to that share by itself; kept of the newest move only. */
  readonly rollout?: Rollout;
}

/** `channels/<channel>`. */
export interface ChannelRecord extends ChannelSettings {
  /** The change that wrote it, where one record is read for itself. */
  readonly change?: number;
  readonly release: string;
  readonly pinned: boolean;
  /** Another release that a share of the workloads is served. */
  readonly share?: Share;
  readonly rollout?: Rollout;
  /** The newest first; as many as the parameter holds, at most 20. */
  readonly history: readonly ChannelMove[];
}

/**
 * What an error says, without what caused it.
 *
 * @throws what is no OutriggerError, as it is
 */
export function errorOf(error: unknown): PublisherError {
  const { code, message, path, line, column } = ownError(error);
  return { code, message, ...defined({ path, line, column }) };
}
