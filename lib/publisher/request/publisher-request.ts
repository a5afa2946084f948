// What the publish function answers, and the parts of what it is asked (parse-request.ts): the contract between the command line, the
// registration and the one writer of everything that is derived. Plain JSON both ways.
import { defined, type ErrorCode, ownError } from "@outrigger/base";
import type { Share } from "@outrigger/serving";
import type { Effect, EffectName } from "../effect/effects.ts";
import type { ChannelSettings } from "../records/channel-settings.ts";
import type { Rollout } from "../rollout/rollout.ts";

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

/** The longest lease, in seconds: what a killed command blocks others for. */
export const LONGEST_LEASE = 900;

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
