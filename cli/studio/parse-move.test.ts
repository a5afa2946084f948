import { expect, it } from "vitest";
import { parseCommandAction, parseConfirmation, parseMove } from "./parse-move.ts";

it.each([
  [{ action: "publish" }, { action: "publish" }],
  [
    { action: "publish", unpin: true, edits: [{ path: "mesh", base: null, text: "a: 1", more: 1 }] },
    { action: "publish", unpin: true, edits: [{ path: "mesh", base: null, text: "a: 1" }] },
  ],
  [
    { action: "publish", edits: [], share: 5, bake: 1800 },
    { action: "publish", edits: [], first: { share: 5, rollout: { next: [25, 50, 100], bake: 1800, alarms: [] } } },
  ],
  [
    { action: "set-channel", channel: "canary", approval: false },
    { action: "set-channel", channel: "canary", edits: true },
  ],
  [
    { action: "promote", from: "canary", to: "stable" },
    { action: "promote", from: "canary", to: "stable" },
  ],
  [
    { action: "promote", from: "canary", to: "stable", share: 25 },
    { action: "promote", from: "canary", to: "stable", share: 25, rollout: { next: [50, 100], alarms: [] } },
  ],
  [
    { action: "promote", from: "canary", to: "stable", share: 5, bake: 1800 },
    {
      action: "promote",
      from: "canary",
      to: "stable",
      share: 5,
      rollout: { next: [25, 50, 100], bake: 1800, alarms: [] },
    },
  ],
  [
    { action: "promote", from: "canary", to: "stable", approve: true, share: 5 },
    { action: "promote", from: "canary", to: "stable", approve: true },
  ],
  [
    { action: "step-rollout", channel: "stable", direction: "back" },
    { action: "step-rollout", channel: "stable", direction: "back" },
  ],
])("parseMove(%j) is the request that a command sends", (move, request) => {
  expect(parseMove(move)).toEqual(request);
});

it.each([
  [{ action: "remove-channel", channel: "stable" }, "its action is publish, promote"],
  [{ action: "promote", from: "canary", to: "stable", share: "5" }, '"share" must be a whole number from 0 to 100'],
  [{ action: "promote", from: "canary", to: "stable", share: 5, bake: 0.5 }, '"rollout" must be shares that grow'],
  [{ action: "step-rollout", channel: "stable", direction: "up" }, '"direction" must be "next" or "back"'],
  [{ action: "publish", share: "5" }, '"share" must be a whole number from 0 to 100'],
  [{ action: "publish", share: null }, '"share" must be a whole number from 0 to 100'],
  [{ action: "publish", edits: "all" }, "it has no list of edits"],
  [{ action: "publish", edits: [{ path: "mesh", text: 1 }] }, "an edit has path, base and text"],
  [{ action: "pin", channel: "../x" }, '"channel" must be a name of lower-case letters'],
])("parseMove(%j) is refused", (move, why) => {
  expect(() => parseMove(move)).toThrow(why);
});

it("names no release but the one to serve again, whatever the page sends: what is moved is what was answered", () => {
  const move = { channel: "stable", release: "0123456789ab", serving: "0123456789ab" };
  expect(parseMove({ ...move, action: "pin" })).toEqual({ action: "pin", channel: "stable" });
  const again = { action: "rollback", channel: "stable", release: "0123456789ab" };
  expect(parseMove({ ...move, action: "rollback" })).toEqual(again);
  expect(() => parseMove({ ...again, release: "../x" })).toThrow('"release" must be');
});

it("parseCommandAction() takes the four that there are", () => {
  expect(["begin", "yes", "no", "stop"].map((action) => parseCommandAction({ action }))).toEqual([
    "begin",
    "yes",
    "no",
    "stop",
  ]);
  for (const wrong of [{}, null, { action: "restart" }, { action: ["begin"] }])
    expect(() => parseCommandAction(wrong)).toThrow("its action is begin, yes, no, stop");
});

it("parseConfirmation() takes the question's id and why, and nothing else", () => {
  expect(parseConfirmation({ id: "a", message: "why", action: "publish" })).toEqual({ id: "a", message: "why" });
  expect(() => parseConfirmation({ action: "publish" })).toThrow("it names no question");
  expect(() => parseConfirmation({ id: "a", message: "x".repeat(501) })).toThrow("at most 500 characters");
});
