import type { ChannelRecord } from "@outrigger/publisher";
import { expect, it } from "vitest";
import { shareFirst } from "./share-first.ts";

const record: ChannelRecord = { release: "0123456789ab", pinned: false, change: 7, history: [] };
const place = { channel: "stable", channels: { stable: record }, layers: [{}] };
const rollout = { next: [25, 50, 100], alarms: [] };

it("sends edits to a channel of their own first, and its release to the share of what was looked at", () => {
  expect(shareFirst({ action: "publish", first: { share: 5, rollout }, unpin: true }, place)).toEqual({
    before: { action: "set-channel", channel: "canary", edits: true },
    after: {
      action: "promote",
      from: "canary",
      to: "stable",
      serving: "0123456789ab",
      change: 7,
      share: 5,
      rollout,
      unpin: true,
    },
  });
});

it.each([
  ["through several channels already", { ...place, channels: { stable: record, canary: record } }, "promote from one"],
  ["nowhere yet", { ...place, channels: {} }, "promote from one"],
  ["where the tree says", { ...place, layers: [{ config: "publishTo: stable" }] }, "publishTo in config says"],
])("is refused where edits go %s", (_where, at, why) => {
  expect(() => shareFirst({ action: "publish", first: { share: 5 } }, at)).toThrow(why);
});
