import { describe, expect, it } from "vitest";
import { parseSettings } from "./channel-settings.ts";

const AT = "2026-01-02T03:04:05.000Z";
const PROMOTION = { from: "canary", release: "a", serving: "b", by: "ann", why: "", at: AT };
const EDIT = { ...PROMOTION, from: "source", tree: "t", held: [{ name: "image", example: "an app" }] };
const ROLLOUT = { next: [25, 100], bake: 1800, alarms: ["errors"] };

describe("parseSettings()", () => {
  it.each([
    ["of nothing", {}],
    ["approval", { approval: true as const }],
    ["a promotion", { proposal: PROMOTION }],
    ["a promotion to a share", { proposal: { ...PROMOTION, share: 5, rollout: ROLLOUT } }],
    ["an edit that is held", { proposal: EDIT }],
    ["what is held, and since when edits go there", { holds: ["image"], editsSince: AT }],
  ])("reads %s as it was written", (_what, settings) => {
    expect(parseSettings(settings)).toStrictEqual(settings);
  });

  it.each(["from", "release", "serving", "by", "why", "at"])("leaves out a proposal without %s", (name) => {
    const { [name as "by"]: _, ...rest } = PROMOTION;
    expect(parseSettings({ proposal: rest })).toStrictEqual({});
    expect(parseSettings({ proposal: { ...rest, [name]: 1 } })).toStrictEqual({});
  });

  it.each([
    ["a share in words", { ...PROMOTION, share: "5" }],
    ["a part of a percent", { ...PROMOTION, share: 0.5 }],
    ["a rollout that does not grow", { ...PROMOTION, rollout: { ...ROLLOUT, next: [25, 25] } }],
    ["an edit without its tree", { ...EDIT, tree: 1 }],
    ["effects that are no list", { ...EDIT, held: {} }],
    ["an effect of a later version", { ...EDIT, held: [...EDIT.held, { name: "later", example: "" }] }],
    ["an effect without an example", { ...EDIT, held: [{ name: "image" }] }],
    ["text", "canary"],
  ])("leaves out a proposal that is or has %s", (_what, proposal) => {
    expect(parseSettings({ proposal })).toStrictEqual({});
  });

  it("leaves out what is no setting", () => {
    expect(parseSettings({ approval: "yes", holds: "image", editsSince: 1 })).toStrictEqual({});
    expect(parseSettings({ holds: ["image", "later"] })).toStrictEqual({ holds: ["image"] });
  });
});
