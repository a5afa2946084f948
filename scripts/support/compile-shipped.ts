// The shipped source tree, read from disk and compiled: what every bundle carries. Used by the build scripts only.
import { brotliCompressSync, constants } from "node:zlib";
import type { SourceTree } from "@outrigger/injector";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree, treeDigest } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";

export interface ShippedRelease {
  /** The release as JSON, compressed with Brotli, as base64. */
  readonly compressed: string;
  readonly digest: string;
  /** Of the tree's texts. */
  readonly treeDigest: string;
}

let latest: { readonly text: string; readonly shipped: ShippedRelease } | undefined;

/**
 * The release that the tree in `directory` gives, with no other layer over it, and its digest. A tree that is what it was
 * the last time is not compiled again: one process builds several bundles.
 */
export async function compileShippedRelease(directory: string): Promise<ShippedRelease> {
  const tree = await readSourceTree(directory);
  const text = JSON.stringify(tree);
  if (latest?.text !== text) latest = { text, shipped: compile(tree) };
  return latest.shipped;
}

export { readSourceTree };

function compile(tree: SourceTree): ShippedRelease {
  const release = compileRelease([tree]);
  const bytes = Buffer.from(JSON.stringify(release));
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_MAX_QUALITY } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const compressed = brotliCompressSync(bytes, { params }).toString("base64");
  return { compressed, digest: releaseDigest(release), treeDigest: treeDigest(tree) };
}
