// The form of large values: JSON, compressed, as base64, in an object of the bucket, and in parts that each name the whole they belong
// to. A part that is missing, cut short, of another whole or altered is found before anything is read of it.
import { createHash } from "node:crypto";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { memoize, OutriggerError } from "@outrigger/base";
import type { Tier } from "../parameter-store/parameter-store.ts";
import { MAX_PARTS } from "./parameter-layout.ts";

/** Tier → the most bytes of a value. Base64 and our tags are ASCII, so characters are bytes. */
export const MAX_VALUE: Readonly<Record<Tier, number>> = { Standard: 4096, Advanced: 8192 };

/** The longest tag, `<32 digits> 8/9 `, rounded up. */
const TAG = 40;

/**
 * The most bytes that a whole may decompress to: far more than nine parts of any tree, far less than a function's
 * memory.
 */
const MAX_JSON = 64 * 1024 * 1024;

/** A whole, as an object of the bucket and as parts. */
export interface Packed {
  /** First 32 hexadecimal digits of the SHA-256 of the compressed bytes. */
  readonly digest: string;
  /** The compressed bytes as base64: what the object holds. */
  readonly text: string;
  /** The same in parts, where nine hold it; otherwise one, which says where it is. */
  readonly parts: readonly string[];
}

/** The most characters of an object: what a reader takes as one answer, with a margin. */
export const MAX_OBJECT = 3 * 1024 * 1024;

/**
 * Packs JSON as an object, and into at most nine parts of the tier's size where these hold it.
 *
 * @param what names it in the error: `the snapshot of channels stable, canary`
 * @param bucket the object's bucket, which earlier versions read from the part
 * @throws OutriggerError `store-full`
 */
export function packParts(json: string, tier: Tier, what: string, bucket: string): Packed {
  const bytes = compress(json);
  const text = objectText(bytes, what);
  const digest = digestOf(bytes);
  const count = Math.max(1, Math.ceil(text.length / (MAX_VALUE[tier] - TAG)));
  return { digest, text, parts: partsOf(text, digest, count > MAX_PARTS ? 1 : count, bucket) };
}

/**
 * Packs JSON as an object alone, which is quicker: unpackText() reads it.
 *
 * @param what names it in the error: `release 0123456789ab`
 * @throws OutriggerError `store-full`
 */
export function packText(json: string, what: string): string {
  return objectText(compressQuickly(json), what);
}

function objectText(bytes: Buffer, what: string): string {
  const text = bytes.toString("base64");
  if (text.length > MAX_OBJECT) throw tooLarge(what, text.length);
  return text;
}

/**
 * An object's text in so many parts: in one that cannot hold it, where it is.
 *
 * @example
 * ```ts
 * partsOf("abcdefgh", "0".repeat(32), 2, "releases")[1] // => `${"0".repeat(32)} 1/2 efgh`
 * ```
 */
export function partsOf(text: string, digest: string, count: number, bucket: string): readonly string[] {
  if (count === 1 && text.length > MAX_VALUE.Advanced) return [`${digest} s3:${bucket}:${text.length}`];
  const size = Math.ceil(text.length / count);
  return Array.from({ length: count }, (_, index) => {
    return `${digest} ${index}/${count} ${text.slice(index * size, (index + 1) * size)}`;
  });
}

/**
 * The JSON that parts hold, in whatever order they come.
 *
 * @param digest the whole that is wanted
 * @returns undefined where a part is missing or belongs to another whole, or where they do not hold it
 * @throws OutriggerError `store-corrupt` where the parts are all there and their bytes are not what the digest says
 */
export function unpackParts(parts: readonly string[], digest: string, what: string): string | undefined {
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
  return unpackText(pieces.slice(0, count).join(""), what, digest);
}

/**
 * The JSON of a whole in one text, which is an object's.
 *
 * @param digest where it is known
 * @throws OutriggerError `store-corrupt` where its bytes are not what the digest says, or are not compressed
 */
export function unpackText(text: string, what: string, digest?: string): string {
  const bytes = Buffer.from(text, "base64");
  if (digest !== undefined && digestOf(bytes) !== digest) throw corrupt(what, "its bytes do not match its digest");
  try {
    return brotliDecompressSync(bytes, { maxOutputLength: MAX_JSON, chunkSize: 256 * 1024 }).toString("utf8");
  } catch {
    throw corrupt(what, "it is not compressed JSON");
  }
}

/** The characters of base64 that a value takes once it is compressed. */
export function compressedLength(value: unknown): number {
  return Math.ceil(compress(JSON.stringify(value)).length / 3) * 4;
}

/**
 * Whether a record's text fits into one parameter.
 *
 * @example
 * ```ts
 * fitsParameter("x".repeat(4096), "Standard") // => true
 * fitsParameter("é".repeat(4096), "Standard") // => false
 * ```
 */
export function fitsParameter(text: string, tier: Tier): boolean {
  return new TextEncoder().encode(text).length <= MAX_VALUE[tier];
}

const PART = /^([0-9a-f]{32}) (\d)\/([1-9]) ([A-Za-z0-9+/=]*)$/;

/** A function that compresses a text by brotli. What is committed again, because another was first, is compressed once. */
function compressor(quality: number) {
  return memoize(
    (text: string) => {
      const bytes = Buffer.from(text);
      const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
      return brotliCompressSync(bytes, {
        params: { [BROTLI_PARAM_SIZE_HINT]: bytes.length, [BROTLI_PARAM_QUALITY]: quality },
      });
    },
    { longest: 4_000_000, bytesOf: (bytes) => bytes.length },
  );
}

/** The second best quality: 55 ms and 10,932 bytes for a tree like the shipped one, where the best takes 180 ms and makes 10,650. */
const compress = /* @__PURE__ */ compressor(10);

/** 3 ms and 11,900 bytes. The next quality takes 14 ms, of which 10 are its tables, for 1 % less. */
const compressQuickly = /* @__PURE__ */ compressor(8);

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

function tooLarge(what: string, length: number): OutriggerError {
  const remedy = "take samples, templates or channels out of it";
  const message = `Cannot store ${what}: it takes ${length} characters of base64, and an object holds ${MAX_OBJECT}; ${remedy}`;
  return new OutriggerError("store-full", message, { path: what });
}

function corrupt(what: string, why: string): OutriggerError {
  return new OutriggerError("store-corrupt", `Cannot read ${what}: ${why}; publish again`, { path: what });
}
