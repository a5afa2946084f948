// An entry of the change log: what it says, and its form as a parameter.
import { type Parameter, readRecord, recordText } from "@outrigger/aws";
import { defined, type JsonValue, objectOf, textOf, unlessOwnError } from "@outrigger/base";
import { type ClusterRecord, parseClusterRecord } from "@outrigger/serving";
import type { Cause } from "../request/publisher-result.ts";
import { parseRollout } from "../rollout/rollout.ts";
import { type ChannelMove, isMove } from "./channel-record.ts";
import { type ChannelSettings, parseSettings } from "./channel-settings.ts";
import { parseRecent, type RequestEntry, recentText } from "./recent-requests.ts";

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

export interface LogEntry extends RequestEntry {
  readonly change: LoggedChange;
  /** The answer to the request. */
  readonly message: string;
  /**
   * What was asked, by whom and why: of a change that is no move, which says so itself. A lease that is taken, renewed or released
   * changes nothing that anyone asks for, and has none.
   */
  readonly asked?: Asked;
  /** numbersDigest() of all records once they hold this change; undefined where a person wrote one of them. */
  readonly records?: string | undefined;
}

export function entryText({ id, at, change, message, asked, recent, records }: LogEntry): string {
  const requests = recent === undefined ? undefined : recentText(recent);
  return recordText({ id, at, message, change, ...defined({ asked, recent: requests, records }) });
}

/** The entry that a parameter holds; undefined where it cannot be read. */
export function parseEntry(parameter: Parameter, number: number): LogEntry | undefined {
  const value = unlessOwnError(() => readRecord(parameter));
  const { id, at, message, change, asked, recent, records } = objectOf(value);
  if (typeof id !== "string" || typeof at !== "string") return undefined;
  const parsed = unlessOwnError(() => parseChange(change, parameter.name));
  if (parsed === undefined) return undefined;
  const more = defined({ asked: parseAsked(asked), recent: parseRecent(recent), records: textOf(records) });
  return { number, id, at, message: textOf(message) ?? "", change: parsed, ...more };
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
