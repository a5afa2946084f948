// The shipped source tree, read from disk and compiled: what every bundle carries. Used by the build scripts only.
import { compileRelease } from "../../lib/release/compile-release.ts";
import { readSourceTree } from "../../lib/store/directory-store.ts";
import { releaseDigest } from "../../lib/store/release-digest.ts";

/** The release that the tree in `directory` gives, with no other layer over it, and its digest. */
export async function compileShippedRelease(directory: string) {
  const release = compileRelease([await readSourceTree(directory)]);
  return { release, digest: releaseDigest(release) };
}
