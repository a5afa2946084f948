// The release that is compiled from the shipped templates when a function or the command line tool is bundled (scripts/build.ts) or tested
// (vitest.config.ts): there is no file behind this name.
declare module "outrigger:bundled-release" {
  import type { Release } from "@outrigger/injector";

  /** Reads it again with every call: a function that has a better one does without. */
  export function readRelease(): Release;
  /** What `releaseDigest` says of it. */
  export const digest: string;
  /** Of the texts that it is compiled from, as `treeDigest` of the publisher says it. */
  export const treeDigest: string;
}
