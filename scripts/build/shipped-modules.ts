// The shipped source tree, read from disk and compiled, as the text of the modules that bundles carry. Used by bundled-release.ts only.
import { brotliCompressSync, constants } from "node:zlib";
import { once } from "@outrigger/base";
import { compileRelease, type SourceTree } from "@outrigger/injector";
import { readSourceTree, treeDigest } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";

/** Returns the text of each module, for the tree in `directory` with no other layer over it. Each is made once. */
export function shippedModules(directory: string): Readonly<Record<string, () => Promise<string>>> {
  const tree = once(() => readSourceTree(directory));
  return {
    /** The module that code imports to get the release in the artifact. */
    "outrigger:bundled-release": once(async () => releaseModule(await tree())),
    /** The module that code imports to get the shipped source tree. Publishing lays every other tree over it. */
    "outrigger:shipped-tree": once(async () => `export const tree = ${JSON.stringify(await tree())};\n`),
  };
}

/**
 * The module holds the release compressed, with Brotli and as base64: a fifth of its size, and of the budget of a function's bundle, for
 * 3 ms when it is read (docs/contributing/adr/0003-bundle-format.md). Digests are taken here, not in every cold start.
 */
function releaseModule(tree: SourceTree): string {
  const release = compileRelease([tree]);
  const bytes = Buffer.from(JSON.stringify(release));
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_MAX_QUALITY } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const compressed = brotliCompressSync(bytes, { params }).toString("base64");
  return `import { brotliDecompressSync } from "node:zlib";
export const digest = ${JSON.stringify(releaseDigest(release))};
export const treeDigest = ${JSON.stringify(treeDigest(tree))};
export function readRelease() {
  return JSON.parse(brotliDecompressSync(Buffer.from("${compressed}", "base64")).toString());
}
`;
}
