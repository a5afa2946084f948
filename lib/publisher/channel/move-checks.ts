// What a move of a channel is refused for, whatever kind of move it is.
import { entryOf, OutriggerError } from "@outrigger/base";
import { loadRelease } from "@outrigger/injector";
import type { PublisherDependencies } from "../dependencies.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import type { State } from "../records/read-state.ts";
import { readRelease, type StoredRelease } from "../release/release-object.ts";

/**
 * Refuses a move whose beginning no longer holds: another person or pipeline has moved the channel meanwhile. A channel
 * that serves the wanted release already is where the request wants it.
 *
 * @param serving what the requester saw: a release, or null for no channel; undefined for a requester that did not look
 */
export function assertServing(
  serving: string | null | undefined,
  wanted: string | undefined,
  channel: string,
  record: ChannelRecord | undefined,
): void {
  const current = record?.release ?? null;
  if (serving === undefined || current === serving || (wanted !== undefined && current === wanted)) return;
  const message = `Cannot move ${channel}: it serves ${current ?? "nothing"}${lastMove(record)}, and not ${serving ?? "nothing"} as when you asked; look at "outrigger channel ${channel}" and ask again`;
  throw new OutriggerError("channel-moved", message, { path: channel });
}

/**
 * Refuses what is about another change of the channel than its requester saw: a pin or a proposal that was made again is another one.
 *
 * @param seen the number of the change; undefined for a requester that did not look
 * @throws OutriggerError `channel-moved`
 */
export function assertUnchanged(seen: number | undefined, channel: string, { channels, numbers }: State): void {
  if (seen === undefined || seen === numbers[`channel/${channel}`]) return;
  const message = `Cannot move ${channel}: it was changed since you looked${lastMove(entryOf(channels, channel))}; look at "outrigger channel ${channel}" and ask again`;
  throw new OutriggerError("channel-moved", message, { path: channel });
}

/** Refuses to move a pinned channel by anything but a rollback, a pin, or a request that says so. */
export function assertNotPinned(channel: string, record: ChannelRecord | undefined): void {
  if (record?.pinned !== true) return;
  const message = `Cannot move ${channel}: it is pinned to ${record.release}${lastMove(record)}; run "outrigger pin ${channel} --off" first, or use --unpin`;
  throw new OutriggerError("channel-pinned", message, { path: channel });
}

/** A release is tried before it is served, because another version of Outrigger may have compiled it. */
export async function assertServable(digest: string, dependencies: PublisherDependencies): Promise<StoredRelease> {
  const stored = await readRelease(dependencies, digest);
  (dependencies.load ?? loadRelease)(stored.release);
  return stored;
}

/**
 * Says in a sentence, with the way out, why an edit is not published to a channel by itself; undefined where it is.
 *
 * @param tree treeDigest of the source tree; left out for any tree but the one that was passed over
 */
export function whyEditWaits(channel: string, record: ChannelRecord | undefined, tree?: string): string | undefined {
  if (record === undefined) return undefined;
  const { release, pinned, share, rollout, history } = record;
  if (pinned)
    return `${channel} is pinned to ${release}${lastMove(record)} and stays there; "outrigger pin ${channel} --off" lets edits move it`;
  if (share !== undefined && rollout !== undefined)
    return `${channel} stays at ${release}: an edit waits until the rollout of ${share.release} has ended ("outrigger rollout status ${channel}")`;
  if (tree === undefined || history[0]?.passedOver !== tree) return undefined;
  return `${channel} stays at ${release}: the source tree was passed over by it${lastMove(record)}; "outrigger publish" publishes the tree`;
}

/** Says in a sentence why a channel takes no edit at all; undefined where it takes this release. */
export function whyApprovalKeeps(channel: string, record: ChannelRecord | undefined, next: string): string | undefined {
  if (record?.approval !== true || record.release === next) return undefined;
  return `${channel} stays at ${record.release}: it takes promotions that another person approves, and no edits; send edits to another channel ("outrigger channel edits canary"), and promote that one`;
}

/**
 * Refuses what would drop a rollout: its alarms, and the shares that were to follow.
 *
 * @param what `publish to stable`
 * @param way what lets it pass
 * @throws OutriggerError `channel-moved`
 */
export function assertNotRolling(channel: string, record: ChannelRecord | undefined, what: string, way: string): void {
  const { share, rollout } = record ?? {};
  if (record === undefined || share === undefined || rollout === undefined) return;
  const message = `Cannot ${what}: a rollout is under way, which serves ${share.release} to ${share.percent} %${lastMove(record)}; wait until it has ended, end it with "outrigger rollout promote ${channel}" or "abort", or ${way}`;
  throw new OutriggerError("channel-moved", message, { path: channel });
}

/** ` (promote by ann, 2026-01-01T00:00:00Z: no complaints)`: who has moved a channel last; nothing for a new one. */
export function lastMove(record: Pick<ChannelRecord, "history"> | undefined): string {
  const last = record?.history[0];
  if (last === undefined) return "";
  return ` (${last.action} by ${last.by}, ${last.at}${last.why === "" ? "" : `: ${last.why}`})`;
}
