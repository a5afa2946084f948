// `serve/changes/<number>`: the order of all changes. Each entry is created once and never overwritten, so that of two
// publishers exactly one makes the next change, and a request that arrives again finds what happened to it.
import { isCreated, type Layout, MAX_NAMES, type Parameter, readAll } from "@outrigger/aws";
import type { PublisherDependencies, StoreAccess } from "../dependencies.ts";
import { entryText, type LogEntry, parseEntry } from "./log-entry.ts";
import { REPEATED_WITHIN, type RecentRequest, recentOf, requestHash } from "./recent-requests.ts";

export type ChangeLog = Awaited<ReturnType<typeof readLog>>;

type LogAccess = StoreAccess & Pick<PublisherDependencies, "now">;

/**
 * Reads the whole log: a call for each ten entries.
 *
 * @returns the entries, the oldest first, of which one that cannot be read is left out: its number stays taken; the highest number
 * that is taken, 0 for an empty log; and the numbers of those that are too old to be needed, never the newest one, for its number
 */
export async function readLog({ store, layout, now }: LogAccess) {
  const numbered = (await readAll(store, layout.changes))
    .map((parameter) => ({ parameter, number: numberOf(parameter, layout) }))
    .filter(({ number }) => Number.isSafeInteger(number));
  const entries = numbered.flatMap(({ parameter, number }) => parseEntry(parameter, number) ?? []);
  const before = now().getTime() - REPEATED_WITHIN;
  const old = numbered.slice(0, -1).filter(({ parameter: { lastModified = before } }) => lastModified < before);
  const last = Math.max(0, ...numbered.map(({ number }) => number));
  return { entries, last, expired: old.map(({ number }) => number) };
}

/**
 * Reads the end of the log, in one call.
 *
 * @param start the number of the last change that is known
 * @param records numbersDigest() of the records as they are stored
 * @returns undefined where the end does not say enough: the entry is missing, too many came after it, or the newest one does not
 * vouch for every record. Then the whole log is needed.
 */
export async function readLogEnd({ store, layout, now }: LogAccess, start: number, records: string | undefined) {
  if (start === 0 || records === undefined) return undefined;
  const names = Array.from({ length: MAX_NAMES }, (_, index) => layout.change(start + index));
  const parameters = await store.getParameters(names);
  const parsed = parameters.map((parameter) => parseEntry(parameter, numberOf(parameter, layout)));
  const entries = parsed.filter((entry) => entry !== undefined).sort((a, b) => a.number - b.number);
  const newest = entries.at(-1);
  const isWhole =
    entries.length === parameters.length && entries.every(({ number }, index) => number === start + index);
  if (!isWhole || newest === undefined || entries.length === MAX_NAMES) return undefined;
  if (newest.recent === undefined || newest.records !== records) return undefined;
  return { entries, lastChange: newest.number, recent: recentOf(entries, newest.number, now()) };
}

/** Reads an entry; undefined where there is none, or it cannot be read. */
async function readEntry({ store, layout }: LogAccess, number: number): Promise<LogEntry | undefined> {
  const [parameter] = await store.getParameters([layout.change(number)]);
  return parameter && parseEntry(parameter, number);
}

/** Finds the entry that was made for a request, by its ID; undefined where it was not carried out lately. */
export async function findRequest(
  id: string,
  { entries, isWholeLog, recent }: KnownLog,
  access: LogAccess,
): Promise<LogEntry | undefined> {
  const made = entries.find((entry) => entry.id === id);
  if (made !== undefined || isWholeLog) return made;
  const hash = requestHash(id);
  const like = recent?.filter((request) => request.hash === hash) ?? [];
  for (const { number } of like) {
    const entry = await readEntry(access, number);
    if (entry?.id === id) return entry;
  }
  // Another request with the same hash, or an entry that cannot be read by its number.
  return like.length === 0 ? undefined : (await readLog(access)).entries.find((entry) => entry.id === id);
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
 * Takes a number in the order of changes.
 *
 * @returns false if another publisher has taken it
 */
export function appendEntry(entry: LogEntry, { store, layout, tier }: PublisherDependencies): Promise<boolean> {
  const write = { name: layout.change(entry.number), value: entryText(entry), overwrite: false, tier };
  return isCreated(store.putParameter(write));
}

function numberOf({ name }: Parameter, layout: Layout): number {
  return Number(name.slice(layout.changes.length + 1));
}
