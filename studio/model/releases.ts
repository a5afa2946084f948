// Channels and clusters of a deployment, as the local API gives them.

import type { Release } from "@outrigger/injector";
import { computed, signal } from "@preact/signals";
import type { CompareAnswer } from "../preview/question.ts";
import {
  CANARY,
  type Move,
  type Moved,
  type Pair,
  type Question,
  type ReleaseChange,
  type ReleasesState,
  type RingState,
  type RolloutState,
  type RunningState,
  type TextChange,
} from "../wire.ts";
import { askApi, sending } from "./connection.ts";
import type { Failure } from "./failure.ts";

export const releases = signal<ReleasesState | undefined>(undefined);
/** Undefined while it is measured; a failure if it cannot be. */
export type PlannedImpact = Pick<CompareAnswer, "impact" | "clusterImpact"> | Failure | undefined;

/** Percent of the workloads: all at once is chosen, never given. */
export const FIRST_SHARE = 5;

/** Whether edits can go to a share of the workloads first: clusters are served from the only channel that there is. */
export function mayShareFirst({ flow, publishTo, clusters, editsWait }: ReleasesState): boolean {
  const isServed = Object.values(clusters).some(({ revisions }) => Object.values(revisions).includes(publishTo));
  return flow.length === 1 && isServed && publishTo !== CANARY && editsWait === null;
}

/** The move that waits for its confirmation. */
export interface Planned {
  readonly move: Move;
  /** Undefined while it is asked. */
  readonly question?: Question;
  readonly impact?: PlannedImpact;
  /** What it comes to by now is not what is shown. */
  readonly isMoved?: true;
  readonly isBusy?: true;
  /** The reason why the move is refused, or could not be carried out. */
  readonly failure?: Failure;
}
export const planned = signal<Planned | undefined>(undefined);

/** What each share did so far, by channel; a failure where that cannot be read. */
export const rollouts = signal<Readonly<Record<string, RolloutState | Failure>>>({});

/** The channels that follow one another; a failure where that cannot be read. Empty until it is, and where none does. */
export const rings = signal<readonly RingState[] | Failure>([]);

/** What the pods of the cluster have; a failure where that cannot be read, undefined until it is. */
export const running = signal<RunningState | Failure | undefined>(undefined);

/** The changes as far back as they are kept; undefined until a person asks for those. */
export const wholeHistory = signal<readonly ReleaseChange[] | undefined>(undefined);

/** The changes that are known, that of the latest move first. */
export const changes = computed(() => wholeHistory.value ?? releases.value?.changes ?? []);

/** Hours before now in which the changes that the history shows were moved; infinite for all of them. */
export const HISTORY_RANGES = { "2h": 2, "24h": 24, "7d": 168, all: Number.POSITIVE_INFINITY } as const;

export type HistoryRange = keyof typeof HISTORY_RANGES;

export const historyRange = signal<HistoryRange>("all");

/** The words that the shown changes have. */
export const historyWords = signal("");

/** The release of the change whose page is shown. */
export const shownChange = signal("");

/** What a change does: the texts that it edits, null where they are not kept, and its impact. Undefined while it is read. */
export interface ChangeEffect {
  readonly texts?: readonly TextChange[] | null;
  readonly impact: PlannedImpact;
}
export const shownEffect = signal<ChangeEffect>({ impact: undefined });

const get = (path: string, query: Readonly<Record<string, string>> = {}) =>
  askApi(`/api/${path}?${new URLSearchParams(query)}`);

export const releasesApi = {
  read: () => get("releases") as Promise<ReleasesState>,
  /** The release that a channel serves, a release, or the one that the source tree makes. */
  release: (name: string) => get("release", { name }) as Promise<Release>,
  ask: (move: Move) => askApi("/api/question", sending("POST", move)) as Promise<Question>,
  confirm: ({ id }: Question, message: string) =>
    askApi("/api/move", sending("POST", { id, message })) as Promise<Moved>,
  /** Older changes than the state has, too. */
  history: () => get("history") as Promise<readonly ReleaseChange[]>,
  /** The texts in which two releases differ; null where those of one are not kept. */
  texts: ({ before, after }: Pair) => get("texts", { before, after }) as Promise<readonly TextChange[] | null>,
  rollout: (channel: string) => get("rollout", { channel }) as Promise<RolloutState>,
  rings: () => get("rings") as Promise<readonly RingState[]>,
  running: () => get("running") as Promise<RunningState>,
};
