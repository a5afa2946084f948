// The record of a channel that a request names.
import { entryOf, OutriggerError } from "@outrigger/base";
import type { ChannelRecord } from "./channel-record.ts";
import type { State } from "./read-state.ts";

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
  const message = `Cannot use channel ${channel}: ${broken}; channels are ${known}`;
  return new OutriggerError("channel-unknown", message, { path: channel });
}
