import type { ChannelRecord } from "@outrigger/publisher";
import { expect, it } from "vitest";
import { channelState, flowOf } from "./releases-state.ts";

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
  const state = channelState("stable", { stable: record });
  expect(state.history.map(({ changed }) => changed)).toEqual([
    undefined,
    { before: SECOND, after: THIRD },
    { before: FIRST, after: SECOND },
    undefined,
  ]);
  expect(state.back).toEqual({ release: FIRST, why: "publish 1", by: "ann", at: "2026-01-01T00:00:00Z" });
});
