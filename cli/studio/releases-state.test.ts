import type { ChannelRecord } from "@outrigger/publisher";
import { expect, it } from "vitest";
import { channelState, flowOf, withChannels } from "./releases-state.ts";

const [FIRST, SECOND, THIRD] = ["000000000001", "000000000002", "000000000003"];

function move(action: "publish" | "promote" | "rollback" | "pin", release: string, more: object = {}) {
  return { action, release, by: "ann", why: `${action} ${release.slice(-1)}`, at: "2026-01-01T00:00:00Z", ...more };
}

it("flowOf() goes from the channel that edits go to, to the one that most are served from", () => {
  expect(flowOf(["canary", "stable"], "canary")).toEqual(["canary", "stable"]);
  expect(flowOf(["stable", "b", "a", "edge"], "edge")).toEqual(["edge", "a", "b", "stable"]);
  expect(flowOf(["canary", "stable"], "stable")).toEqual(["canary", "stable"]);
});

it("channelState() says what each move changed, and what a rollback goes to, with its reason", () => {
  const share = { release: THIRD, percent: 5 };
  const history = [
    move("pin", SECOND),
    move("promote", SECOND, { share }),
    move("publish", SECOND),
    move("publish", FIRST),
  ];
  const record = { release: SECOND, pinned: true, history } as ChannelRecord;
  const state = channelState("stable", record, { stable: record });
  expect(state.history.map(({ changed }) => changed)).toEqual([
    undefined,
    { before: SECOND, after: THIRD },
    { before: FIRST, after: SECOND },
    undefined,
  ]);
  expect(state.back).toEqual({ release: FIRST, why: "publish 1", by: "ann", at: "2026-01-01T00:00:00Z" });
});

it("withChannels() names the channel that serves what pods have, to all or to a share", () => {
  const stable = {
    release: FIRST,
    share: { release: SECOND, percent: 5 },
    pinned: false,
    history: [],
  } as ChannelRecord;
  const counted = { cluster: "shop", at: "", pods: 6, states: {}, outdatedWorkloads: 0, outdated: [] };
  const releases = { [FIRST]: 3, [SECOND]: 2, [THIRD]: 1 };
  expect(withChannels({ ...counted, releases }, { stable }).releases).toEqual([
    { release: FIRST, pods: 3, channel: "stable" },
    { release: SECOND, pods: 2, channel: "stable" },
    { release: THIRD, pods: 1 },
  ]);
});
