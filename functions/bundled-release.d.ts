// The release that is compiled from the shipped templates when a function or the command line tool is bundled (scripts/build.ts) or tested
// (vitest.config.ts): there is no file behind this name.
declare module "outrigger:bundled-release" {
  import type { Release } from "@outrigger/injector";

  /** Reads the file next to the bundle when it is first called: a function that has a better release does without. */
  export function readRelease(): Release;
  /** The digest of the release, as `releaseDigest` makes it. */
  export const digest: string;
  /** The digest of the texts that the release is compiled from, as `treeDigest` of the publisher makes it. */
  export const treeDigest: string;
}
