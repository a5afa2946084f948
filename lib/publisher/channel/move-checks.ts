// What a move of a channel is refused for, whatever kind of move it is.
import { OutriggerError } from "@outrigger/base";
import { loadRelease } from "@outrigger/injector";
import type { PublisherDependencies } from "../dependencies.ts";
import { entryOf } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import { readRelease } from "../release/release-parameters.ts";
import type { ChannelRecord } from "../request/publisher-request.ts";
import { lastMove } from "./move-message.ts";

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
  const who = record === undefined ? "" : lastMove(record);
  const message = `Cannot move ${channel}: it serves ${current ?? "nothing"}${who}, and not ${serving ?? "nothing"} as when you asked; look at "outrigger channel ${channel}" and ask again`;
  throw new OutriggerError("channel-moved", message, { path: channel });
}

/** Refuses to move a pinned channel by anything but a rollback, a pin, or a request that says so. */
export function assertNotPinned(channel: string, record: ChannelRecord | undefined): void {
  if (record?.pinned !== true) return;
  const message = `Cannot move ${channel}: it is pinned to ${record.release}${lastMove(record)}; run "outrigger unpin ${channel}" first, or use --unpin`;
  throw new OutriggerError("channel-pinned", message, { path: channel });
}

/** @throws OutriggerError `channel-unknown` */
export function recordOf(channel: string, state: State): ChannelRecord {
  const record = entryOf(state.channels, channel);
  if (record === undefined) throw unknownChannel(channel, state);
  return record;
}

/** The error for a channel that does not exist, with those that do. */
export function unknownChannel(channel: string, { channels, unreadable }: State): OutriggerError {
  const known = Object.keys(channels).join(", ") || "none yet: publish first";
  const broken = unreadable.channels.includes(channel) ? "its record cannot be read" : "there is none of that name";
  return new OutriggerError("channel-unknown", `Cannot use channel ${channel}: ${broken}; channels are ${known}`, {
    path: channel,
  });
}

/** A release is tried before it is served, because another version of Outrigger may have compiled it. */
export async function assertServable(digest: string, dependencies: PublisherDependencies): Promise<void> {
  const { release } = await readRelease(dependencies.store, dependencies.layout, digest);
  (dependencies.load ?? loadRelease)(release);
}
