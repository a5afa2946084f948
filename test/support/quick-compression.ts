// What tests publish is compressed in the same form and quickly: brotli's best qualities take up to a third of a second for the shipped
// tree, and tests publish it a thousand times. What asks for another quality gets it. A short text is decompressed once: a publisher that is
// killed at each of its calls reads the same few again and again, and making the decoder takes longer than they do.
import { syncBuiltinESMExports } from "node:module";
import zlib from "node:zlib";

/** The quality with which lib/aws/values/parts.ts packs what has room. */
const QUICK = 10;

/** Bytes of what is remembered once it is decompressed, and how many texts that is. */
const [SHORT, MOST] = [4096, 200];

// Files share their process: only the first of them finds Node's own function.
if (zlib.brotliCompressSync.name !== "quickCompression") {
  const { BROTLI_PARAM_QUALITY } = zlib.constants;
  const best = zlib.brotliCompressSync;
  zlib.brotliCompressSync = function quickCompression(data, options) {
    const asked = options?.params?.[BROTLI_PARAM_QUALITY];
    // The best is still smaller than the quick one.
    const quality = asked === undefined || asked === QUICK ? 5 : asked;
    return best(data, { ...options, params: { ...options?.params, [BROTLI_PARAM_QUALITY]: quality } });
  };
  const decompress = zlib.brotliDecompressSync;
  const recent = new Map<string, Buffer>();
  zlib.brotliDecompressSync = function quickDecompression(data, options) {
    if (!Buffer.isBuffer(data) || data.length > SHORT) return decompress(data, options);
    // Another limit may refuse what this one takes.
    const key = `${options?.maxOutputLength} ${data.toString("latin1")}`;
    const known = recent.get(key);
    if (known !== undefined) return Buffer.from(known);
    const result = decompress(data, options);
    if (recent.size >= MOST) recent.clear();
    if (result.length <= 16 * SHORT) recent.set(key, Buffer.from(result));
    return result;
  };
  syncBuiltinESMExports();
}
