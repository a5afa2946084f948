import type { ChannelRecord } from "@outrigger/publisher";
import { expect, it } from "vitest";
import { type ChannelMove, releaseChanges } from "./release-changes.ts";

const [FIRST, SECOND, THIRD] = ["000000000001", "000000000002", "000000000003"] as const;

/** Moves that are made a minute apart, given from the earliest. */
function movesOf(...moves: readonly (readonly [ChannelMove["action"], string, object?])[]): readonly ChannelMove[] {
  return moves
    .map(([action, release, more], at) => {
      const time = `2026-01-01T00:${String(at).padStart(2, "0")}:00Z`;
      return { action, release, by: "ann", why: `${action} ${at}`, at: time, ...more } as ChannelMove;
    })
    .toReversed();
}

function record(history: readonly ChannelMove[], more: Partial<ChannelRecord> = {}): ChannelRecord {
  return { release: history[0]?.release, pinned: false, history, ...more } as ChannelRecord;
}

/** What is said of each release: `channel action share`, from the earliest step. */
function waysOf(histories: Readonly<Record<string, readonly ChannelMove[]>>) {
  const channels = Object.fromEntries(Object.entries(histories).map(([name, history]) => [name, record(history)]));
  return Object.fromEntries(
    releaseChanges(histories, channels).map(({ release, steps }) => [
      release,
      steps.map(({ channel, action, percent }) =>
        [channel, action, percent].filter((one) => one !== undefined).join(" "),
      ),
    ]),
  );
}

it("a change is told by the move that made it, with what was edited and what it replaced", () => {
  const canary = movesOf(["publish", FIRST], ["publish", SECOND, { edits: ["config@2"] }]);
  const stable = movesOf(["promote", FIRST], ["promote", FIRST], ["promote", SECOND]);
  const [latest, older] = releaseChanges({ canary, stable }, { canary: record(canary), stable: record(stable) });
  expect(latest).toMatchObject({
    release: SECOND,
    why: "publish 1",
    edits: ["config@2"],
    changed: { before: FIRST, after: SECOND },
    places: [
      { channel: "canary", percent: 100, isShare: false },
      { channel: "stable", percent: 100, isShare: false },
    ],
  });
  expect(older).toMatchObject({ release: FIRST, places: [] });
  expect(older).not.toHaveProperty("changed");
});

it("a share is a step of the release that it is of, and of a part of the workloads", () => {
  const stable = movesOf(["publish", FIRST], ["promote", FIRST, { share: { release: SECOND, percent: 5 } }]);
  const share = { release: SECOND, percent: 5 };
  const changes = releaseChanges({ stable }, { stable: record(stable, { share }) });
  expect(changes.map(({ release, places }) => [release, places[0]?.percent, places[0]?.isShare])).toEqual([
    [SECOND, 5, true],
    [FIRST, 95, false],
  ]);
  expect(changes[0]?.changed).toEqual({ before: FIRST, after: SECOND });
});

it.each([
  [
    "a share that is aborted",
    [
      ["publish", FIRST],
      ["promote", FIRST, { share: { release: SECOND, percent: 5 } }],
      ["abort", FIRST],
    ],
    { [FIRST]: ["stable publish"], [SECOND]: ["stable promote 5", "stable take-back"] },
  ],
  [
    "a share that a rollback ends",
    [
      ["publish", FIRST],
      ["promote", FIRST, { share: { release: SECOND, percent: 5 } }],
      ["rollback", FIRST],
    ],
    { [FIRST]: ["stable publish"], [SECOND]: ["stable promote 5", "stable take-back"] },
  ],
  [
    "a rollback",
    [
      ["publish", FIRST],
      ["publish", SECOND],
      ["rollback", FIRST],
    ],
    { [FIRST]: ["stable publish", "stable rollback"], [SECOND]: ["stable publish", "stable take-back"] },
  ],
  [
    "a pin, and a rollback after it",
    [
      ["publish", FIRST],
      ["publish", SECOND],
      ["pin", SECOND],
      ["rollback", FIRST],
    ],
    { [FIRST]: ["stable publish", "stable rollback"], [SECOND]: ["stable publish", "stable pin", "stable take-back"] },
  ],
  [
    "two rollbacks",
    [
      ["publish", FIRST],
      ["publish", SECOND],
      ["publish", THIRD],
      ["rollback", SECOND],
      ["rollback", FIRST],
    ],
    {
      [FIRST]: ["stable publish", "stable rollback"],
      [SECOND]: ["stable publish", "stable rollback", "stable take-back"],
      [THIRD]: ["stable publish", "stable take-back"],
    },
  ],
] as const)("steps after %s", (_, moves, ways) => {
  expect(waysOf({ stable: movesOf(...moves) })).toEqual(ways);
});
