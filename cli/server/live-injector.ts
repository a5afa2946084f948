// The release that a local server serves: loads it, loads it again when its files change, and keeps the last good
// one when they are wrong.
import { type InjectRequest, injectPod, loadRelease } from "@outrigger/injector";
import { readSourceTree, watchDirectories } from "@outrigger/publisher";
import { type FindService, fixedService, releaseDigest } from "@outrigger/serving";
import { describeError } from "../terminal/describe-error.ts";
import { compileTree } from "../tree/compile-tree.ts";

/**
 * Loads a source tree and keeps up with it.
 *
 * @param directories the layers of the tree, the lowest first
 * @param report takes a line for every change of release, for its warnings and for every edit that is wrong
 * @throws OutriggerError when there is nothing good to begin with
 */
export async function serveTree(directories: readonly string[], report: (line: string) => void) {
  // Watching starts before the first load: an edit made meanwhile is not missed.
  let onChange = async () => {};
  const watch = watchDirectories(directories, () => onChange());
  try {
    let current = await loadInjector(directories);
    for (const warning of current.warnings) report(`Warning: ${warning}`);
    let isBad = false;
    onChange = async () => {
      try {
        const next = await loadInjector(directories);
        if (isBad || next.release !== current.release) {
          for (const warning of next.warnings) report(`Warning: ${warning}`);
          report(`Serving release ${next.release} from now on`);
        }
        current = next;
        isBad = false;
      } catch (error) {
        isBad = true;
        report(`${describeError(error)}\nStill serving release ${current.release}`);
      }
    };
    const find: FindService = (call) => fixedService(current)(call);
    return { find, release: current.release, close: watch.close };
  } catch (error) {
    watch.close();
    throw error;
  }
}

/** Reads, compiles and loads; whatever is wrong in a tree is thrown as an OutriggerError that says where. */
export async function loadInjector(directories: readonly string[]) {
  const release = await compileTree(await Promise.all(directories.map((directory) => readSourceTree(directory))));
  const injector = loadRelease(release);
  const inject = (request: InjectRequest) => injectPod(injector, request);
  return { inject, release: releaseDigest(release), warnings: release.warnings };
}
