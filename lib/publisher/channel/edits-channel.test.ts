import { describe, expect, it } from "vitest";
import type { ChannelRecord } from "../records/channel-record.ts";
import { editsChannel } from "./edits-channel.ts";

const since = (editsSince?: string): ChannelRecord => ({
  release: "a",
  pinned: false,
  history: [],
  ...(editsSince !== undefined && { editsSince }),
});
const [EARLY, LATE] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];

describe("editsChannel()", () => {
  it.each([
    ["nothing was published", {}, undefined, [], undefined],
    ["no record names it", { stable: since() }, "stable", [], undefined],
    ["one does", { stable: since(), canary: since(EARLY) }, "canary", [], "canary"],
    ["two do, the first later", { canary: since(LATE), stable: since(EARLY) }, "canary", [], "canary"],
    ["two do, the second later", { canary: since(EARLY), stable: since(LATE) }, "canary", [], "stable"],
    ["the served one cannot be read", { canary: since(EARLY) }, "other", ["other"], "other"],
    ["another cannot be read", { canary: since(EARLY) }, "canary", ["other"], "canary"],
    ["stable cannot be read, and none is served", { canary: since(EARLY) }, undefined, ["stable"], "stable"],
  ])("is the latest that was named when %s", (_when, channels, edits, unreadable, expected) => {
    const records = { channels, unreadable: { channels: unreadable, clusters: [] } };
    expect(editsChannel({ ...records, snapshot: { channels: {}, ...(edits !== undefined && { edits }) } })).toBe(
      expected,
    );
    if (edits === undefined) expect(editsChannel({ ...records, snapshot: undefined })).toBe(expected);
  });
});
