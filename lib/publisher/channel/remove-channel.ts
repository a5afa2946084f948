// Removing a channel.
import { OutriggerError } from "@outrigger/base";
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { entryOf } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import type { PublisherRequest } from "../request/publisher-request.ts";
import { editsChannel } from "./edits-channel.ts";
import { assertServing } from "./move-checks.ts";

/** Removes a channel that no cluster is served from. A channel that does not exist is no error. */
export function removeChannel(
  { channel, serving, dryRun = false }: PublisherRequest & { readonly action: "remove-channel" },
  state: State,
  { layout }: PublisherDependencies,
): Decision {
  const record = entryOf(state.channels, channel);
  const isThere = record !== undefined || state.unreadable.channels.includes(channel);
  if (record !== undefined) assertServing(serving, undefined, channel, record);
  const users = Object.entries(state.clusters).filter(([, { revisions }]) =>
    Object.values(revisions).includes(channel),
  );
  if (users.length > 0 || state.unreadable.clusters.length > 0) {
    const names = [...users.map(([name]) => name), ...state.unreadable.clusters].slice(0, 5).join(", ");
    throw new OutriggerError(
      "channel-unknown",
      `Cannot remove channel ${channel}: clusters are served from it (${names}); give them another with "outrigger clusters set"`,
      { path: layout.channel(channel) },
    );
  }
  if (record !== undefined && editsChannel(state) === channel) {
    const message = `Cannot remove channel ${channel}: edits go to it; send them to another with "outrigger channel edits NAME" first`;
    throw new OutriggerError("channel-unknown", message, { path: layout.channel(channel) });
  }
  if (!isThere) return { message: `There is no channel ${channel}`, channel };
  const message = `${channel} ${dryRun ? "would be" : "is"} removed`;
  return { change: { kind: "channel", name: channel, record: null }, message, channel };
}
