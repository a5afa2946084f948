// The face of @outrigger/studio: what the page and the local API of `outrigger studio` send each other. Plain JSON.

import type { SourceTree, TreeFinding } from "@outrigger/injector";
import type { Edit, KeptDrafts, KeptEdit } from "./model/kept-edits.ts";
import type { PreviewAnswer } from "./preview/question.ts";

export type { Edit, KeptDrafts, KeptEdit } from "./model/kept-edits.ts";
export { besides, joinedKept } from "./model/kept-edits.ts";
export { createFirstPreview } from "./preview/first-preview.ts";
export type { ClusterWorkload } from "./preview/question.ts";

/** A workspace as it is loaded: `GET /api/workspace`. */
export interface Workspace {
  /** The name of the directory or deployment, which is the page's title. */
  readonly name: string;
  readonly kind: "directory" | "deployment" | "playground";
  /** Where a deployment is, so that edits kept in the browser are not offered to another of its name. */
  readonly place?: string;
  readonly canSave: boolean;
  readonly shipped: SourceTree;
  /** The user's own tree as it is saved. */
  readonly saved: SourceTree;
  /** The faults of files and parameters that are left out of the tree. */
  readonly faults: readonly TreeFinding[];
  /** Bytes that a text may have, in a deployment: a new one, and one that was larger before. */
  readonly largest?: { readonly fresh: number; readonly known: number };
  /** The cluster whose workloads can be previewed; null without one. */
  readonly cluster: string | null;
  /** Unsaved edits that the server kept, with `?preview`; left out where there are none. */
  readonly kept?: KeptDrafts;
  /** What the page shows first, with `?preview`: of the first sample, as the page's worker would answer. */
  readonly preview: PreviewAnswer | null;
}

/** A tree to start from: `GET /api/examples`. */
export interface ExampleTree {
  readonly name: string;
  readonly title: string;
  /** A paragraph, on one line. */
  readonly summary: string;
  /** The user's own layer. */
  readonly tree: SourceTree;
}

/** The answer to `PUT /api/drafts`: edits of the same entries that other pages typed beside them. */
export interface OtherEdits {
  readonly others: readonly KeptEdit[];
}

/** The answer to `PUT /api/entries` of a directory: all saved; or none, because entries have changed since, with their texts of now. */
export type Saved =
  | { readonly saved: true }
  | { readonly saved: false; readonly current: Readonly<Record<string, string | null>> };

/** Channels and clusters of a deployment: `GET /api/releases`. */
export interface ReleasesState {
  readonly channels: Readonly<Record<string, ChannelState>>;
  /** What the channels' moves were about: that of the latest move first. */
  readonly changes: readonly ReleaseChange[];
  readonly clusters: Readonly<Record<string, ClusterState>>;
  /** The channels in the order in which a release goes through them: each is promoted to the one that follows. */
  readonly flow: readonly string[];
  readonly publishTo: string;
  /**
   * Whether what is saved is served there, or what keeps it: its errors, a person who has to accept it, that it was published and taken
   * back, the channel itself.
   */
  readonly edits: "published" | "refused" | "held" | "taken-back" | "pinned" | "rolling" | "unpublished";
  /** What keeps edits from being published by themselves, also where none waits; null where they are. */
  readonly editsWait: "pinned" | "rolling" | null;
  /** The reason why what is served is not what is stored; null if it is. */
  readonly difference: string | null;
  /** Errors of the stored tree, for which publishing refuses it. */
  readonly refused: readonly TreeFinding[];
  /** Entries whose stored text is not the one that is published. */
  readonly unpublished: readonly string[];
}

/** A release, and what made it: why and by whom, as far as a history remembers. */
export interface NamedRelease {
  readonly release: string;
  readonly why: string;
  readonly by: string;
  /** ISO 8601; empty where no history has it. */
  readonly at: string;
}

/** The channel that edits go to before the one that clusters are served from. */
export const CANARY = "canary";

/** Two releases to compare. A name is a digest, `source` for what the source tree makes, or `edits` for that with the edits. */
export interface Pair {
  readonly before: string;
  readonly after: string;
}

/** What lib/publisher keeps of a channel, as far as the page shows it. */
export interface ChannelState {
  readonly release: string;
  readonly pinned: boolean;
  /** A second release, which a share of the workloads is served. */
  readonly share?: { readonly release: string; readonly percent: number };
  /** What happens to the share by itself. */
  readonly rollout?: {
    /** The shares that follow, in percent. */
    readonly next: readonly number[];
    /** Seconds that each is served; left out: a person begins the next. */
    readonly bake?: number;
    /** ISO 8601: when the share that is served began. */
    readonly since: string;
  };
  /** The channel whose releases it takes by itself. */
  readonly follows?: { readonly channel: string };
  /** What it serves, and the release of its share. */
  readonly serves: NamedRelease;
  readonly shares?: NamedRelease;
  /** Whether it serves another release than the channel that follows. */
  readonly isAhead: boolean;
  /** Whether the channel that follows has taken that release back, and has got none since. */
  readonly isTakenBack?: true;
  /** What it served until its last move to another release; left out where there is none, and while a share goes on. */
  readonly left?: NamedRelease & { readonly isTakenBack: boolean };
  /** What a rollback goes to, by the publisher's rule; left out where there is nothing to go back to. */
  readonly back?: NamedRelease;
  /** Promotions to it wait for another person. */
  readonly approval?: true;
  /** A promotion, or an edit, that waits for a person. */
  readonly proposal?: NamedRelease & {
    /** A channel, or `source`. */
    readonly from: string;
    readonly share?: number;
    /** What an edit would do to pods. */
    readonly held?: readonly Omit<Effect, "isHeld">[];
  };
}

/** A release as a change that people made, and its way through the channels. */
export interface ReleaseChange extends NamedRelease {
  /** The entries that were edited for it, as `templates/sidecar@7`. */
  readonly edits: readonly string[];
  /** The release that it replaced where it was made, and itself; left out where that is not remembered. */
  readonly changed?: Pair;
  /** The channels that serve it now. */
  readonly places: readonly ChangePlace[];
  /** The earliest first. */
  readonly steps: readonly ChangeStep[];
}

/** A channel that serves a release, to which percentage of its workloads, and whether as a share next to the channel's own. */
export interface ChangePlace {
  readonly channel: string;
  readonly percent: number;
  readonly isShare: boolean;
}

/** A move as a release sees it: `take-back` is what an abort or a rollback is to the release that goes. */
export interface ChangeStep {
  readonly channel: string;
  readonly action: "publish" | "promote" | "take-back" | "abort" | "rollback" | "pin" | "unpin";
  readonly by: string;
  readonly why: string;
  /** ISO 8601. */
  readonly at: string;
  /** The share that began then, in percent; left out where it is for all. */
  readonly percent?: number;
}

/** A text that an edit has changed; null where there is none. */
export interface TextChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What a share's release did next to the channel's own, and what happens to the rollout: `GET /api/rollout?channel=`. */
export interface RolloutState {
  /** Undefined where no rollout is under way: a person decides. */
  readonly verdict?: { readonly kind: "abort" | "advance" | "wait"; readonly why: string };
  readonly signals: readonly { readonly name: string; readonly verdict: string; readonly why: string }[];
  /** What each of the two releases did since the share began, by the name of the count. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /**
   * The pods that each of the two made since, as the cluster has them: how many are ready, and how many have a container that was
   * restarted. Left out without a cluster.
   */
  readonly pods?: Readonly<Record<string, Readonly<Record<"pods" | "ready" | "restarting", number>>>>;
}

/** A channel that follows another one, or is followed: `GET /api/rings`, those that are followed first. */
export interface RingState {
  /** The name of the channel. */
  readonly ring: string;
  /** The channel whose releases it takes, and the seconds for which that must have served one. Left out for the first. */
  readonly follows?: { readonly channel: string; readonly after: number };
  readonly release: string;
  readonly pinned: boolean;
  /** Whether it takes the next release now, or what that waits for; `stuck`: a person has to do something. */
  readonly verdict?: { readonly kind: "abort" | "advance" | "wait"; readonly why: string; readonly stuck?: number };
}

/** What the pods of a cluster have: `GET /api/running`, for a deployment and a cluster that is registered with it. */
export interface RunningState {
  /** The cluster's registered name. */
  readonly cluster: string;
  /** The time at which the pods were read: ISO 8601. */
  readonly at: string;
  readonly pods: number;
  /** The number of pods that have each release, and the channel that serves the release; without `channel`, none does any more. */
  readonly releases: readonly { readonly release: string; readonly pods: number; readonly channel?: string }[];
  /** Channel → release → the pods of the release that the channel would make otherwise now. */
  readonly replaced: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** `current`, `outdated`, `missing`, … → how many pods. */
  readonly states: Readonly<Record<string, number>>;
  /** The command that replaces outdated pods. */
  readonly restart: string;
  /** The number of workloads that would get other pods. */
  readonly outdatedWorkloads: number;
  /** The first of them. */
  readonly outdated: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly pods: number;
    readonly state: string;
    /** Fields that would differ. */
    readonly fields: readonly string[];
  }[];
}

/** A command that the studio runs for the page: `GET` and `POST /api/restart`. Null before the first. */
export interface CommandState {
  /** What it has printed. */
  readonly text: string;
  /** What it asks, and waits to be told. */
  readonly question?: string;
  readonly isStopping: boolean;
  /** Its exit code; left out while it runs. */
  readonly code?: number;
}

/** What a page does with such a command: an answer to its question, or its beginning or end. */
export type CommandAction = "begin" | "yes" | "no" | "stop";

/** What a registered cluster is served, and how old its tokens are. */
export interface ClusterState {
  /** Revision → channel. */
  readonly revisions: Readonly<Record<string, string>>;
  /** The time at which each live token was made: ISO 8601. */
  readonly tokens: readonly string[];
}

/** What a channel is to do: `POST /api/question` answers what that comes to. */
export type Move =
  /**
   * Publishes what is saved; with edits, saves them first. What a person has to accept is in the answer, and accepted with it. With a
   * share, edits go to the channel `canary` from now on, and from there to that percentage of the workloads.
   */
  | {
      readonly action: "publish";
      readonly edits?: readonly Edit[];
      readonly unpin?: true;
      readonly share?: number;
      readonly bake?: number;
    }
  | {
      readonly action: "promote";
      readonly from: string;
      readonly to: string;
      readonly unpin?: true;
      /** Percent of the workloads; left out: all. */
      readonly share?: number;
      /** Seconds after which the next share begins by itself; left out: a person begins it. */
      readonly bake?: number;
      /** Carries out what another person asked for. */
      readonly approve?: true;
    }
  /** The next share of a rollout, or back to the channel's own release. */
  | { readonly action: "step-rollout"; readonly channel: string; readonly direction: "next" | "back" }
  /** To the release that is named, or else to the one before. */
  | { readonly action: "rollback"; readonly channel: string; readonly release?: string }
  /** `set-channel`: edits go to it from now on; it is made where there is none. */
  | { readonly action: "pin" | "unpin" | "set-channel"; readonly channel: string };

/** What a move comes to, as the publisher answers it. The same answer has the same id: `POST /api/move` carries out exactly that, or refuses. */
export interface Question {
  readonly id: string;
  readonly channel: string;
  /** What the workloads are served before and after; null where nothing is served. */
  readonly before: NamedRelease | null;
  readonly after: NamedRelease | null;
  /** What to compare to see what changes; null where nothing does. */
  readonly compare: Pair | null;
  /** The answer in a sentence, in English. */
  readonly message: string;
  readonly warnings: readonly string[];
  readonly effects: readonly Effect[];
  /** Whether the edits are published, and not only saved. */
  readonly isPublished: boolean;
  /** False where all is so already. */
  readonly isChange: boolean;
}

/** What an edit does to pods: the class of the change, an example, and whether a person has to accept it. */
export interface Effect {
  readonly name: string;
  readonly example: string;
  readonly isHeld: boolean;
}

/** The answer to a move that was carried out: `POST /api/move`. */
export type Moved = Pick<Question, "message" | "warnings">;
