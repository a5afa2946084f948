// JSON packed as packParts does, with as little compression as can be.
import { createHash } from "node:crypto";
import { brotliCompressSync, constants } from "node:zlib";
import type { Packed, Tier } from "@outrigger/aws";

/** Packs as packParts() does, in smaller parts and with as little compression as can be: tests pack millions of values. */
export function packFast(json: string): Packed {
  const { digest, text } = compressed(json);
  const count = Math.min(2, Math.ceil(text.length / 80));
  const size = Math.ceil(text.length / count);
  return {
    digest,
    text,
    parts: Array.from({ length: count }, (_, index) => {
      return `${digest} ${index}/${count} ${text.slice(index * size, (index + 1) * size)}`;
    }),
  };
}

/** Packs JSON as if it were too large for the mirror. */
export function packIntoBucket(json: string, _tier: Tier, _what: string, bucket: string): Packed {
  const { digest, text } = compressed(json);
  return { digest, text, parts: [`${digest} s3:${bucket}:${text.length}`] };
}

interface Compressed {
  readonly digest: string;
  readonly text: string;
}

const lastCompressed = new Map<string, Compressed>();

function compressed(json: string): Compressed {
  const result = lastCompressed.get(json) ?? compressText(json);
  // What an interrupted process has packed, it mostly packs again.
  if (lastCompressed.size >= 100) lastCompressed.clear();
  lastCompressed.set(json, result);
  return result;
}

function compressText(json: string): Compressed {
  const bytes = brotliCompressSync(Buffer.from(json), { params: FAST });
  return { digest: createHash("sha256").update(bytes).digest("hex").slice(0, 32), text: bytes.toString("base64") };
}

const FAST = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 16 };
