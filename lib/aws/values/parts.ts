// The form of large values in Parameter Store: JSON, compressed, as base64 in parts that each name the whole they
// belong to, or in an object that one part refers to. A part that is missing, cut short, of another whole or altered is found before anything is read of it.
import { createHash } from "node:crypto";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { type JsonValue, memoize, OutriggerError } from "@outrigger/base";
import type { CallOptions } from "../outside-call.ts";
import type { ParametersByName, Tier } from "../parameter-store/parameter-store.ts";
import { type Layout, MAX_PARTS } from "./parameter-layout.ts";

/** Tier → the most bytes of a value. Base64 and our tags are ASCII, so characters are bytes. */
export const MAX_VALUE: Readonly<Record<Tier, number>> = { Standard: 4096, Advanced: 8192 };

/** The longest tag, `<32 digits> 8/9 `, rounded so that what remains for base64 is a multiple of four. */
const TAG = 40;

/**
 * The most bytes that a whole may decompress to: far more than nine parts of any tree, far less than a function's
 * memory.
 */
const MAX_JSON = 64 * 1024 * 1024;

/** A whole in parts. */
export interface Packed {
  /** First 32 hexadecimal digits of the SHA-256 of the compressed bytes. */
  readonly digest: string;
  readonly parts: readonly string[];
  /** The whole as base64, where it is too large for parts, to be written before the one part that refers to it. */
  readonly object?: { readonly bucket: string; readonly text: string };
}

/** The most characters of an object: what a reader takes as one answer, with a margin. */
const MAX_OBJECT = 3 * 1024 * 1024;

/**
 * Packs a JSON value into at most nine parts of the tier's size; where these do not hold it, into an object of the bucket.
 *
 * @param what names it in the error: `the snapshot of channels stable, canary`
 * @param bucket where what is too large for parts may go
 * @throws OutriggerError `store-full`, which names the settings that would do
 */
export function packParts(value: unknown, tier: Tier, what: string, bucket?: string): Packed {
  const json = JSON.stringify(value);
  const size = MAX_VALUE[tier] - TAG;
  const quick = compress(json);
  const bytes = base64Length(quick) <= MAX_PARTS * size ? quick : squeeze(json);
  const text = bytes.toString("base64");
  const count = Math.max(1, Math.ceil(text.length / size));
  const digest = digestOf(bytes);
  if (count > MAX_PARTS && bucket !== undefined && text.length <= MAX_OBJECT)
    return { digest, parts: [`${digest} s3:${bucket}:${text.length}`], object: { bucket, text } };
  if (count > MAX_PARTS) throw tooLarge(what, text.length, tier, bucket);
  const parts = Array.from({ length: count }, (_, index) => {
    return `${digest} ${index}/${count} ${text.slice(index * size, (index + 1) * size)}`;
  });
  return { digest, parts };
}

/**
 * Returns the reference in a part, and its characters of base64, or undefined for a part that holds a piece of the
 * whole itself.
 *
 * @example
 * ```ts
 * parseReference(`${"0".repeat(32)} s3:releases:90000`)?.bucket // => "releases"
 * parseReference(`${"0".repeat(32)} 0/1 abcd`) // => undefined
 * ```
 */
export function parseReference(part: string) {
  const [, digest, bucket, size] = REFERENCE.exec(part) ?? [];
  return digest === undefined || bucket === undefined ? undefined : { digest, bucket, size: Number(size) };
}

/** A bucket's name becomes part of a host's: nothing in it may be more than a name. */
const REFERENCE = /^([0-9a-f]{32}) s3:([a-z0-9][a-z0-9-]{1,61}[a-z0-9]):(\d{1,9})$/;

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
  return unpackText(pieces.slice(0, count).join(""), digest, what);
}

/**
 * The value of a whole in one text.
 *
 * @throws OutriggerError `store-corrupt` where its bytes are not what the digest says
 */
function unpackText(text: string, digest: string, what: string): JsonValue {
  const bytes = Buffer.from(text, "base64");
  if (digestOf(bytes) !== digest) throw corrupt(what, "its bytes do not match its digest");
  try {
    return JSON.parse(brotliDecompressSync(bytes, { maxOutputLength: MAX_JSON }).toString("utf8")) as JsonValue;
  } catch {
    throw corrupt(what, "it is not compressed JSON");
  }
}

/** The fewest characters of base64 that a value takes once it is compressed: what packParts() stores where parts are scarce. */
export function compressedLength(value: unknown): number {
  return base64Length(squeeze(JSON.stringify(value)));
}

function base64Length({ length }: Uint8Array): number {
  return Math.ceil(length / 3) * 4;
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

/**
 * Compresses a text by one of brotli's qualities, by default the best. What is committed again, because another was first, is compressed
 * once.
 *
 * @__NO_SIDE_EFFECTS__ so that what only reads leaves it out
 */
function compression(quality?: number): (text: string) => Buffer {
  const make = (text: string) => {
    const bytes = Buffer.from(text);
    const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
    const params = { [BROTLI_PARAM_SIZE_HINT]: bytes.length };
    return brotliCompressSync(bytes, {
      params: quality === undefined ? params : { ...params, [BROTLI_PARAM_QUALITY]: quality },
    });
  };
  return memoize(make, { longest: 4_000_000, bytesOf: (bytes) => bytes.length });
}

/** 55 ms and 10,932 bytes for a tree like the shipped one. */
const compress = compression(10);

/** As small as can be, where parts are scarce: 180 ms and 10,650 bytes. */
const squeeze = compression();

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

function tooLarge(what: string, length: number, tier: Tier, bucket: string | undefined): OutriggerError {
  const setting = tier === "Standard" && length <= capacityOf("Advanced") ? "tier: Advanced or " : "";
  const deploy = bucket === undefined ? `set ${setting}releaseBucket in outrigger.<stage>.yml and deploy, or ` : "";
  const holder =
    bucket === undefined ? `nine parts on the ${tier} tier hold ${capacityOf(tier)}` : `an object holds ${MAX_OBJECT}`;
  const remedy = `${deploy}take samples, templates or channels out of it`;
  const message = `Cannot store ${what}: it takes ${length} characters of base64, and ${holder}; ${remedy}`;
  return new OutriggerError("store-full", message, { path: what });
}

function corrupt(what: string, why: string): OutriggerError {
  return new OutriggerError("store-corrupt", `Cannot read ${what}: ${why}; publish again`, { path: what });
}

interface WholeOptions extends CallOptions {
  readonly reader: Pick<ParametersByName, "objects">;
  readonly layout: Layout;
}

/**
 * The value of a digest.
 *
 * | what the parts hold                        | the value                                                          |
 * |--------------------------------------------|--------------------------------------------------------------------|
 * | all of it                                  | theirs                                                             |
 * | a reference                                | the object's, whose bytes must match the digest                    |
 * | a reference to an object that is not there | undefined, as for a missing part                                   |
 * | a reference, and no bucket is known here   | `store-denied`: neither a second try nor publishing again can help |
 *
 * @throws OutriggerError `store-corrupt` for bytes that do not match the digest; what the bucket's reader throws
 */
export async function unpackWhole(
  parts: readonly string[],
  digest: string,
  what: string,
  { reader, layout, signal }: WholeOptions,
): Promise<JsonValue | undefined> {
  const reference = parts.map(parseReference).find((each) => each?.digest === digest);
  if (reference === undefined) return unpackParts(parts, digest, what);
  const { bucket } = reference;
  const { objects } = reader;
  if (objects === undefined) {
    const message = `Cannot read ${what}: it is in bucket ${bucket}, and no bucket can be read here; deploy with releaseBucket`;
    throw new OutriggerError("store-denied", message, { path: what });
  }
  const text = await objects.getObject({ bucket, key: layout.object(digest) }, signal === undefined ? {} : { signal });
  return text === undefined ? undefined : unpackText(text, digest, what);
}
