import type { ChannelRecord } from "@outrigger/publisher";
import { expect, it } from "vitest";
import { channelState, flowOf } from "./releases-state.ts";

const [FIRST, SECOND, THIRD] = ["000000000001", "000000000002", "000000000003"];

function move(action: ChannelRecord["history"][number]["action"], release: string, more: object = {}) {
  return { action, release, by: "ann", why: `${action} ${release.slice(-1)}`, at: "2026-01-01T00:00:00Z", ...more };
}

it("flowOf() goes from the channel that edits go to, to the one that most are served from", () => {
  const none = (...names: string[]) => Object.fromEntries(names.map((name) => [name, {}]));
  expect(flowOf(none("canary", "stable"), "canary")).toEqual(["canary", "stable"]);
  expect(flowOf(none("stable", "b", "a", "edge"), "edge")).toEqual(["edge", "a", "b", "stable"]);
  expect(flowOf(none("canary", "stable"), "stable")).toEqual(["canary", "stable"]);
  const behind = (channel: string) => ({ follows: { channel, after: 60, pods: 0, alarms: [] } });
  const rings = { ...none("stable", "canary"), "a-last": behind("z-first"), "z-first": behind("stable") };
  expect(flowOf(rings, "canary")).toEqual(["canary", "stable", "z-first", "a-last"]);
});

it("channelState() says what a rollback goes to, with its reason", () => {
  const history = [move("pin", SECOND), move("publish", SECOND), move("publish", FIRST)];
  const { back } = channelState("stable", { stable: { release: SECOND, pinned: true, history } as ChannelRecord });
  expect(back).toEqual({ release: FIRST, why: "publish 1", by: "ann", at: "2026-01-01T00:00:00Z" });
});

const shared = { share: { release: THIRD, percent: 5 } };

it.each<[string, readonly ReturnType<typeof move>[], string | undefined, boolean]>([
  ["a rollback", [move("rollback", FIRST), move("publish", SECOND), move("publish", FIRST)], SECOND, true],
  ["a rollback and a pin", [move("pin", FIRST), move("rollback", FIRST), move("publish", SECOND)], SECOND, true],
  [
    "a share that was taken back",
    [move("abort", SECOND), move("pin", SECOND), move("promote", SECOND, shared)],
    THIRD,
    true,
  ],
  [
    "two rollbacks",
    [move("rollback", FIRST), move("rollback", SECOND), move("promote", THIRD), move("publish", SECOND)],
    SECOND,
    true,
  ],
  ["a promotion", [move("promote", SECOND), move("publish", FIRST)], FIRST, false],
  [
    "a promotion after a rollback",
    [move("promote", THIRD), move("rollback", FIRST), move("publish", SECOND)],
    FIRST,
    false,
  ],
  ["the first publication", [move("publish", FIRST)], undefined, false],
])("channelState() names the release that pods still have after %s", (_, history, release, isTakenBack) => {
  const record = { release: history[0]?.release, pinned: false, history } as ChannelRecord;
  const { left } = channelState("stable", { stable: record });
  expect(left?.release).toBe(release);
  expect(left?.isTakenBack ?? false).toBe(isTakenBack);
});

it("channelState() leaves nothing while a share goes on, and says whether the next channel has taken its release back", () => {
  const share = { release: THIRD, percent: 5 };
  const rolling = {
    release: SECOND,
    pinned: false,
    share,
    history: [move("promote", SECOND, { share }), move("publish", FIRST)],
  };
  const back = { release: SECOND, pinned: false, history: [move("abort", SECOND), ...rolling.history] };
  const canary = (release: string) =>
    ({ release, pinned: false, history: [move("publish", release)] }) as ChannelRecord;
  const state = (stable: object, release: string) =>
    channelState("canary", { canary: canary(release), stable: stable as ChannelRecord }, "stable");
  expect(channelState("stable", { stable: rolling as ChannelRecord }).left).toBeUndefined();
  expect(state(back, THIRD)).toMatchObject({ isAhead: true, isTakenBack: true });
  expect(state(back, FIRST).isTakenBack).toBeUndefined();
  expect(state({ ...back, history: [move("promote", FIRST), ...back.history] }, THIRD).isTakenBack).toBeUndefined();
});
