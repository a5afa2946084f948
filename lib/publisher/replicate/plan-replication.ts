// What a replica has to change to have what its primary has: channels first, then clusters, then what the primary no longer
// has. Pure: both sides are read elsewhere.
import { createHash } from "node:crypto";
import { entryOf, jsonEqual } from "@outrigger/base";
import { type ClusterRecord, recordDigest, type Snapshot } from "@outrigger/serving";
import { CANARY } from "../channel/edits-channel.ts";
import { lastMove } from "../channel/move-checks.ts";
import type { ChannelMove, ChannelRecord } from "../records/channel-record.ts";
import { type ChannelSettings, settingsOf } from "../records/channel-settings.ts";
import type { LogEntry, LoggedChange } from "../records/log-entry.ts";
import { FOLDERS, type Records } from "../records/read-records.ts";

/** The records of the primary. A record that cannot be read there is left as it is here. */
export interface Primary extends Pick<Records, "channels" | "clusters" | "numbers" | "unreadable"> {
  /** The part of the snapshot that it serves: a record that is missing and served was deleted by hand. */
  readonly served: Pick<Snapshot, "channels" | "clusters"> | undefined;
}

export type ReplicationStep = Pick<LogEntry, "change" | "message">;

/**
 * | a channel here                              | is                                                           |
 * |---------------------------------------------|--------------------------------------------------------------|
 * | is new                                      | given the whole history, so that a rollback goes back as there |
 * | is behind the primary's                     | moved once, to what the primary serves: never to what lay between |
 * | was moved here, and not by the primary      | left as it is and reported, unless `force` is given          |
 *
 * @param replicated marks of the records that were replicated before: only these are removed
 */
export function planReplication(
  primary: Primary,
  own: Pick<Records, "channels" | "clusters">,
  replicated: ReadonlySet<string>,
  { force = false }: { readonly force?: boolean } = {},
) {
  const used = new Set(Object.values(own.clusters).flatMap(({ revisions }) => Object.values(revisions)));
  const steps: ReplicationStep[] = [];
  /** Channels that were moved here and not by the primary, each in a sentence. */
  const diverged: string[] = [];
  for (const [name, record] of Object.entries(primary.channels)) {
    const before = entryOf(own.channels, name);
    if (!force && before !== undefined && wasMovedHere(before, record)) diverged.push(divergence(name, before));
    else steps.push(...channelSteps(name, record, before, used.has(name)));
  }
  for (const [name, record] of Object.entries(primary.clusters)) {
    if (name !== CANARY) steps.push(...clusterStep(name, record, entryOf(own.clusters, name)));
  }
  for (const kind of ["cluster", "channel"] as const) {
    const folder = FOLDERS[kind];
    const isThere = (name: string) =>
      [primary[folder], primary.served?.[folder] ?? {}].some((records) => Object.hasOwn(records, name)) ||
      primary.unreadable[folder].includes(name);
    for (const name of Object.keys(own[folder])) {
      const isKept = kind === "cluster" ? name === CANARY : used.has(name);
      if (isKept || isThere(name) || !replicated.has(markOf({ kind, name }))) continue;
      steps.push({ change: { kind, name, record: null }, message: `${kind} ${name} is removed` });
    }
  }
  return { steps, diverged };
}

/** Returns the short mark by which a replicated record is remembered: names are long. */
export function markOf({ kind, name }: Pick<LoggedChange, "kind" | "name">): string {
  return createHash("sha256").update(`${kind} ${name}`).digest("hex").slice(0, 8);
}

/** The marks of everything that the primary has. */
export function marksOf({ channels, clusters }: Pick<Records, "channels" | "clusters">): readonly string[] {
  const { [CANARY]: _, ...others } = clusters;
  const marks = (kind: LoggedChange["kind"], records: object) =>
    Object.keys(records).map((name) => markOf({ kind, name }));
  return [...marks("channel", channels), ...marks("cluster", others)];
}

/** Whether two lines of a history are the same move. What one of them had no space for, edits and most of a reason, does not count. */
export function isSameMove(one: ChannelMove | undefined, other: ChannelMove | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  // Two clocks may say the same time.
  const identity = ({ at, action, release, by, share }: ChannelMove) => [at, action, release, by, { ...share }];
  return jsonEqual(identity(one), identity(other));
}

/** A primary keeps the last moves only: a replica whose last move is older than all of them is behind. */
function wasMovedHere(before: ChannelRecord, { history }: ChannelRecord): boolean {
  const [last] = before.history;
  const oldest = history.at(-1);
  if (last === undefined || oldest === undefined || history.some((move) => isSameMove(move, last))) return false;
  return last.at >= oldest.at;
}

function divergence(name: string, record: ChannelRecord): string {
  return `Channel ${name} was moved in this replica to ${record.release}${lastMove(record)}, and is left as it is: make the same move in the primary, then run "outrigger repair --replica --force", which takes over what the primary has`;
}

function channelSteps(name: string, record: ChannelRecord, before: ChannelRecord | undefined, isUsed: boolean) {
  const [last] = record.history;
  const settings = settingsStep(name, record, before);
  if (last === undefined || isSameMove(before?.history[0], last)) return settings;
  const known = record.history.findIndex((move) => isSameMove(move, before?.history[0]));
  const missed = known === -1 ? record.history : record.history.slice(0, known);
  const moves = isUsed ? [last] : [...missed].reverse();
  const steps = moves.map((move): ReplicationStep => {
    const pinned = move === last && record.pinned;
    const share = move.share === undefined ? "" : `, and ${move.share.release} to ${move.share.percent} %`;
    const message = `${name} serves ${move.release}${share}${pinned ? ", pinned" : ""}`;
    return { change: { kind: "channel", name, move, pinned }, message };
  });
  return [...steps, ...settings];
}

/** Returns the step for a channel's settings. A proposal that waits for a person waits in the primary. */
function settingsStep(name: string, record: ChannelRecord, before: ChannelRecord | undefined) {
  const { proposal: _, ...settings } = settingsOf(record);
  const { proposal: __, ...own } = settingsOf(before ?? {});
  if (jsonEqual({ ...settings }, { ...own })) return [];
  const message = `${name} has the settings that it has in the primary`;
  return [{ change: { kind: "channel", name, settings: settings satisfies ChannelSettings }, message } as const];
}

/** A lease belongs to the deployment that gave it. */
function clusterStep(
  name: string,
  record: ClusterRecord,
  before: ClusterRecord | undefined,
): readonly ReplicationStep[] {
  const { lease: _, ...content } = record;
  if (recordDigest(before) === recordDigest(record)) return [];
  const kept = before?.lease === undefined ? content : { ...content, lease: before.lease };
  return [{ change: { kind: "cluster", name, record: kept }, message: `cluster ${name} is as in the primary` }];
}
