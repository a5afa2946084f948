// The settings of a channel that a person may change: whether promotions to it need approval.
import { jsonEqual } from "@outrigger/base";
import type { Decision } from "../commit/decision.ts";
import type { ChannelSettings } from "../records/channel-settings.ts";
import { entryOf } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import type { PublisherRequest } from "../request/publisher-request.ts";
import { unknownChannel } from "./move-checks.ts";

/** @throws OutriggerError `channel-unknown` */
export function setChannel(
  { channel, approval }: PublisherRequest & { readonly action: "set-channel" },
  state: State,
): Decision {
  const record = entryOf(state.channels, channel);
  if (record === undefined) throw unknownChannel(channel, state);
  const settings: ChannelSettings = approval ? { approval: true } : {};
  const isNew = !jsonEqual({ approval: record.approval ?? false }, { approval });
  const message = approval
    ? `${channel} takes promotions that another person approves`
    : `${channel} takes promotions without approval`;
  return {
    change: isNew ? { kind: "channel", name: channel, settings } : { kind: "none" },
    message: isNew ? message : `${message}, as before`,
    channel,
  };
}
