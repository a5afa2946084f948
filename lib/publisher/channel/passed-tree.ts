// Which source tree a move of a channel passes over.
import type { PublisherDependencies } from "../dependencies.ts";
import type { State } from "../records/read-state.ts";
import type { ReleaseOrigin } from "../release/release-object.ts";
import { treeDigest } from "../source/push-manifest.ts";
import { readSourceParameters } from "../source/source-parameters.ts";
import { editsChannel } from "./edits-channel.ts";

/**
 * The source tree that a person passes over by moving the channel that edits go to: otherwise the schedule would take
 * it for an edit that nobody has published, and undo the move.
 *
 * @param origin how the release was made that the channel is moved to
 * @returns its treeDigest; undefined where the channel takes no edits, or the release was made of the tree
 */
export async function passedTree(
  channel: string,
  origin: ReleaseOrigin | undefined,
  state: State,
  dependencies: PublisherDependencies,
) {
  if (dependencies.primary !== undefined || editsChannel(state) !== channel) return undefined;
  const { tree } = await readSourceParameters(dependencies.store, dependencies.layout);
  const digest = treeDigest(tree);
  return origin?.tree === digest ? undefined : digest;
}
