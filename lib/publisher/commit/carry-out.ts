// Carrying out a request exactly once: everything that could refuse it comes first, then the release, then the change's
// place in the log, then the record, then the commit, then whatever is no longer needed is deleted.
import { randomUUID } from "node:crypto";
import { fitsParameter } from "@outrigger/aws";
import { defined, entryOf, isOwnError, jsonEqual, OutriggerError } from "@outrigger/base";
import type { Release, SourceTree } from "@outrigger/injector";
import { recordDigest } from "@outrigger/serving";
import { DEFAULT_CHANNEL } from "../channel/edits-channel.ts";
import { BEHIND, type PublisherDependencies } from "../dependencies.ts";
import {
  type Asked,
  appendEntry,
  entryText,
  type LogEntry,
  type LoggedChange,
  numbersDigest,
  ONCE,
  readEntry,
  readLog,
  requestHash,
  requestOf,
} from "../records/change-log.ts";
import { releaseOf } from "../records/channel-record.ts";
import { folderOf, numbersAfter, withEntry } from "../records/read-records.ts";
import { readState, type State } from "../records/read-state.ts";
import { type ReleaseOrigin, readRelease, writeOrigin, writeRelease } from "../release/release-object.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import type { Done, PublisherResult } from "../request/publisher-result.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { commitSnapshot, isHalfWritten, writeRecords } from "./commit-snapshot.ts";
import { nearlyFull, planCommit, withLargest } from "./plan-commit.ts";

const TRIES = 10;

/** Milliseconds. A collection takes a call for each ten parameters: where a person waits, it comes a day after the last one, otherwise an hour. */
const HOUR = 60 * 60 * 1000;

/** Errors of Parameter Store, and not of the request. */
const NOT_ANSWERED = ["store-unavailable", "store-denied", "parameter-refused"] as const;

/** Milliseconds before the first of these; each is longer than the one before. */
const PAUSE = 50;

/**
 * Decides and carries out a request.
 *
 * | it stops                          | what is served         | the same request again                     |
 * |-----------------------------------|------------------------|--------------------------------------------|
 * | before the log's entry            | as before              | is decided again                           |
 * | after it                          | as before, or the next | finds its entry, and finishes what is left |
 *
 * A request that loses its place to another publisher may be refused after its release was written. No channel names that
 * release then, and it is collected later; nothing else was written.
 *
 * @param decide throws what the request is refused for; called again where another publisher came first
 */
export async function carryOut(
  request: PublisherRequest,
  decide: (state: State) => Decision | Promise<Decision>,
  dependencies: PublisherDependencies,
): Promise<PublisherResult> {
  const id = request.id ?? `${ONCE}${randomUUID()}`;
  // A refusal is believed once readings have caught up: what it is refused for may be that it was made already.
  let isCertain = request.id === undefined || request.dryRun === true;
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const state = await readState(dependencies, { isWholeLog: request.action === "repair" });
      const made = await entryOfRequest(id, state, dependencies);
      const decision = made === undefined ? await decide(state) : await repeated(made, dependencies);
      const result = await attempt(decision, made, { id, request, state }, dependencies);
      if (result !== undefined) return result;
    } catch (error) {
      if (isCertain || isOwnError(error, ...NOT_ANSWERED) || !isOwnError(error)) throw error;
      isCertain = true;
      await dependencies.sleep(BEHIND);
      continue;
    }
    await dependencies.sleep(PAUSE * 2 ** tries);
  }
  const message = `Cannot make the change: other publishers made the next one each of the ${TRIES} times that it was tried; try again`;
  throw new OutriggerError("store-unavailable", message, { path: dependencies.layout.changes });
}

async function entryOfRequest(
  id: string,
  { entries, isWholeLog, recent }: State,
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

/** Undefined where another publisher took the number. */
async function attempt(
  decision: Decision,
  made: LogEntry | undefined,
  { id, request, state }: { readonly id: string; readonly request: PublisherRequest; readonly state: State },
  dependencies: PublisherDependencies,
): Promise<PublisherResult | undefined> {
  const { change: wanted, newRelease: release, warnings: own = [], serving, effects, ...said } = decision;
  const change = wanted && altersRecord(wanted, state) ? keptEdits(wanted, state) : undefined;
  const logged = change && { change, asked: askedOf(change, request, state), message: said.message };
  const entry = logged && entryFor(logged, id, state, dependencies);
  // As if the change were made: what is derived from it is known to fit before it is.
  const next = entry === undefined ? state : stateAfter(entry, state, dependencies);
  const fresh = release === undefined ? {} : { [release.digest]: release.release };
  const isRepair = request.action === "repair";
  const plan = await planCommit(next, fresh, dependencies, isRepair).catch((error: unknown) => {
    throw withLargest(error, release?.tree);
  });
  const number = (request.dryRun === true ? state : next).numbers[`channel/${said.channel}`];
  const answered = (seq: number, isChanged: boolean, warnings: readonly string[] = [], problems = plan.problems) => ({
    ok: true as const,
    ...said,
    // What a person asks before it is done.
    ...(request.dryRun === true && defined({ serving, effects })),
    ...defined({ change: number }),
    seq,
    changed: isChanged || made !== undefined,
    warnings: [...own, ...warnings],
    ...(problems.length > 0 && { problems }),
  });
  const seq = state.head?.seq ?? 0;
  if (request.dryRun === true)
    return answered(seq, entry !== undefined || plan.next !== undefined || isHalfWritten(state));
  const isKept =
    release === undefined || (await writeRelease(release.release, release.digest, release.origin, dependencies));
  // The release of a request that is made later is kept, and nothing moves.
  if (request.action === "publish" && request.prepare === true) return answered(seq, false);
  if (entry !== undefined && !(await appendEntry(entry, dependencies))) return undefined;
  try {
    if (!isKept) await writeOrigin(release.release, release.digest, release.origin, dependencies);
    const refused = await writeRecords(next, dependencies);
    const isUnhurried = request.action === "publish" && request.automatic === true;
    const committed = await commitSnapshot(plan, next, isUnhurried ? HOUR : 24 * HOUR, dependencies);
    const warnings = committed.collects || isRepair ? await collectGarbage(dependencies) : [];
    const problems = [...committed.problems, ...refused];
    const isChanged = entry !== undefined || committed.changed;
    return answered(committed.seq, isChanged, [...warnings, ...nearlyFull(plan)], problems);
  } catch (error) {
    throw withDeclared(error, entry ?? made);
  }
}

/** Adds to an error of a store that does not answer what was declared before: it becomes true with no further request. */
function withDeclared(error: unknown, declared: LogEntry | undefined): unknown {
  if (declared === undefined || !isOwnError(error, "store-unavailable")) return error;
  const { code, message, path } = error;
  const said = `change ${declared.number} is declared, and the schedule makes it once the store answers: ${declared.message}`;
  return new OutriggerError(code, `${message}; ${said}`, { ...defined({ path }), cause: error });
}

async function repeated({ change, message }: LogEntry, access: PublisherDependencies): Promise<Decision> {
  if (change.kind === "cluster") return { message };
  if ("settings" in change) {
    const { proposal } = change.settings;
    return { message, channel: change.name, ...defined({ release: proposal?.release, held: proposal?.held }) };
  }
  if (!("move" in change)) return { message, channel: change.name };
  const release = releaseOf(change.move);
  const warnings = change.move.action === "publish" ? (await readRelease(access, release)).release.warnings : [];
  return { message, channel: change.name, release, warnings };
}

/** A record that is lost and made again takes edits as it did: what is served knows it. */
function keptEdits<Wanted extends LoggedChange>(change: Wanted, { channels, snapshot }: State): Wanted {
  const isLost = "move" in change && snapshot !== undefined && entryOf(channels, change.name) === undefined;
  const isOurs =
    isLost && change.name === (snapshot.edits ?? DEFAULT_CHANNEL) && Object.hasOwn(snapshot.channels, change.name);
  return isOurs ? { ...change, move: { editsSince: change.move.at, ...change.move } } : change;
}

function altersRecord(change: LoggedChange, state: State): boolean {
  const { kind, name } = change;
  if (state.unreadable[folderOf(kind)].includes(name)) return true;
  if ("move" in change || "settings" in change) return true;
  const before = kind === "channel" ? entryOf(state.channels, name) : entryOf(state.clusters, name);
  return !jsonEqual(before ?? null, change.record);
}

function stateAfter(entry: LogEntry, state: State, { layout, tier }: PublisherDependencies): State {
  const added = { entries: [...state.entries, entry], behind: [...state.behind, entry], lastChange: entry.number };
  return { ...state, ...withEntry(entry, state, layout, tier), ...added };
}

/** A release that may not be in the store yet. */
export interface NewRelease {
  readonly digest: string;
  readonly release: Release;
  readonly origin: ReleaseOrigin;
  /** The tree that people may shorten or take parts out of, if it does not fit. */
  readonly tree?: SourceTree;
}

/** The decision about a request, given the state. */
export interface Decision
  extends Pick<Done, "message">,
    Partial<Pick<Done, "channel" | "release" | "serving" | "warnings" | "effects" | "held">> {
  /** The record that becomes another; absent where only what was left half done is finished. */
  readonly change?: LoggedChange | undefined;
  /** The release to keep. Without a change, it is the one from before, made of another tree, as its origin says. */
  readonly newRelease?: NewRelease | undefined;
}

/** What is kept of the request besides the change; undefined where the change says it itself, or is of a lease alone. */
function askedOf(change: LoggedChange, { action, cause }: PublisherRequest, { clusters }: State): Asked | undefined {
  if ("move" in change) return undefined;
  const record = change.kind === "cluster" ? change.record : null;
  const isLease = record !== null && recordDigest(entryOf(clusters, change.name)) === recordDigest(record);
  return isLease ? undefined : { action, ...cause };
}

type Said = Pick<LogEntry, "change" | "message"> & { readonly asked: Asked | undefined };

/**
 * Returns the entry for a change. What a parameter has no space for is left out: first the edits, then most of the
 * reason, then the requests before it, without which the next publisher reads the whole log.
 */
function entryFor(said: Said, id: string, state: State, { now, tier }: PublisherDependencies): LogEntry {
  const number = state.lastChange + 1;
  const at = now().toISOString();
  const recent = state.recent && [...state.recent, ...requestOf({ id, number, at })];
  const entry = ({ change, message, asked }: Said): LogEntry => {
    const made = { number, id, at, change, message, ...defined({ asked }) };
    return { ...made, recent, records: numbersDigest(numbersAfter(state.numbers, made)) };
  };
  const entries = shorter(said).map(entry);
  const last = { ...(entries.at(-1) as LogEntry), recent: undefined };
  return entries.find((candidate) => fitsParameter(entryText(candidate), tier)) ?? last;
}

/** A change, and what may be left out of it. */
function shorter(said: Said): readonly Said[] {
  const { change, asked } = said;
  if (!("move" in change)) {
    const brief = asked && { ...asked, by: asked.by.slice(0, 100), why: "" };
    return asked === undefined ? [said] : [said, { ...said, asked: brief }, { ...said, asked: undefined }];
  }
  const { edits, ...short } = change.move;
  const moves = [change.move, short, { ...short, why: short.why.slice(0, 100) }];
  return moves.map((move) => ({ ...said, change: { ...change, move } }));
}
