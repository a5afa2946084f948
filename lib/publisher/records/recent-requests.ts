// The requests that were carried out lately, which each entry of the log names: by them, a request that arrives again is found with the
// newest entry alone. And the short form in which an entry keeps them.
import { createHash } from "node:crypto";

/** Milliseconds for which a request may be repeated: longer than any process runs, and than any client repeats it. */
export const REPEATED_WITHIN = 15 * 60 * 1000;

/** Begins the ID of a request that has none of its own, and so cannot arrive again. */
export const ONCE = "once-";

/** What an entry of the log says of its request. */
export interface RequestEntry {
  readonly number: number;
  /** The request that asked for the change. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Requests that may be repeated, of the entries before this one and its own; undefined where not all of them are known. */
  readonly recent?: readonly RecentRequest[] | undefined;
}

export interface RecentRequest {
  /** requestHash() of the request's ID. */
  readonly hash: string;
  /** The entry that was made for it. */
  readonly number: number;
  /** Minutes since 1970. */
  readonly minute: number;
}

/**
 * The requests that the next entry will name, besides its own: those of the newest entry. An entry that had no space for them
 * names none; then all entries of that time are needed, one after the other.
 *
 * @param entries the oldest first, up to the last number that is taken
 */
export function recentOf(
  entries: readonly RequestEntry[],
  last: number,
  now: Date,
): readonly RecentRequest[] | undefined {
  if (last === 0) return [];
  const newest = entries.at(-1);
  if (newest?.number !== last) return undefined;
  const since = now.getTime() - REPEATED_WITHIN;
  const kept = entries.filter(({ at }) => Date.parse(at) >= since);
  const isWhole = kept.every(({ number }, index) => number === (kept[0] as RequestEntry).number + index);
  const requests = newest.recent ?? (isWhole ? kept.flatMap(requestOf) : undefined);
  // An entry is written a little after the time that it names, and a minute is not a time: two more are kept.
  return requests?.filter(({ minute }) => minute >= minuteOf(since) - 2);
}

/** The requests that an entry is one of; none for one that cannot be repeated. */
export function requestOf({ id, number, at }: Pick<RequestEntry, "id" | "number" | "at">): readonly RecentRequest[] {
  if (id.startsWith(ONCE)) return [];
  return [{ hash: requestHash(id), number, minute: minuteOf(Date.parse(at)) }];
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000);
}

/** The form in which an entry keeps an ID: short, so that hundreds fit. Two IDs may have the same one. */
export function requestHash(id: string): string {
  return createHash("sha256").update(id).digest("base64url").slice(0, 8);
}

export function recentText(requests: readonly RecentRequest[]): string {
  return requests.map(({ hash, number, minute }) => `${hash} ${number.toString(36)} ${minute.toString(36)}`).join(",");
}

/** The requests that a text stores; undefined for what stores none. */
export function parseRecent(text: unknown): readonly RecentRequest[] | undefined {
  if (text === "") return [];
  if (typeof text !== "string" || !RECENT.test(text)) return undefined;
  return text.split(",").map((each) => {
    const [hash = "", number = "", minute = ""] = each.split(" ");
    return { hash, number: Number.parseInt(number, 36), minute: Number.parseInt(minute, 36) };
  });
}

const RECENT = /^[A-Za-z0-9_-]{8} [0-9a-z]{1,9} [0-9a-z]{1,7}(?:,[A-Za-z0-9_-]{8} [0-9a-z]{1,9} [0-9a-z]{1,7})*$/;
