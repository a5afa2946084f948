import { fitsParameter, recordText } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import {
  type ChannelMove,
  type ChannelRecord,
  parseChannelRecord,
  releaseBefore,
  withMove,
  withSettings,
} from "./channel-record.ts";

const [A, B, C] = ["a", "b", "c"].map((letter) => letter.repeat(12)) as [string, string, string];

function move(action: ChannelMove["action"], release: string, more: Partial<ChannelMove> = {}): ChannelMove {
  return { action, release, by: "ann", why: "", at: "2026-01-02T03:04:05.000Z", ...more };
}

function recordOf(...moves: readonly ChannelMove[]): ChannelRecord {
  return { release: (moves.at(-1) as ChannelMove).release, pinned: false, history: [...moves].reverse() };
}

describe("releaseBefore()", () => {
  it.each<[string, readonly ChannelMove[], string | undefined]>([
    ["A, B", [move("publish", A), move("publish", B)], A],
    [
      "A, B, C, back to B",
      [
        ...["publish", "publish", "publish"].map((action, index) =>
          move(action as "publish", [A, B, C][index] as string),
        ),
        move("rollback", B),
      ],
      A,
    ],
    ["A, B, back to A, C", [move("publish", A), move("publish", B), move("rollback", A), move("publish", C)], A],
    ["A", [move("publish", A)], undefined],
    ["A, A again", [move("publish", A), move("unpin", A)], undefined],
    ["A, B, A again", [move("publish", A), move("publish", B), move("publish", A)], B],
    ["back to one that is forgotten", [move("publish", B), move("rollback", A)], B],
    [
      "A, B, pinned to A, unpinned",
      [move("publish", A), move("publish", B), move("pin", A), move("unpin", A)],
      undefined,
    ],
  ])("follows its table when the history is %s", (_what, moves, before) => {
    expect(releaseBefore(recordOf(...moves))).toBe(before);
  });
});

describe("withMove()", () => {
  it("keeps twenty moves, the newest first, and fewer where they do not fit", () => {
    let short: ChannelRecord | undefined;
    let long: ChannelRecord | undefined;
    for (let count = 0; count < 30; count++) {
      short = withMove(short, move("publish", A, { why: `${count}` }), false, "Advanced");
      long = withMove(long, move("publish", A, { why: `${count} ${"ü{}".repeat(150)}` }), false, "Standard");
    }
    expect(short?.history.map(({ why }) => why)).toEqual(Array.from({ length: 20 }, (_, index) => `${29 - index}`));
    expect(long?.history.length).toBeLessThan(10);
    expect(long?.history.length).toBeGreaterThan(0);
    expect(long?.history[0]?.why).toMatch(/^29 /);
    expect(fitsParameter(recordText(long as ChannelRecord), "Standard")).toBe(true);
  });

  it("makes place for settings too, and keeps the last move whatever they are", () => {
    let full: ChannelRecord | undefined;
    for (let count = 0; count < 30; count++) {
      full = withMove(full, move("publish", A, { why: `${count} ${"ü".repeat(100)}` }), false, "Standard");
    }
    const before = full as ChannelRecord;
    const editsSince = (length: number) => ({ editsSince: "e".repeat(length) });
    const more = withSettings(before, editsSince(800), "Standard");
    expect(more).toMatchObject(editsSince(800));
    expect(more.history).toEqual(before.history.slice(0, more.history.length));
    expect(more.history.length).toBeLessThan(before.history.length);
    expect(more.history.length).toBeGreaterThan(1);
    expect(fitsParameter(recordText(more), "Standard")).toBe(true);
    expect(withSettings(before, editsSince(10_000), "Standard").history).toEqual(before.history.slice(0, 1));
    expect(withSettings(before, {}, "Standard").history).toEqual(before.history);
  });

  it("leaves the edits out when even one move does not fit", () => {
    const edits = Array.from({ length: 13 }, (_, index) => `templates/${"x".repeat(125)}${index}@1`);
    const record = withMove(undefined, move("publish", A, { edits, why: "{".repeat(500) }), false, "Standard");
    expect(record.history).toEqual([move("publish", A, { why: "{".repeat(500) })]);
    expect(fitsParameter(recordText(record), "Standard")).toBe(true);
  });
});

describe("parseChannelRecord()", () => {
  it("reads what was written", () => {
    const record = recordOf(move("publish", A, { edits: ["mesh@1"], tree: "t" }), move("rollback", B));
    expect(parseChannelRecord(JSON.parse(recordText(record)), "place")).toEqual(record);
  });

  it.each([
    [null, "it names no release"],
    [{ release: "../../x", pinned: false, history: [] }, "it names no release"],
    [{ release: A, pinned: "no", history: [] }, "pinned must be true or false"],
    [{ release: A, pinned: false, history: [{}] }, "its history is none"],
    [{ release: A, pinned: false, history: [{ ...move("publish", A), action: "burn" }] }, "its history is none"],
  ])("refuses %j and names the place", (value, why) => {
    expect(() => parseChannelRecord(value as never, "/outrigger/dev/channels/x")).toThrow(
      `Cannot read /outrigger/dev/channels/x: ${why}`,
    );
  });
});
