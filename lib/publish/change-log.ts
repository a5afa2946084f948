// Owns `serve/changes/<number>`: the order of all changes. Each entry is created once and never overwritten, so that of two
// publishers exactly one makes the next change, and a request that arrives again finds what became of it.
import { randomUUID } from "node:crypto";
import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Layout } from "../parameter-store/parameter-layout.ts";
import type { Parameter, ParameterReader } from "../parameter-store/parameter-store.ts";
import { readAll } from "../parameter-store/read-all.ts";
import { readRecord, recordText } from "../parameter-store/record-text.ts";
import { type ClusterRecord, parseClusterRecord } from "../serve/cluster-record.ts";
import { isMove } from "./channel-record.ts";
import type { PublisherDependencies } from "./dependencies.ts";
import type { ChannelMove } from "./publisher-request.ts";

/** What an entry does to one record. A channel's move is kept without the history before it, so that it always fits. */
export type LoggedChange =
  | { readonly kind: "channel"; readonly name: string; readonly move: ChannelMove; readonly pinned: boolean }
  | { readonly kind: "cluster"; readonly name: string; readonly record: ClusterRecord }
  | { readonly kind: "channel" | "cluster"; readonly name: string; readonly record: null };

export interface LogEntry {
  readonly number: number;
  /** The request that asked for the change. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly change: LoggedChange;
  /** What the request was answered. */
  readonly message: string;
}

/** Milliseconds that entries are kept: longer than any process runs, and than any client repeats a request. */
const LOG_KEPT_FOR = 15 * 60 * 1000;

/** Of requests that no client repeats: only longer than any process runs. Each ten entries are a call more for every request. */
const KEPT_ONCE = 5 * 60 * 1000;

/** Begins the ID of a request that has none of its own, and so cannot arrive again. */
const ONCE = "once-";

/** The ID of a request: its own, or one that marks it as not to be repeated. */
export function requestId(own: string | undefined): string {
  return own ?? `${ONCE}${randomUUID()}`;
}

/**
 * Reads the log, the oldest entry first. An entry that cannot be read is left out: its number stays taken.
 *
 * @returns the entries, the highest number that is taken (0 for an empty log), and the numbers of entries that are too old to be
 * needed; the newest one is always kept, for its number
 */
export async function readLog(store: ParameterReader, layout: Layout, now: Date) {
  const parameters = await readAll(store, layout.changes);
  const numbers = parameters.map((parameter) => numberOf(parameter, layout)).filter(Number.isSafeInteger);
  const entries = parameters.flatMap((parameter) => parseEntry(parameter, layout) ?? []);
  const once = new Set(entries.flatMap(({ id, number }) => (id.startsWith(ONCE) ? [number] : [])));
  const expired = parameters.slice(0, -1).flatMap((parameter) => {
    const number = numberOf(parameter, layout);
    const before = now.getTime() - (once.has(number) ? KEPT_ONCE : LOG_KEPT_FOR);
    return (parameter.lastModified ?? before) < before ? [number] : [];
  });
  return { entries, last: Math.max(0, ...numbers), expired: expired.filter(Number.isSafeInteger) };
}

/**
 * Takes a number in the order of changes.
 *
 * @returns false if another publisher has taken it
 */
export async function appendEntry(entry: LogEntry, { store, layout, tier }: PublisherDependencies): Promise<boolean> {
  try {
    await store.putParameter({
      name: layout.change(entry.number),
      value: entryText(entry),
      overwrite: false,
      tier,
    });
    return true;
  } catch (error) {
    if (error instanceof OutriggerError && error.code === "parameter-exists") return false;
    throw error;
  }
}

/** The stored form of an entry. */
export function entryText({ id, at, change, message }: LogEntry): string {
  return recordText({ id, at, message, change });
}

function numberOf({ name }: Parameter, layout: Layout): number {
  return Number(name.slice(layout.changes.length + 1));
}

function parseEntry(parameter: Parameter, layout: Layout): LogEntry | undefined {
  try {
    const value = readRecord(parameter);
    const { id, at, message, change } = isObject(value) ? value : {};
    const number = numberOf(parameter, layout);
    if (!Number.isSafeInteger(number) || typeof id !== "string" || typeof at !== "string") return undefined;
    const parsed = parseChange(change, parameter.name);
    return parsed && { number, id, at, message: typeof message === "string" ? message : "", change: parsed };
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

function parseChange(value: JsonValue | undefined, place: string): LoggedChange | undefined {
  const { kind, name, move, pinned, record } = (isObject(value) ? value : {}) as JsonObject;
  if ((kind !== "channel" && kind !== "cluster") || typeof name !== "string") return undefined;
  if (record === null) return { kind, name, record };
  if (kind === "cluster") return { kind, name, record: parseClusterRecord(record as JsonValue, place) };
  return move !== undefined && isMove(move) ? { kind, name, move, pinned: pinned === true } : undefined;
}
