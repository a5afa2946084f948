import { describe, expect, it } from "vitest";
import type { ChannelMove, ChannelRecord } from "../records/channel-record.ts";
import type { Following } from "./following.ts";
import { dueRelease, judgeDue, type RingEvidence } from "./judge-ring.ts";
import type { ReleaseCounts } from "./signals.ts";

const [A, B] = ["a".repeat(12), "b".repeat(12)] as [string, string];
const FOLLOWS: Following = { channel: "ring-1", after: 3600, pods: 10, alarms: [] };
const BEGUN = Date.parse("2026-01-02T00:00:00Z");
const HOUR = 3_600_000;

const at = (hours: number) => new Date(BEGUN + hours * HOUR).toISOString();
const move = (action: ChannelMove["action"], release: string, hours: number, more: Partial<ChannelMove> = {}) =>
  ({ action, release, by: "ann", why: "", at: at(hours), ...more }) as const;
/** A channel with these moves, the oldest first. */
const record = (moves: readonly ChannelMove[], more: Partial<ChannelRecord> = {}): ChannelRecord => {
  const last = moves.at(-1) as ChannelMove;
  const share = last.share === undefined ? {} : { share: last.share };
  return { release: last.release, pinned: false, history: [...moves].reverse(), ...share, ...more };
};
const ring = (moves = [move("promote", A, -10)], more: Partial<ChannelRecord> = {}) => ({
  ...record(moves, more),
  follows: FOLLOWS,
});
const leader = (more: Partial<ChannelRecord> = {}) => record([move("publish", A, -20), move("publish", B, 0)], more);
const look = (of: ReturnType<typeof ring>, led: ChannelRecord | undefined, hours = 2) =>
  dueRelease(of, led, BEGUN + hours * HOUR);

describe("dueRelease()", () => {
  it("is the release that the channel has served to all for long enough, since it does", () => {
    expect(look(ring(), leader())).toEqual({ release: B, since: BEGUN });
    expect(look(ring(), leader(), 1)).toEqual({ release: B, since: BEGUN });
  });

  it("counts from the move that served it to all, whatever was said of it afterwards", () => {
    const share = { release: B, percent: 5 };
    const moves = [
      move("publish", A, -9),
      move("promote", A, -5, { share }),
      move("promote", B, 0),
      move("unpin", B, 1),
    ];
    expect(look(ring(), record(moves))).toEqual({ release: B, since: BEGUN });
    // As often as it was served before: that was another time.
    const again = [move("publish", B, -9), move("publish", A, -5), move("publish", B, 0)];
    expect(look(ring(), record(again))).toEqual({ release: B, since: BEGUN });
  });

  it.each<[string, ReturnType<typeof ring>, ChannelRecord | undefined, number, string]>([
    ["the channel is not there", ring(), undefined, 2, "there is no channel ring-1, or its record cannot be read"],
    ["it is pinned", ring(), leader({ pinned: true }), 2, `ring-1 is pinned to ${B}`],
    [
      "it serves a share",
      ring(),
      leader({ share: { release: A, percent: 100 } }),
      2,
      `ring-1 serves ${A} to 100 % of its workloads, and not to all`,
    ],
    ["the ring serves the same", ring([move("promote", B, 0)]), leader(), 2, "it serves what ring-1 serves"],
    ["a second is missing", ring(), leader(), 1 - 1 / 3600, `ring-1 serves ${B} for 1s more`],
    ["the ring is pinned", ring(undefined, { pinned: true }), leader(), 2, `it is pinned to ${A}`],
    [
      "the ring serves a share of it",
      ring([move("promote", A, 0, { share: { release: B, percent: 5 } })]),
      leader(),
      2,
      `it serves ${B} to 5 % of its workloads, and not to all`,
    ],
    [
      "the time of the release cannot be read",
      ring(),
      record([move("publish", B, 0, { at: "x" })]),
      2,
      `since when ring-1 serves ${B} cannot be read`,
    ],
  ])("waits where %s", (_what, of, led, hours, why) => {
    const verdict = look(of, led, hours);
    expect(verdict).toMatchObject({ kind: "wait" });
    expect(verdict).toMatchObject({ why });
  });

  it.each<[string, readonly ChannelMove[]]>([
    ["a share was taken back", [move("promote", A, 0, { share: { release: B, percent: 5 } }), move("abort", A, 1)]],
    ["a person rolled back", [move("promote", B, 0), move("rollback", A, 1), move("unpin", A, 1)]],
    ["a person pinned another", [move("promote", B, 0), move("pin", A, 1), move("unpin", A, 1)]],
  ])("leaves to a person what the ring has taken back: %s", (_what, moves) => {
    const verdict = look(ring([move("promote", A, -10), ...moves]), leader());
    const why = `it has taken ${B} back: outrigger promote ring-1 serves it all the same`;
    expect(verdict).toEqual({ kind: "wait", why });
  });

  it("takes a release again that was followed by another one, as when an edit is undone by an edit", () => {
    const moves = [move("promote", B, -10), move("promote", A, -5)];
    expect(look(ring(moves), leader())).toMatchObject({ release: B });
  });

  it("waits for the person who has to approve it, for as long as that may be approved", () => {
    const proposal = { from: "ring-1", release: B, serving: A, by: "the ring", why: "", at: at(1) };
    expect(look(ring(undefined, { proposal }), leader(), 3)).toEqual({
      ...{ kind: "wait", why: `another person has to approve ${B}`, stuck: 7200 },
    });
    expect(look(ring(undefined, { proposal }), leader(), 26)).toMatchObject({ release: B });
    expect(look(ring(undefined, { proposal: { ...proposal, release: A } }), leader())).toMatchObject({ release: B });
  });
});

const NONE: ReleaseCounts = { injected: 0, denied: 0, failed: 0, regressed: 0, late: 0, calledIn: [], lateIn: [] };
const DUE = { release: B, since: BEGUN };

describe("judgeDue()", () => {
  const judge = (evidence: Partial<RingEvidence>, follows: Partial<Following> = {}) => {
    const now = BEGUN + 2 * HOUR;
    const counts = [
      { ...NONE, injected: 1000 },
      { ...NONE, injected: 1000 },
    ] as const;
    return judgeDue({ ...FOLLOWS, ...follows }, DUE, { states: {}, counts, now, ...evidence });
  };
  const counted = (due: Partial<ReleaseCounts>, own: Partial<ReleaseCounts> = {}) =>
    judge({
      counts: [
        { ...NONE, injected: 1000, ...due },
        { ...NONE, injected: 1000, ...own },
      ],
    });

  it("promotes what is well, to the share that the ring begins with, and says what it was judged by", () => {
    expect(judge({})).toEqual({ kind: "advance", percent: 100, why: "ring-1 has served it for 2h, to 1000 pods" });
    expect(judge({}, { share: 5 })).toMatchObject({ kind: "advance", percent: 5 });
    // Where nothing counts, as on a laptop, nothing is judged.
    expect(judge({ counts: [] })).toEqual({ kind: "advance", percent: 100, why: "ring-1 has served it for 2h" });
  });

  it.each<[string, Partial<RingEvidence>, string]>([
    ["cannot be read", { states: undefined }, "its alarms cannot be read"],
    ["are not there", { states: {} }, "there is no alarm errors"],
    ["are up", { states: { errors: "ALARM" } }, "alarm errors is up"],
    ["have no data", { states: { errors: "INSUFFICIENT_DATA" } }, "alarm errors has no data"],
  ])("is stuck where alarms %s", (_what, evidence, why) => {
    expect(judge(evidence, { alarms: ["errors"] })).toEqual({ kind: "wait", why, stuck: 3600 });
    expect(judge({ states: { errors: "OK" } }, { alarms: ["errors"] })).toMatchObject({ kind: "advance" });
  });

  it("is stuck where nothing can be counted", () => {
    const why = `what ${B} does cannot be counted`;
    expect(judge({ counts: undefined })).toEqual({ kind: "wait", why, stuck: 3600 });
  });

  it("waits for pods, and no alarm says so", () => {
    const why = `${B} was injected into 9 of the 10 pods that it takes to judge it`;
    expect(counted({ injected: 9 })).toEqual({ kind: "wait", why });
    expect(counted({ injected: 10 })).toMatchObject({ kind: "advance" });
  });

  it.each<[string, Partial<ReleaseCounts>, Partial<ReleaseCounts>]>([
    ["pods regressed", { regressed: 1 }, {}],
    ["more calls failed", { failed: 12 }, { failed: 1 }],
    ["more pods were denied", { denied: 12 }, { denied: 1 }],
    ["three failed, and nothing is compared", { failed: 3 }, { injected: 0 }],
  ])("is stuck where %s", (_what, due, own) => {
    const verdict = counted(due, own);
    expect(verdict).toMatchObject({ kind: "wait", stuck: 3600 });
    expect(verdict.why).toMatch(new RegExp(`^${B} is worse in ring-1: `));
  });

  it.each<[string, Partial<ReleaseCounts>, Partial<ReleaseCounts>]>([
    ["two of a thousand failed", { failed: 2 }, {}],
    ["as many failed elsewhere", { failed: 20 }, { failed: 20 }],
    ["a tenth of the calls has a tenth of the failures", { injected: 100, failed: 3 }, { failed: 30 }],
    ["half a million calls are counted", { injected: 500_000, denied: 5000 }, { injected: 500_000, denied: 5000 }],
  ])("promotes where %s", (_what, due, own) => {
    expect(counted(due, own)).toMatchObject({ kind: "advance" });
  });
});
