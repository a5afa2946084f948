import { describe, expect, it } from "vitest";
import type { ChannelRecord } from "../request/publisher-request.ts";
import { endMessage, lastMove, moveMessage, pinMessage, shareMessage } from "./move-checks.ts";

const record = (more: Partial<ChannelRecord> = {}): ChannelRecord =>
  ({ release: "old", history: [], ...more }) as ChannelRecord;

describe("moveMessage()", () => {
  it.each<[before: ChannelRecord | undefined, dryRun: boolean, message: string]>([
    [record({ release: "new" }), false, "stable serves new, as before"],
    [record({ release: "new" }), true, "stable serves new, as before"],
    [record(), false, "stable serves new now (old before)"],
    [record(), true, "stable would serve new (old before)"],
    [undefined, false, "stable serves new now (a new channel)"],
    [undefined, true, "stable would serve new (a new channel)"],
  ])("%# is what the channel serves, and what before", (before, dryRun, message) => {
    expect(moveMessage("stable", before, "new", dryRun)).toBe(message);
  });
});

describe("endMessage()", () => {
  it("says what is taken back", () => {
    const share = { release: "new", percent: 5 };
    expect(endMessage("stable", record({ share }), false)).toBe(
      "stable serves old to all workloads; new is taken back from 5 %",
    );
    expect(endMessage("stable", record(), true)).toBe("stable would serve old to all workloads");
  });
});

describe("shareMessage()", () => {
  it.each([
    [5, false, "stable serves new to 5 % of the workloads, and old to the others"],
    [5, true, "stable would serve new to 5 % of the workloads, and old to the others"],
    [100, false, "stable serves new to all workloads, and can still go back to old by itself"],
  ])("at %d %", (percent, dryRun, message) => {
    expect(shareMessage("stable", "old", { release: "new", percent }, dryRun)).toBe(message);
  });
});

describe("pinMessage()", () => {
  it.each([
    [undefined, true, ", pinned"],
    [true, true, ", pinned"],
    [true, false, ", not pinned any more"],
    [undefined, false, ""],
  ])("where the channel was pinned: %s, and is: %s", (before, pinned, message) => {
    expect(pinMessage(record(before === undefined ? {} : { pinned: before }), pinned)).toBe(message);
  });
});

describe("lastMove()", () => {
  const move = { action: "promote", by: "ann", at: "2026-01-01T00:00:00Z", why: "" };

  it.each([
    [[], ""],
    [[move], " (promote by ann, 2026-01-01T00:00:00Z)"],
    [[{ ...move, why: "no complaints" }, move], " (promote by ann, 2026-01-01T00:00:00Z: no complaints)"],
  ])("names who moved the channel, when and why", (history, message) => {
    expect(lastMove(record({ history } as never))).toBe(message);
  });
});
