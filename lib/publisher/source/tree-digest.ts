// The name of a source tree: what a push announces and a publish asks for.
import { createHash } from "node:crypto";
import type { SourceTree } from "@outrigger/injector";

/**
 * The first 32 hexadecimal digits of the SHA-256 of the tree's texts by path, as they are in files. The manifest does not
 * count: it holds this digest.
 *
 * @example
 * ```ts
 * treeDigest({ mesh: "a" }).length // => 32
 * treeDigest({ mesh: "a" }) === treeDigest({ mesh: "a", manifest: "x" }) // => true
 * ```
 */
export function treeDigest(tree: SourceTree): string {
  const entries = Object.entries(tree).filter(([path]) => path !== "manifest");
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 32);
}
