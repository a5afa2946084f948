// The log's entry of a change, made to fit into a parameter.
import { fitsParameter } from "@outrigger/aws";
import type { PublisherDependencies } from "../dependencies.ts";
import { entryText, type LogEntry, type LoggedChange, requestOf } from "../records/change-log.ts";
import { numbersAfter, type State } from "../records/read-state.ts";
import { numbersDigest } from "../records/recent-requests.ts";
import type { Decision } from "./decision.ts";

/**
 * What a parameter has no space for is left out of the entry: first the edits, then most of the reason, then the requests before
 * it, without which the next publisher reads the whole log.
 */
export function entryFor(
  change: LoggedChange,
  { message }: Decision,
  id: string,
  state: State,
  { now, tier }: PublisherDependencies,
): LogEntry {
  const number = state.lastChange + 1;
  const at = now().toISOString();
  const recent = state.recent && [...state.recent, ...requestOf({ id, number, at })];
  const entry = (logged: LoggedChange): LogEntry => {
    const made = { number, id, at, change: logged, message };
    return { ...made, recent, records: numbersDigest(numbersAfter(state.numbers, made)) };
  };
  const entries = shorter(change).map(entry);
  const last = { ...(entries.at(-1) as LogEntry), recent: undefined };
  return entries.find((candidate) => fitsParameter(entryText(candidate), tier)) ?? last;
}

/** A change, and what may be left out of it. */
function shorter(change: LoggedChange): readonly LoggedChange[] {
  const { kind, name } = change;
  if ("settings" in change) return [{ kind: "channel", name, settings: change.settings }];
  if (!("move" in change)) return [{ kind, name, record: change.record } as LoggedChange];
  const { move, pinned } = change;
  const { edits, ...short } = move;
  const moves = [move, short, { ...short, why: short.why.slice(0, 100) }];
  return moves.map((kept) => ({ kind: "channel", name, move: kept, pinned }));
}
