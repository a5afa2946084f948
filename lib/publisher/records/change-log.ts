// `serve/changes/<number>`: the order of all changes. Each entry is created once and never overwritten, so that of two
// publishers exactly one makes the next change, and a request that arrives again finds what happened to it.
import { createHash } from "node:crypto";
import {
  isCreated,
  type Layout,
  MAX_NAMES,
  type Parameter,
  type ParameterReader,
  readAll,
  readRecord,
  recordText,
} from "@outrigger/aws";
import { defined, type JsonValue, objectOf, textOf, unlessOwnError } from "@outrigger/base";
import { type ClusterRecord, parseClusterRecord } from "@outrigger/serving";
import type { PublisherDependencies } from "../dependencies.ts";
import type { Cause } from "../request/publisher-result.ts";
import { parseRollout } from "../rollout/rollout.ts";
import { type ChannelMove, isMove } from "./channel-record.ts";
import { type ChannelSettings, parseSettings } from "./channel-settings.ts";

/**
 * The effect of an entry on one record. A channel's move is kept without the history before it, so that it always fits.
 */
export type LoggedChange =
  | { readonly kind: "channel"; readonly name: string; readonly move: ChannelMove; readonly pinned: boolean }
  | { readonly kind: "channel"; readonly name: string; readonly settings: ChannelSettings }
  | { readonly kind: "cluster"; readonly name: string; readonly record: ClusterRecord }
  | { readonly kind: "channel" | "cluster"; readonly name: string; readonly record: null };

/** A request, as the log keeps it. */
export interface Asked extends Cause {
  /** The action of the request: `put-cluster`. */
  readonly action: string;
}

export interface LogEntry {
  readonly number: number;
  /** The request that asked for the change. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly change: LoggedChange;
  /** The answer to the request. */
  readonly message: string;
  /**
   * What was asked, by whom and why: of a change that is no move, which says so itself. A lease that is taken, renewed or released
   * changes nothing that anyone asks for, and has none.
   */
  readonly asked?: Asked;
  /** Requests that may be repeated, of the entries before this one and its own; undefined where not all of them are known. */
  readonly recent?: readonly RecentRequest[] | undefined;
  /** numbersDigest() of all records once they hold this change; undefined where a person wrote one of them. */
  readonly records?: string | undefined;
}

/** Milliseconds that entries are kept: longer than any process runs, and than any client repeats a request. */
const LOG_KEPT_FOR = 15 * 60 * 1000;

/** Begins the ID of a request that has none of its own, and so cannot arrive again. */
export const ONCE = "once-";

export type ChangeLog = Awaited<ReturnType<typeof readLog>>;

/**
 * Reads the whole log: a call for each ten entries.
 *
 * @returns the entries, the oldest first, of which one that cannot be read is left out: its number stays taken; the highest number
 * that is taken, 0 for an empty log; and the numbers of those that are too old to be needed, never the newest one, for its number
 */
export async function readLog(store: ParameterReader, layout: Layout, now: Date) {
  const parameters = await readAll(store, layout.changes);
  const numbers = parameters.map((parameter) => numberOf(parameter, layout)).filter(Number.isSafeInteger);
  const entries = parameters.flatMap((parameter) => parseEntry(parameter, layout) ?? []);
  const before = now.getTime() - LOG_KEPT_FOR;
  const expired = parameters.slice(0, -1).flatMap((parameter) => {
    return (parameter.lastModified ?? before) < before ? [numberOf(parameter, layout)] : [];
  });
  return { entries, last: Math.max(0, ...numbers), expired: expired.filter(Number.isSafeInteger) };
}

/**
 * Reads the end of the log, in one call.
 *
 * @param start the number of the last change that is known
 * @param records numbersDigest() of the records as they are stored
 * @returns undefined where the end does not say enough: the entry is missing, too many came after it, or the newest one does not
 * vouch for every record. Then the whole log is needed.
 */
export async function readLogEnd(
  store: ParameterReader,
  layout: Layout,
  start: number,
  records: string | undefined,
  now: Date,
) {
  if (start === 0 || records === undefined) return undefined;
  const names = Array.from({ length: MAX_NAMES }, (_, index) => layout.change(start + index));
  const parameters = await store.getParameters(names);
  const parsed = parameters.map((parameter) => parseEntry(parameter, layout));
  const entries = parsed.filter((entry) => entry !== undefined).sort((a, b) => a.number - b.number);
  const newest = entries.at(-1);
  const isWhole =
    entries.length === parameters.length && entries.every(({ number }, index) => number === start + index);
  if (!isWhole || newest === undefined || entries.length === MAX_NAMES) return undefined;
  if (newest.recent === undefined || newest.records !== records) return undefined;
  return { entries, lastChange: newest.number, recent: recentOf(entries, newest.number, now) };
}

/** Reads an entry; undefined where there is none, or it cannot be read. */
async function readEntry(store: ParameterReader, layout: Layout, number: number): Promise<LogEntry | undefined> {
  const [parameter] = await store.getParameters([layout.change(number)]);
  return parameter && parseEntry(parameter, layout);
}

/** Finds the entry that was made for a request, by its ID; undefined where it was not carried out lately. */
export async function findRequest(
  id: string,
  { entries, isWholeLog, recent }: KnownLog,
  { store, layout, now }: PublisherDependencies,
): Promise<LogEntry | undefined> {
  const made = entries.find((entry) => entry.id === id);
  if (made !== undefined || isWholeLog) return made;
  const hash = requestHash(id);
  const like = recent?.filter((request) => request.hash === hash) ?? [];
  for (const { number } of like) {
    const entry = await readEntry(store, layout, number);
    if (entry?.id === id) return entry;
  }
  // Another request with the same hash, or an entry that cannot be read by its number.
  return like.length === 0 ? undefined : (await readLog(store, layout, now())).entries.find((entry) => entry.id === id);
}

/** What was read of the log. */
export interface KnownLog {
  /** Changes that were made lately, the oldest first, without gaps. */
  readonly entries: readonly LogEntry[];
  readonly isWholeLog: boolean;
  /** Requests that were carried out lately; undefined where only the whole log says so. */
  readonly recent: readonly RecentRequest[] | undefined;
}

/**
 * The requests that the next entry will name, besides its own: those of the newest entry. An entry of an earlier version names
 * none; then all entries of that time are needed, one after the other.
 *
 * @param entries the oldest first, up to the last number that is taken
 */
export function recentOf(entries: readonly LogEntry[], last: number, now: Date): readonly RecentRequest[] | undefined {
  if (last === 0) return [];
  const newest = entries.at(-1);
  if (newest?.number !== last) return undefined;
  const since = now.getTime() - LOG_KEPT_FOR;
  const kept = entries.filter(({ at }) => Date.parse(at) >= since);
  const isWhole = kept.every(({ number }, index) => number === (kept[0] as LogEntry).number + index);
  const requests = newest.recent ?? (isWhole ? kept.flatMap(requestOf) : undefined);
  // An entry is written a little after the time that it names, and a minute is not a time: two more are kept.
  return requests?.filter(({ minute }) => minute >= minuteOf(since) - 2);
}

/** The requests that an entry is one of; none for one that cannot be repeated. */
export function requestOf({ id, number, at }: Pick<LogEntry, "id" | "number" | "at">): readonly RecentRequest[] {
  if (id.startsWith(ONCE)) return [];
  return [{ hash: requestHash(id), number, minute: minuteOf(Date.parse(at)) }];
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000);
}

/**
 * Takes a number in the order of changes.
 *
 * @returns false if another publisher has taken it
 */
export function appendEntry(entry: LogEntry, { store, layout, tier }: PublisherDependencies): Promise<boolean> {
  const write = { name: layout.change(entry.number), value: entryText(entry), overwrite: false, tier };
  return isCreated(store.putParameter(write));
}

export function entryText({ id, at, change, message, asked, recent, records }: LogEntry): string {
  const requests = recent === undefined ? undefined : recentText(recent);
  return recordText({ id, at, message, change, ...defined({ asked, recent: requests, records }) });
}

function numberOf({ name }: Parameter, layout: Layout): number {
  return Number(name.slice(layout.changes.length + 1));
}

function parseEntry(parameter: Parameter, layout: Layout): LogEntry | undefined {
  const value = unlessOwnError(() => readRecord(parameter));
  const { id, at, message, change, asked, recent, records } = objectOf(value);
  const number = numberOf(parameter, layout);
  if (!Number.isSafeInteger(number) || typeof id !== "string" || typeof at !== "string") return undefined;
  const more = defined({ asked: parseAsked(asked), recent: parseRecent(recent), records: textOf(records) });
  const parsed = unlessOwnError(() => parseChange(change, parameter.name));
  return parsed && { number, id, at, message: textOf(message) ?? "", change: parsed, ...more };
}

function parseChange(value: JsonValue | undefined, place: string): LoggedChange | undefined {
  const { kind, name, move, pinned, record, settings } = objectOf(value);
  if ((kind !== "channel" && kind !== "cluster") || typeof name !== "string") return undefined;
  if (record === null) return { kind, name, record };
  if (kind === "cluster") return { kind, name, record: parseClusterRecord(record as JsonValue, place) };
  if (settings !== undefined) return { kind, name, settings: parseSettings(settings) };
  if (move === undefined || !isMove(move)) return undefined;
  const { rollout, ...rest } = move as ChannelMove;
  const parsed = rollout && parseRollout(rollout);
  return { kind, name, move: { ...rest, ...defined({ rollout: parsed }) }, pinned: pinned === true };
}

function parseAsked(value: JsonValue | undefined): Asked | undefined {
  const { action, by, why } = objectOf(value);
  if (typeof action !== "string" || typeof by !== "string" || typeof why !== "string") return undefined;
  return { action, by, why };
}

export interface RecentRequest {
  /** requestHash() of the request's ID. */
  readonly hash: string;
  /** The entry that was made for it. */
  readonly number: number;
  /** Minutes since 1970. */
  readonly minute: number;
}

/** The form in which an entry keeps an ID: short, so that hundreds fit. Two IDs may have the same one. */
export function requestHash(id: string): string {
  return createHash("sha256").update(id).digest("base64url").slice(0, 8);
}

export function recentText(requests: readonly RecentRequest[]): string {
  return requests.map(({ hash, number, minute }) => `${hash} ${number.toString(36)} ${minute.toString(36)}`).join(",");
}

/** The requests that a text stores; undefined for a text that stores none, as entries of earlier versions have it. */
export function parseRecent(text: unknown): readonly RecentRequest[] | undefined {
  if (text === "") return [];
  if (typeof text !== "string" || !RECENT.test(text)) return undefined;
  return text.split(",").map((each) => {
    const [hash = "", number = "", minute = ""] = each.split(" ");
    return { hash, number: Number.parseInt(number, 36), minute: Number.parseInt(minute, 36) };
  });
}

const RECENT = /^[A-Za-z0-9_-]{8} [0-9a-z]{1,9} [0-9a-z]{1,7}(?:,[A-Za-z0-9_-]{8} [0-9a-z]{1,9} [0-9a-z]{1,7})*$/;

/** Record, as `channel/stable`, → the number of the change that it was last written by; undefined where a person wrote it. */
export type RecordNumbers = Readonly<Record<string, number | undefined>>;

/** A digest of all records' numbers: the same one says that no record is behind. Undefined where a person wrote one. */
export function numbersDigest(numbers: RecordNumbers): string | undefined {
  const lines = Object.entries(numbers).map(([name, number]) =>
    number === undefined ? undefined : `${name}@${number}`,
  );
  if (lines.includes(undefined)) return undefined;
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex").slice(0, 16);
}
