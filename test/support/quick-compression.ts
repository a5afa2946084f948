// What tests publish is compressed as quickly as can be, in the same form: brotli's best, Node's default, takes a third of a
// second for the shipped tree, and tests publish it a thousand times.
import { syncBuiltinESMExports } from "node:module";
import zlib from "node:zlib";

// Files share their process: only the first of them finds Node's own function.
if (zlib.brotliCompressSync.name !== "quickCompression") {
  const { BROTLI_PARAM_QUALITY } = zlib.constants;
  const best = zlib.brotliCompressSync;
  zlib.brotliCompressSync = function quickCompression(data, options) {
    return best(data, { ...options, params: { [BROTLI_PARAM_QUALITY]: 5, ...options?.params } });
  };
  syncBuiltinESMExports();
}
