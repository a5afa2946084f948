// The shipped source tree, read from disk and compiled: what every bundle carries. Used by the build scripts only.
import { compileRelease } from "../../lib/release/compile-release.ts";
import { readSourceTree } from "../../lib/store/directory-store.ts";

/** The release that the tree in `directory` gives, with no other layer over it. */
export async function compileShippedRelease(directory: string) {
  return compileRelease([await readSourceTree(directory)]);
}
