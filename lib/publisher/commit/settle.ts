// The one comparison of what was declared, in the log and the records, with what readers are served, and finishing what a
// publisher that stopped has left between them. Every look of the schedule begins with it; a request does the same as it is
// carried out.
import { createHash } from "node:crypto";
import { readRecord, recordText } from "@outrigger/aws";
import { objectOf, ownError, unlessOwnError } from "@outrigger/base";
import { editsChannel } from "../channel/edits-channel.ts";
import { AT_WORK, isReadLately, type PublisherDependencies } from "../dependencies.ts";
import type { LogEntry } from "../records/log-entry.ts";
import { readRecords } from "../records/read-records.ts";
import { readServed, type Served } from "../records/read-served.ts";
import { readState, type State, type StateAccess } from "../records/read-state.ts";
import { errorOf, type PublisherError } from "../request/publisher-result.ts";
import { commitSnapshot, isHalfWritten, writeRecords } from "./commit-snapshot.ts";
import { compareServed, planCommit } from "./plan-commit.ts";

/** The differences between what was declared and what is served. */
export interface Unsettled {
  /** Milliseconds since the oldest difference, at least 1; 0 where there is none. Where nothing says since when: since the last declaration. */
  readonly age: number;
  /** Changes that are in the log and not yet in their record, or not yet served. The oldest first. */
  readonly pending: readonly LogEntry[];
  /** The problems that cannot be settled without a person. */
  readonly problems: readonly PublisherError[];
}

/** The result of a look at the whole: the age of what is left, and why it is left. */
export interface Settled extends Pick<Unsettled, "age" | "problems"> {
  readonly channels: State["channels"];
  readonly numbers: State["numbers"];
  readonly edits: string | undefined;
  /** The number of the last change in the log. */
  readonly lastChange: number;
  /** The changes that were finished, or none of them if only what is derived was damaged. */
  readonly finished?: { readonly message: string; readonly changes: readonly LogEntry[] };
}

/** Reads how what is served differs from what was declared. Writes nothing. */
export async function readUnsettled(access: StateAccess): Promise<Unsettled> {
  return differenceOf(await readState(access), access);
}

/**
 * Makes what was declared what is served. Clusters' records, which may be a thousand, are read only where something has changed since
 * the look that found all settled, and once a day.
 *
 * | the log, the records and `serve/head` with its snapshot           | then                                           |
 * |-------------------------------------------------------------------|------------------------------------------------|
 * | say the same                                                      | nothing is written                             |
 * | differ for less than ten seconds                                  | it is left to the publisher that is at work    |
 * | differ: a record is behind the log, what is served behind either  | the rest of the change is made, once           |
 * | differ: what is served is deleted, damaged or an older commit     | it is derived again                            |
 * | differ, and cannot be made the same                               | the reason, and since when                     |
 *
 * @throws OutriggerError where they cannot be read
 */
export async function settle(dependencies: PublisherDependencies): Promise<Settled> {
  const served = await readServed(dependencies);
  const unchanged = await readUnchanged(served, dependencies);
  if (unchanged !== undefined) return unchanged;
  const state = await readState(dependencies, { served });
  const { age, pending, problems } = await differenceOf(state, dependencies);
  const declared = {
    channels: state.channels,
    numbers: state.numbers,
    edits: editsChannel(state),
    lastChange: state.lastChange,
  };
  if (age === 0) await writeMark(state, dependencies);
  if (age < AT_WORK) return { ...declared, age, problems };
  try {
    const plan = await planCommit(state, undefined, dependencies);
    const refused = await writeRecords(state, dependencies);
    // Garbage has its own time: what is finished here must not wait for it.
    const committed = await commitSnapshot(plan, state, Number.POSITIVE_INFINITY, dependencies);
    const left = [...committed.problems, ...refused];
    const isFinished = committed.changed || state.behind.length > refused.length;
    const finished = isFinished && { finished: { message: messageOf(pending), changes: pending } };
    return { ...declared, age: left.length === 0 ? 0 : age, ...finished, problems: left };
  } catch (error) {
    return { ...declared, age, problems: [...problems, errorOf(error)] };
  }
}

/**
 * Reads what is declared, where that is what the last look at the whole found settled: the same channels, the same commit, whole
 * wherever it is written, and no change after it. Undefined where any of it is another.
 */
async function readUnchanged(served: Served, access: PublisherDependencies) {
  const { head, snapshot, isInOrder } = served;
  if (snapshot === undefined || isHalfWritten(served) || !isInOrder) return undefined;
  const { store, layout, now } = access;
  const { change } = snapshot;
  const found = await store.getParameters([layout.settled, layout.change(change), layout.change(change + 1)]);
  const mark = found.find(({ name }) => name === layout.settled);
  const isLast = found.length === 2 && found.some(({ name }) => name === layout.change(change));
  const { head: marked, channels: digest, at } = objectOf(mark && unlessOwnError(() => readRecord(mark)));
  if (!isLast || !isReadLately(at, now()) || marked !== head?.digest) return undefined;
  const { channels, unreadable, numbers } = await readRecords(access, ["channel"]);
  if (unreadable.channels.length > 0 || digest !== channelsDigest({ channels, numbers })) return undefined;
  const edits = editsChannel({ channels, unreadable, snapshot });
  return { channels, numbers, edits, lastChange: change, age: 0, problems: [] };
}

/** Writes the mark by which the next look need not read all again. A failure is ignored: the next look reads all. */
async function writeMark(state: State, { store, layout, now }: PublisherDependencies): Promise<void> {
  if (state.head === undefined) return;
  const mark = { head: state.head.digest, channels: channelsDigest(state), at: now().toISOString() };
  const write = { name: layout.settled, value: recordText(mark), overwrite: true, tier: "Standard" } as const;
  await store.putParameter(write).catch(ownError);
}

function channelsDigest({ channels, numbers }: Pick<State, "channels" | "numbers">): string {
  const names = Object.keys(channels).sort();
  const lines = names.map((name) => [name, channels[name], numbers[`channel/${name}`]]);
  return createHash("sha256").update(JSON.stringify(lines)).digest("hex").slice(0, 32);
}

async function differenceOf(state: State, access: StateAccess): Promise<Unsettled> {
  const { snapshot, entries, behind } = state;
  const { problems, isServed } = await compareServed(state, undefined, access);
  const isPending = (entry: LogEntry) => entry.number > (snapshot?.change ?? 0) || behind.includes(entry);
  // Where nothing whole is served, what is missing is all of it, and not the changes that the log happens to keep.
  const pending = isServed || snapshot === undefined ? behind : entries.filter(isPending);
  if (isServed && pending.length === 0 && problems.length === 0 && !isHalfWritten(state))
    return { age: 0, pending, problems };
  const now = access.now().getTime();
  return { age: Math.max(1, now - (sinceOf(pending, state) ?? now)), pending, problems };
}

/**
 * Returns when the oldest change was declared that is left undone; without one, when a channel changed last; where no channel's record is
 * left either, when what is served was committed.
 */
function sinceOf([oldest]: readonly LogEntry[], { channels, snapshot }: State): number | undefined {
  if (oldest !== undefined) return Date.parse(oldest.at);
  const moves = Object.values(channels).flatMap(({ history: [last] }) => (last === undefined ? [] : [last.at]));
  // The number of a commit is its time.
  return moves.length === 0 ? snapshot?.seq : Math.max(...moves.map((at) => Date.parse(at)));
}

function messageOf(pending: readonly LogEntry[]): string {
  if (pending.length === 0) return "What is served was missing or damaged, and was derived again";
  // Of a cluster's change, the log keeps no author.
  const authorOf = ({ change }: LogEntry) => ("move" in change ? change.move.by : `${change.kind} ${change.name}`);
  return pending.map((entry) => `Finished change ${entry.number} of ${authorOf(entry)}: ${entry.message}`).join("; ");
}
