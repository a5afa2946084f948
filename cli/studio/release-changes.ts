// The moves of all channels as the changes that they moved: a release, what it was made of, and its way through the channels. Pure.
import { defined } from "@outrigger/base";
import type { ChannelRecord } from "@outrigger/publisher";
import type { ChangePlace, ChangeStep, Pair, ReleaseChange } from "@outrigger/studio";

export type Channels = Readonly<Record<string, ChannelRecord>>;

export type ChannelMove = ChannelRecord["history"][number];

/** The moves of each channel, the latest first. */
export type Histories = Readonly<Record<string, readonly ChannelMove[]>>;

interface Entry {
  readonly release: string;
  readonly step: ChangeStep;
  readonly move: ChannelMove;
  /** What the move replaced for the workloads that it is about. */
  readonly changed: Pair | undefined;
}

/** Returns what the moves were about, a release each: that of the latest move first. */
export function releaseChanges(histories: Histories, channels: Channels): readonly ReleaseChange[] {
  const entries = Object.entries(histories)
    .flatMap(([channel, history]) => history.flatMap((move, at) => entriesOf(channel, move, history.slice(at + 1))))
    .toSorted((one, other) => Date.parse(one.step.at) - Date.parse(other.step.at));
  const releases = new Map<string, Entry[]>();
  for (const entry of entries) releases.set(entry.release, [...(releases.get(entry.release) ?? []), entry]);
  return [...releases]
    .map(([release, all]) => changeOf(release, all, channels))
    .toSorted((one, other) => latest(other) - latest(one));
}

function latest({ steps }: ReleaseChange): number {
  return Date.parse(steps.at(-1)?.at ?? "");
}

/** The move that made the release says what it is for; else the earliest that is remembered. */
function changeOf(release: string, entries: readonly Entry[], channels: Channels): ReleaseChange {
  const made = entries.find(({ move }) => move.action === "publish") ?? entries[0];
  const { why = "", by = "", at = "", edits = [] } = made?.move ?? {};
  return {
    ...{ release, why, by, at, edits },
    ...defined({ changed: made?.changed }),
    places: placesOf(release, channels),
    steps: entries.map(({ step }) => step),
  };
}

function placesOf(release: string, channels: Channels): readonly ChangePlace[] {
  return Object.entries(channels).flatMap(([channel, { release: own, share }]): readonly ChangePlace[] => {
    if (share?.release === release) return [{ channel, percent: share.percent, isShare: true }];
    return own === release ? [{ channel, percent: 100 - (share?.percent ?? 0), isShare: false }] : [];
  });
}

/** What a move says of the release that it moves to, and of the one that it takes back. */
function entriesOf(channel: string, move: ChannelMove, older: readonly ChannelMove[]): readonly Entry[] {
  const { action, by, why, at, share, release } = move;
  const changed = changedBy(move, older);
  const entry = (about: string, kind: ChangeStep["action"], percent?: number): Entry => ({
    release: about,
    step: { channel, action: kind, by, why, at, ...defined({ percent }) },
    move,
    changed,
  });
  const taken = takenBackBy(move, older);
  const left = taken === undefined ? [] : [entry(taken, "take-back")];
  // The channel's own release is where it was, whatever became of the share.
  if (action === "abort" || (taken !== undefined && changed === undefined)) return left;
  return [...left, entry(share?.release ?? release, action, share?.percent)];
}

/** The release that a move takes back from the workloads that had it; undefined for a move that takes none back. */
export function takenBackBy({ action, release }: ChannelMove, older: readonly ChannelMove[]): string | undefined {
  if (action !== "abort" && action !== "rollback") return undefined;
  const last = older.find((move) => move.share !== undefined || move.release !== release);
  return last?.share?.release ?? last?.release;
}

/** A share changes what some are served; any other move, what all are. */
function changedBy({ release, share }: ChannelMove, older: readonly ChannelMove[]): Pair | undefined {
  if (share !== undefined) return { before: release, after: share.release };
  const before = older.find((move) => move.release !== release)?.release;
  return older[0]?.release === release || before === undefined ? undefined : { before, after: release };
}
