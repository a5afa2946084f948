// Pages: the service promises no order, may give fewer than it could, or none, and still say that there is more.
// A token belongs to the request that it was given for, and survives writes between two pages.
import { createHash } from "node:crypto";
import { defined } from "@outrigger/base";
import { ServiceError } from "./parameter-rules.ts";

interface PageRequest {
  /** The rest of the question. A token is good for the same question only. */
  readonly question: string;
  readonly max: number;
  readonly token: string | undefined;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly token: string | undefined;
}

/** The end of a page: a place in the order that the salt gives. */
interface Cursor {
  readonly question: string;
  /** Undefined: the order is that of the names. */
  readonly salt?: number;
  readonly after?: string;
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
  const salt = cursor === undefined ? random?.() : cursor.salt;
  const after = cursor?.after;
  const rest = items
    .map((item) => ({ item, place: placeOf(item.name, salt) }))
    .filter(({ place }) => after === undefined || after < place)
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  // Never twice empty in a row: a caller that follows the tokens reaches the end.
  const isUneven = random !== undefined && random() < 0.5;
  const least = cursor?.wasEmpty === true ? 1 : 0;
  const size = isUneven ? Math.max(least, Math.floor(random() * (max + 1))) : max;
  const page = rest.slice(0, size);
  const isLast = page.length === rest.length && !(isUneven && page.length > 0);
  const last = page.at(-1)?.place ?? after;
  const next: Cursor = defined({ question, salt, after: last, wasEmpty: page.length === 0 });
  const text = JSON.stringify(next);
  const token = isLast ? undefined : Buffer.from(`${digestOf(text)}${text}`).toString("base64");
  return { items: page.map(({ item }) => item), token };
}

/** A position among all items: a number of eight hexadecimal digits, and the name for those whose numbers are the same. */
function placeOf(name: string, salt: number | undefined): string {
  if (salt === undefined) return name;
  // FNV-1a, begun with the salt.
  let hash = 0x811c9dc5 ^ (salt * 0xffffffff);
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return `${((hash ^ (hash >>> 15)) >>> 0).toString(16).padStart(8, "0")}${name}`;
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

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The items in an order that chance decides. */
export function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
