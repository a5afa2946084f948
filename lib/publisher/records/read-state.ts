// What the publisher knows before it does anything: what is served, and the records that it is derived from. What
// cannot be read of them is reported as a problem, and is served as before.
import type { Layout } from "@outrigger/aws";
import { readUntil } from "@outrigger/base";
import type { Snapshot } from "@outrigger/serving";
import { type PublisherDependencies, patienceOf, type StoreAccess } from "../dependencies.ts";
import type { PublisherError } from "../request/publisher-result.ts";
import { type ChangeLog, type KnownLog, readLog, readLogEnd } from "./change-log.ts";
import type { LogEntry, LoggedChange } from "./log-entry.ts";
import { FOLDERS, type Records, readRecords, type StoredRecords, withEntry } from "./read-records.ts";
import { readServedWhole, type Served } from "./read-served.ts";
import { recentOf } from "./recent-requests.ts";
import { numbersAfter, numbersDigest, type RecordNumbers } from "./record-numbers.ts";

/** The dependencies of the publisher that reading the state needs: a person may read it too. */
export type StateAccess = StoreAccess & Pick<PublisherDependencies, "tier" | "now" | "sleep">;

export interface State extends Served, Records, KnownLog {
  /** The number of the last change; the next one takes the number after it. */
  readonly lastChange: number;
  /** Records that are behind the log, because the publisher that changed them has not written them yet. */
  readonly behind: readonly LogEntry[];
  /** Numbers of entries that may be deleted: they are old, and the records hold what they say. */
  readonly expired: readonly number[];
}

/**
 * Reads what is served, then the records, then the log: what others commit after that is noticed by the head's version,
 * and what others change by the number in the log.
 *
 * Of the log, only the end is read where its newest entry vouches for all records: then none of them is behind it, missing or
 * written by hand. Otherwise all of it is read:
 *
 * | a record is            | and the log says               | then it is                                    |
 * |------------------------|--------------------------------|-----------------------------------------------|
 * | older than the log     | what happened to it            | what the log says: its writer stopped, or is slow |
 * | missing, and is served | nothing, or not what followed  | kept as served, and reported: it was deleted by hand |
 * | missing, and is served | that it was removed            | removed                                       |
 * | missing, and is served | what it was, up to the end     | what the log says                             |
 * | unreadable             | nothing newer                  | kept as served, and reported                  |
 */
export async function readState(
  dependencies: StateAccess,
  { isWholeLog = false, served: read }: { readonly isWholeLog?: boolean; readonly served?: Served } = {},
): Promise<State> {
  const { layout, tier, now } = dependencies;
  const served = await readServedWhole(dependencies, read);
  const { modified, ...records } = await readRecords(dependencies);
  const { numbers } = records;
  const since = served.snapshot?.change ?? 0;
  const known = Math.max(since, ...Object.values(numbers).map((number = 0) => number));
  const end = isWholeLog ? undefined : await readLogEnd(dependencies, known, numbersDigest(numbers));
  const isComplete = KINDS.every((kind) => missingOf(kind, records, served.snapshot).length === 0);
  if (end !== undefined && isComplete) {
    return { ...served, ...records, ...end, isWholeLog: false, behind: [], expired: [] };
  }
  const { entries, last, expired } = await readLogSince(known, numbers, dependencies);
  const newer = entries
    .filter((entry) => isNewer(entry, entries, { ...records, modified }, since))
    .filter((entry, _, all) => isOfRecord(entry, all, records));
  const lastChange = Math.max(last, known);
  const after = newer.reduce((before: Records, entry) => withEntry(entry, before, layout, tier), records);
  return {
    ...served,
    ...withMissing(after, served.snapshot, newer, layout),
    entries,
    isWholeLog: true,
    recent: recentOf(entries, lastChange, now()),
    lastChange,
    behind: newer,
    expired: expired.filter((number) => !newer.some((entry) => entry.number === number)),
  };
}

/**
 * The whole log, with the change that is known to be made: its entry is kept, and may not be listed yet. Nor may one between
 * others be: the newest entry says what all records come to.
 */
async function readLogSince(known: number, numbers: RecordNumbers, dependencies: StateAccess): Promise<ChangeLog> {
  const log = await readLog(dependencies);
  const isWhole = ({ entries, last }: ChangeLog) => {
    const { number, records } = entries.at(-1) ?? { number: 0 };
    if (last < known || number < last) return false;
    return records === undefined || records === numbersDigest(entries.reduce(newest, numbers));
  };
  if (isWhole(log)) return log;
  const written = log.last < known ? undefined : Date.parse(log.entries.at(-1)?.at ?? "");
  return readUntil(() => readLog(dependencies), isWhole, patienceOf(dependencies, written));
}

/** The numbers once an entry is written, unless its record is newer. */
function newest(numbers: RecordNumbers, entry: LogEntry): RecordNumbers {
  const written = numbers[`${entry.change.kind}/${entry.change.name}`];
  return written !== undefined && written >= entry.number ? numbers : numbersAfter(numbers, entry);
}

/** Whether an entry says more of its record than the record itself. */
function isNewer(
  { number, at, change: { kind, name } }: LogEntry,
  entries: readonly LogEntry[],
  { numbers, modified }: StoredRecords,
  since: number,
): boolean {
  const lastModified = modified.get(`${kind}/${name}`);
  if (lastModified === undefined)
    return number > since || (isUnbroken(number, entries, since) && isKept(kind, name, entries));
  const written = numbers[`${kind}/${name}`];
  if (written !== undefined) return number > written;
  // Written by hand, or damaged: only what was changed after that is newer.
  return number > since && Date.parse(at) > lastModified;
}

/** Settings are nothing without the record that they are of, which a person may have deleted or damaged. */
function isOfRecord({ number, change }: LogEntry, newer: readonly LogEntry[], { channels }: Records): boolean {
  if (!("settings" in change) || Object.hasOwn(channels, change.name)) return true;
  return newer.some((other) => other.number < number && other.change.name === change.name && "move" in other.change);
}

/**
 * Whether the log has every change from a number on. Where the parameters of a deployment are being deleted, an entry may be left of which
 * what followed is gone: what is served says more then, and a lease in the entry has no command behind it.
 */
function isUnbroken(number: number, entries: readonly LogEntry[], since: number): boolean {
  const last = Math.max(since, entries.at(-1)?.number ?? 0);
  return entries.filter((entry) => entry.number >= number).length === last - number + 1;
}

/** Whether the last change of a record did not remove it. */
function isKept(kind: string, name: string, entries: readonly LogEntry[]): boolean {
  const last = entries.filter(({ change }) => change.kind === kind && change.name === name).at(-1);
  return last !== undefined && !("record" in last.change && last.change.record === null);
}

const KINDS = ["channel", "cluster"] as const;

/** Returns the names that are served and have no record. */
function missingOf(kind: LoggedChange["kind"], records: Records, snapshot: Snapshot | undefined): readonly string[] {
  const folder = FOLDERS[kind];
  return Object.keys(snapshot?.[folder] ?? {}).filter((name) => !Object.hasOwn(records[folder], name));
}

/** Records that are served and missing, though no command removed them, are treated like unreadable ones. */
function withMissing(records: Records, snapshot: Snapshot | undefined, newer: readonly LogEntry[], layout: Layout) {
  const { unreadable, problems } = records;
  const lost = (kind: LoggedChange["kind"]) => {
    const isKnown = (name: string) =>
      unreadable[FOLDERS[kind]].includes(name) ||
      newer.some(({ change }) => change.kind === kind && change.name === name);
    return missingOf(kind, records, snapshot).filter((name) => !isKnown(name));
  };
  const [channels, clusters] = [lost("channel"), lost("cluster")];
  const gone = [...channels.map(layout.channel), ...clusters.map(layout.cluster)];
  return {
    ...records,
    unreadable: { channels: [...unreadable.channels, ...channels], clusters: [...unreadable.clusters, ...clusters] },
    problems: [...problems, ...gone.map(deleted)],
  };
}

function deleted(path: string): PublisherError {
  const message = `Cannot find ${path}: the parameter was deleted, and what it said is served as before; run "outrigger repair"`;
  return { code: "store-corrupt", message, path };
}
