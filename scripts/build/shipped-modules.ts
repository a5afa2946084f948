// The shipped source tree, read from disk and compiled, as the text of the modules that bundles carry. Used by bundled-release.ts only.
import { once } from "@outrigger/base";
import { compileRelease, type Release, type SourceTree } from "@outrigger/injector";
import { readSourceTree, treeDigest } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";

/** Returns the text of each module, for the tree in `directory` with no other layer over it. Each is made once. */
export function shippedModules(directory: string): Readonly<Record<string, () => Promise<string>>> {
  const tree = once(() => readSourceTree(directory));
  const release = once(async () => compileRelease([await tree()]));
  return {
    /** The module that code imports to get the release in the artifact. */
    "outrigger:bundled-release": once(async () => releaseModule(await tree(), await release())),
    /** The release itself, a file next to the bundle. */
    "outrigger:release.json": once(async () => JSON.stringify(await release())),
    /** The module that code imports to get the shipped source tree. Publishing lays every other tree over it. */
    "outrigger:shipped-tree": once(async () => `export const tree = ${JSON.stringify(await tree())};\n`),
  };
}

/** Digests are taken here, not in every cold start. */
function releaseModule(tree: SourceTree, release: Release): string {
  return `export const digest = ${JSON.stringify(releaseDigest(release))};
export const treeDigest = ${JSON.stringify(treeDigest(tree))};
export function readRelease() {
  return require("outrigger:release.json");
}
`;
}
