// The change that a decision makes: its entry in the log, and the state once it is made. Pure.
import { fitsParameter } from "@outrigger/aws";
import { defined, entryOf, jsonEqual } from "@outrigger/base";
import { recordDigest } from "@outrigger/serving";
import { DEFAULT_CHANNEL } from "../channel/edits-channel.ts";
import { assertUnchanged } from "../channel/move-checks.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { type Asked, entryText, type LogEntry, type LoggedChange } from "../records/log-entry.ts";
import { FOLDERS, withEntry } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import { requestOf } from "../records/recent-requests.ts";
import { numbersAfter, numbersDigest } from "../records/record-numbers.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import type { Decision } from "./decision.ts";

export interface Change {
  /** Undefined where the record is so already. */
  readonly entry: LogEntry | undefined;
  /** The state once it is made; as it is where there is none. */
  readonly next: State;
}

/**
 * Returns the change that a decision about a request makes.
 *
 * @param id of the request
 * @throws OutriggerError `channel-moved` where the channel was changed since the requester looked
 */
export function changeOf(
  { change: wanted, message }: Decision,
  { id, request, state }: { readonly id: string; readonly request: PublisherRequest; readonly state: State },
  dependencies: PublisherDependencies,
): Change {
  // What is so already is no conflict.
  if (wanted !== undefined && "change" in request) assertUnchanged(request.change, wanted.name, state);
  if (wanted === undefined || !altersRecord(wanted, state)) return { entry: undefined, next: state };
  const change = keptEdits(wanted, state);
  const entry = entryFor({ change, message, asked: askedOf(change, request, state) }, id, state, dependencies);
  const { layout, tier } = dependencies;
  const added = { entries: [...state.entries, entry], behind: [...state.behind, entry], lastChange: entry.number };
  return { entry, next: { ...state, ...withEntry(entry, state, layout, tier), ...added } };
}

function altersRecord(change: LoggedChange, state: State): boolean {
  const { kind, name } = change;
  if (state.unreadable[FOLDERS[kind]].includes(name)) return true;
  if ("move" in change || "settings" in change) return true;
  const before = kind === "channel" ? entryOf(state.channels, name) : entryOf(state.clusters, name);
  return !jsonEqual(before ?? null, change.record);
}

/** A record that is lost and made again takes edits as it did: what is served knows it. */
function keptEdits<Wanted extends LoggedChange>(change: Wanted, { channels, snapshot }: State): Wanted {
  const isLost = "move" in change && snapshot !== undefined && entryOf(channels, change.name) === undefined;
  const isOurs =
    isLost && change.name === (snapshot.edits ?? DEFAULT_CHANNEL) && Object.hasOwn(snapshot.channels, change.name);
  return isOurs ? { ...change, move: { editsSince: change.move.at, ...change.move } } : change;
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
  const made = { number: state.lastChange + 1, id, at: now().toISOString() };
  const texts = shorter(said);
  const records = numbersDigest(numbersAfter(state.numbers, { ...made, ...said }));
  const recent = state.recent && [...state.recent, ...requestOf(made)];
  const entries: readonly LogEntry[] = texts.map(({ change, message, asked }) => {
    return { ...made, change, message, ...defined({ asked }), recent, records };
  });
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
