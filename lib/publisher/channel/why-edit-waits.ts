// When an edit does not go out by itself: people win over the schedule. docs/channels.md, "Who wins", has the table.
import { OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import type { State } from "../records/read-state.ts";
import { readRelease } from "../release/release-parameters.ts";
import type { ChannelRecord } from "../request/publisher-request.ts";
import { readSourceParameters } from "../source/source-parameters.ts";
import { treeDigest } from "../source/tree-digest.ts";
import { editsChannel } from "./edits-channel.ts";
import { assertNotPinned } from "./move-checks.ts";
import { lastMove } from "./move-message.ts";

/**
 * Why an edit is not published to a channel by itself, in a sentence with the way out; undefined where it is.
 *
 * @param tree treeDigest of the source tree; left out: of any other than was passed over
 */
export function whyEditWaits(channel: string, record: ChannelRecord | undefined, tree?: string): string | undefined {
  if (record === undefined) return undefined;
  const { release, pinned, share, rollout, history } = record;
  if (pinned)
    return `${channel} is pinned to ${release}${lastMove(record)} and stays there; "outrigger unpin ${channel}" lets edits move it`;
  if (share !== undefined && rollout !== undefined) {
    return `${channel} stays at ${release}: an edit waits until the rollout of ${share.release} has ended ("outrigger rollout status ${channel}")`;
  }
  if (tree === undefined || history[0]?.passedOver !== tree) return undefined;
  return `${channel} stays at ${release}: the source tree was passed over by it${lastMove(record)}; "outrigger publish" publishes the tree`;
}

/** Why a channel takes no edit at all, in a sentence; undefined where it takes this release. */
export function whyApprovalKeeps(channel: string, record: ChannelRecord | undefined, next: string): string | undefined {
  if (record?.approval !== true || record.release === next) return undefined;
  return `${channel} stays at ${record.release}: it takes promotions that another person approves, and no edits; send edits to another channel ("outrigger channel edits canary"), and promote that one`;
}

/**
 * The source tree that a person passes over by moving the channel that edits go to: otherwise the schedule would take
 * it for an edit that nobody has published, and undo the move.
 *
 * @returns its treeDigest; undefined where the channel takes no edits, or the release was made of the tree
 */
export async function passedTree(
  channel: string,
  release: string,
  state: State,
  { store, layout, primary }: PublisherDependencies,
): Promise<string | undefined> {
  if (primary !== undefined || editsChannel(state) !== channel) return undefined;
  const { tree } = await readSourceParameters(store, layout);
  const digest = treeDigest(tree);
  const { origin } = await readRelease(store, layout, release);
  return origin?.tree === digest ? undefined : digest;
}

/**
 * Refuses what would drop a rollout: its alarms, and the shares that were to follow.
 *
 * @param what `publish to stable`
 * @param way what lets it pass
 * @throws OutriggerError `channel-moved`
 */
export function assertNotRolling(
  channel: string,
  record: ChannelRecord | undefined,
  { what, way }: { readonly what: string; readonly way: string },
): void {
  const { share, rollout } = record ?? {};
  if (record === undefined || share === undefined || rollout === undefined) return;
  const message = `Cannot ${what}: a rollout is under way, which serves ${share.release} to ${share.percent} %${lastMove(record)}; wait until it has ended, end it with "outrigger rollout promote ${channel}" or "abort", or ${way}`;
  throw new OutriggerError("channel-moved", message, { path: channel });
}

/**
 * Refuses to publish to a channel that is pinned, or has a rollout under way.
 *
 * @throws OutriggerError `channel-pinned` or `channel-moved`
 */
export function assertPublishable(channel: string, record: ChannelRecord | undefined, unpin: true | undefined): void {
  if (unpin !== true) assertNotPinned(channel, record);
  assertNotRolling(channel, record, { what: `publish to ${channel}`, way: "publish to another channel" });
}
