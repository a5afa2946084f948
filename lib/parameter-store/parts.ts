// Owns the form of large values in Parameter Store: JSON, compressed, as base64 in parts that each name the whole they
// belong to. A part that is missing, cut short, of another whole or altered is found before anything is read of it.
import { createHash } from "node:crypto";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { OutriggerError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import { MAX_PARTS } from "./parameter-layout.ts";
import type { Tier } from "./parameter-store.ts";

/** The most bytes of a value. Base64 and our tags are ASCII, so characters are bytes. */
export const MAX_VALUE: Readonly<Record<Tier, number>> = { Standard: 4096, Advanced: 8192 };

/** The longest tag, `<32 digits> 8/9 `, rounded so that what remains for base64 is a multiple of four. */
const TAG = 40;

/** What a whole may decompress to: far more than nine parts of any tree, far less than a function's memory. */
const MAX_JSON = 64 * 1024 * 1024;

/** A whole in parts. */
export interface Packed {
  /** First 32 hexadecimal digits of the SHA-256 of the compressed bytes. */
  readonly digest: string;
  readonly parts: readonly string[];
}

/**
 * Packs a JSON value into at most nine parts of the tier's size.
 *
 * @param what names it in the error: `the snapshot of channels stable, canary`
 * @throws OutriggerError `store-full`, which names the tier that would do
 *
 * @example
 * ```ts
 * unpackParts(packParts({ a: 1 }, "Standard", "it").parts, packParts({ a: 1 }, "Standard", "it").digest, "it") // => { a: 1 }
 * ```
 */
export function packParts(value: unknown, tier: Tier, what: string): Packed {
  const bytes = compress(JSON.stringify(value));
  const size = MAX_VALUE[tier] - TAG;
  const text = bytes.toString("base64");
  const count = Math.max(1, Math.ceil(text.length / size));
  if (count > MAX_PARTS) throw tooLarge(what, text.length, tier);
  const digest = digestOf(bytes);
  const parts = Array.from({ length: count }, (_, index) => {
    return `${digest} ${index}/${count} ${text.slice(index * size, (index + 1) * size)}`;
  });
  return { digest, parts };
}

/**
 * The value that parts hold, in whatever order they come.
 *
 * @param digest the whole that is wanted
 * @returns undefined where a part is missing, or belongs to another whole
 * @throws OutriggerError `store-corrupt` where the parts are all there and their bytes are not what the digest says
 */
export function unpackParts(parts: readonly string[], digest: string, what: string): JsonValue | undefined {
  const pieces: (string | undefined)[] = [];
  let count = 0;
  for (const part of parts) {
    const [, owner, index, total, base64] = PART.exec(part) ?? [];
    if (owner !== digest) continue;
    // The same whole, once in small parts and once in large ones: what is there is not one writing of it.
    if (count !== 0 && count !== Number(total)) return undefined;
    pieces[Number(index)] = base64;
    count = Number(total);
  }
  if (count === 0) return undefined;
  for (let index = 0; index < count; index++) if (pieces[index] === undefined) return undefined;
  const bytes = Buffer.from(pieces.slice(0, count).join(""), "base64");
  if (digestOf(bytes) !== digest) throw corrupt(what, "its bytes do not match its digest");
  try {
    return JSON.parse(brotliDecompressSync(bytes, { maxOutputLength: MAX_JSON }).toString("utf8")) as JsonValue;
  } catch {
    throw corrupt(what, "it is not compressed JSON");
  }
}

/** The characters of base64 that a value takes once it is compressed: what packParts() would store. */
export function compressedLength(value: unknown): number {
  return Math.ceil(compress(JSON.stringify(value)).length / 3) * 4;
}

/** The most characters that nine parts of a tier hold. */
export function capacityOf(tier: Tier): number {
  return MAX_PARTS * (MAX_VALUE[tier] - TAG);
}

/**
 * The characters that parts hold, without the tag in front of each.
 *
 * @example
 * ```ts
 * usedBy([`${"0".repeat(32)} 0/1 abcd`]) // => 4
 * ```
 */
export function usedBy(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + part.length - part.lastIndexOf(" ") - 1, 0);
}

const PART = /^([0-9a-f]{32}) (\d)\/([1-9]) ([A-Za-z0-9+/=]*)$/;

function compress(text: string): Buffer {
  const bytes = Buffer.from(text);
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

function tooLarge(what: string, length: number, tier: Tier): OutriggerError {
  const settings =
    tier === "Standard" && length <= capacityOf("Advanced") ? "tier: Advanced or releaseBucket" : "releaseBucket";
  const wayOut = `set ${settings} in outrigger.<stage>.yml and deploy, or take samples, templates or channels out of it`;
  return new OutriggerError(
    "store-full",
    `Cannot store ${what}: it takes ${length} characters of base64, and nine parts on the ${tier} tier hold ${capacityOf(tier)}; ${wayOut}`,
    { path: what },
  );
}

function corrupt(what: string, why: string): OutriggerError {
  return new OutriggerError("store-corrupt", `Cannot read ${what}: ${why}; publish again`, { path: what });
}
