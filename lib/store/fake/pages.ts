// Owns pages: the service promises no order, may give fewer than it could, or none, and still say that there is more.
// A token belongs to the request that it was given for, and survives writes between two pages.
import { createHash } from "node:crypto";
import { ServiceError } from "./service-error.ts";

export interface PageRequest {
  /** What else was asked: a token is good for the same question only. */
  readonly question: string;
  readonly max: number;
  readonly token: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly token: string | undefined;
}

/** Where a page ends: after which place in the order that this salt gives. */
interface Cursor {
  readonly question: string;
  readonly salt: string;
  readonly after: string;
  readonly wasEmpty: boolean;
}

/**
 * One page in an order of chance.
 *
 * @param random without it, pages are full and in the order of their names
 */
export function cutPage<Item extends { readonly name: string }>(
  items: readonly Item[],
  request: PageRequest,
  random: (() => number) | undefined,
): Page<Item> {
  const { question, max } = request;
  const cursor = request.token === undefined ? undefined : readToken(request.token, question);
  const salt = cursor?.salt ?? (random === undefined ? "" : String(random()));
  const rest = items
    .map((item) => ({ item, place: placeOf(item.name, salt) }))
    .filter(({ place }) => cursor === undefined || place > cursor.after)
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  // Never twice empty in a row: whoever follows the tokens comes to an end.
  const isUneven = random !== undefined && random() < 0.5;
  const least = cursor?.wasEmpty === true ? 1 : 0;
  const size = isUneven ? Math.max(least, Math.floor(random() * (max + 1))) : max;
  const page = rest.slice(0, size);
  const isLast = page.length === rest.length && !(isUneven && page.length > 0);
  const next: Cursor = {
    question,
    salt,
    after: page.at(-1)?.place ?? cursor?.after ?? "",
    wasEmpty: page.length === 0,
  };
  return { items: page.map(({ item }) => item), token: isLast ? undefined : writeToken(next) };
}

/** Its place among all: that of its name, or one that looks like chance (FNV-1a). */
function placeOf(name: string, salt: string): string {
  if (salt === "") return name;
  let hash = 0x811c9dc5;
  for (const character of `${salt}${name}`) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return `${(hash >>> 0).toString(16).padStart(8, "0")} ${name}`;
}

function writeToken(cursor: Cursor): string {
  const text = JSON.stringify(cursor);
  return Buffer.from(`${digestOf(text)}${text}`).toString("base64");
}

function readToken(token: string, question: string): Cursor {
  const text = Buffer.from(token, "base64").toString();
  const cursor = text.slice(DIGEST_LENGTH);
  if (digestOf(cursor) === text.slice(0, DIGEST_LENGTH)) {
    const read = JSON.parse(cursor) as Cursor;
    if (read.question === question) return read;
  }
  throw new ServiceError("InvalidNextToken", "The specified token isn't valid.");
}

const DIGEST_LENGTH = 16;

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_LENGTH);
}
