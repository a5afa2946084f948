import { describe, expect, it } from "vitest";
import { judgeRollout } from "./judge-rollout.ts";
import type { Signal } from "./signals.ts";

const MINUTE = 60_000;
const SINCE = "2026-01-01T00:00:00Z";
const BAKED = Date.parse(SINCE) + 10 * MINUTE;

const ROLLOUT = { next: [25, 100], bake: 600, alarms: ["errors", "latency"], since: SINCE };
const RESTART = { restart: true };
const signal = (verdict: Signal["verdict"], why: string): Signal => ({ name: why, verdict, why });
const OK = { errors: "OK", latency: "OK" } as const;
const FINE = { states: OK, signals: [signal("fine", "none was worse off")], share: 5, isPinned: false, now: BAKED };

const advance = (percent: number, why: string) => ({ kind: "advance", percent, why });
const abort = (why: string) => ({ kind: "abort", why });
const wait = (why: string, stuck?: number) => ({ kind: "wait", why, ...(stuck !== undefined && { stuck }) });
const bake = (why: string) => ({ kind: "wait", why, isBaking: true });

describe("judgeRollout()", () => {
  it.each<readonly [what: string, rollout: object, found: object, verdict: object]>([
    ["it has baked", {}, {}, advance(25, "10m without an alarm of errors, latency; none was worse off")],
    ["it watches no alarm", { alarms: [] }, {}, advance(25, "10m; none was worse off")],
    ["nothing was counted", {}, { signals: [] }, advance(25, "10m without an alarm of errors, latency")],
    ["all workloads have it", { next: [] }, { share: 100 }, advance(100, expect.any(String))],
    ["a moment is left", {}, { now: BAKED - 1 }, bake("it bakes for 1s more")],
    ["all of its time is left", {}, { now: Date.parse(SINCE) }, bake("it bakes for 10m more")],
    ["no time is set", { bake: undefined }, {}, wait("the next share is begun by a person")],
    ["no share is left", { next: [] }, {}, wait("the next share is begun by a person")],
    ["an alarm is up", {}, { states: { ...OK, latency: "ALARM" } }, abort("alarm latency is up")],
    ["two alarms are up", {}, { states: { errors: "ALARM", latency: "ALARM" } }, abort("alarm errors is up")],
    ["an alarm is up before it has baked", {}, { states: { errors: "ALARM" }, now: 0 }, abort("alarm errors is up")],
    ["an alarm does not exist", {}, { states: { errors: "OK" } }, wait("there is no alarm latency", 600)],
    ["no alarm exists", {}, { states: {} }, wait("there is no alarm errors", 600)],
    ["alarms cannot be read", {}, { states: undefined }, wait("its alarms cannot be read", 600)],
    ["no alarm has to be read", { alarms: [] }, { states: undefined }, advance(25, "10m; none was worse off")],
    [
      "an alarm has no data",
      {},
      { states: { ...OK, latency: "INSUFFICIENT_DATA" }, now: BAKED + 1001 },
      wait("alarm latency has no data", 2),
    ],
    [
      "two alarms have no data",
      {},
      { states: { errors: "INSUFFICIENT_DATA", latency: "INSUFFICIENT_DATA" } },
      wait("alarm errors has no data", 0),
    ],
    ["it is worse", {}, { signals: [signal("fine", "a"), signal("worse", "b")] }, abort("b")],
    ["it is worse twice", {}, { signals: [signal("worse", "a"), signal("worse", "b")] }, abort("a")],
    [
      "it is worse, and an alarm is up",
      {},
      { signals: [signal("worse", "a")], states: { errors: "ALARM" } },
      abort("a"),
    ],
    ["it may be worse", {}, { signals: [signal("fine", "a"), signal("suspect", "b")] }, wait("b", 0)],
    ["its workloads are being restarted", RESTART, {}, bake(expect.stringContaining("promote --restart"))],
    ["its pods are back and bake", RESTART, { restarted: BAKED - 1 }, bake("it bakes for 10m more")],
    [
      "its pods are good",
      RESTART,
      { restarted: BAKED - 10 * MINUTE },
      advance(25, expect.stringMatching(/^10m.*off$/)),
    ],
    ["its pods are worse", RESTART, { signals: [signal("worse", "a")] }, abort("a")],
    ["it may be worse twice", {}, { signals: [signal("suspect", "a"), signal("suspect", "b")] }, wait("a", 0)],
    ["too little is known", {}, { signals: [signal("unknown", "a")] }, advance(25, expect.stringMatching(/; a$/))],
    ["nothing can be counted", {}, { signals: undefined }, wait("what its release does cannot be counted", 600)],
    ["the channel is pinned", {}, { isPinned: true, now: BAKED + MINUTE }, wait("the channel is pinned", 60)],
    ["it is pinned and bakes", {}, { isPinned: true, now: BAKED - MINUTE }, bake("it bakes for 1m more")],
  ])("judges a share where %s", (_what, rollout, found, verdict) => {
    expect(judgeRollout({ ...ROLLOUT, ...rollout } as typeof ROLLOUT, { ...FINE, ...found })).toEqual(verdict);
  });
});
