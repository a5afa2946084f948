// What an entry of the change log says about the entries before it: which requests they were made for, and which entry each
// record was last written by. With it, one entry is read in place of the whole log. Pure.
import { createHash } from "node:crypto";

/** A request that was carried out lately. */
export interface RecentRequest {
  /** Of its ID: see requestHash(). */
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

/** Requests as an entry stores them. */
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
