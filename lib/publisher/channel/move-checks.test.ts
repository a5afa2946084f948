import { describe, expect, it } from "vitest";
import type { ChannelRecord } from "../records/channel-record.ts";
import { lastMove } from "./move-checks.ts";

const record = (more: Partial<ChannelRecord> = {}): ChannelRecord =>
  ({ release: "old", history: [], ...more }) as ChannelRecord;

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
