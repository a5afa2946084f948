// What tests publish is compressed in the same form and quickly: brotli's best qualities take up to a third of a second for the shipped
// tree, and tests publish it a thousand times. What asks for another quality gets it.
import { syncBuiltinESMExports } from "node:module";
import zlib from "node:zlib";

/** The quality with which lib/aws/values/parts.ts packs what has room. */
const QUICK = 10;

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
  syncBuiltinESMExports();
}
