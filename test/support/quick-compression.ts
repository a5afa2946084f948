// What tests publish is compressed in the same form and quickly: brotli's best qualities take up to a third of a second for the shipped
// tree, and tests publish it a thousand times.
import { syncBuiltinESMExports } from "node:module";
import zlib from "node:zlib";

// Files share their process: only the first of them finds Node's own function.
if (zlib.brotliCompressSync.name !== "quickCompression") {
  const { BROTLI_PARAM_QUALITY } = zlib.constants;
  const best = zlib.brotliCompressSync;
  zlib.brotliCompressSync = function quickCompression(data, options) {
    // The best is still smaller than what comes before it.
    const quality = options?.params?.[BROTLI_PARAM_QUALITY] === 11 ? 9 : 5;
    return best(data, { ...options, params: { ...options?.params, [BROTLI_PARAM_QUALITY]: quality } });
  };
  syncBuiltinESMExports();
}
