import type { JsonObject } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import type { Deployment } from "../connect/deployment.ts";
import type { ActionRequest } from "./action-request.ts";
import { resolveMove, seenOf } from "./resolve-move.ts";

const [NEW, NOW, BEFORE, FIRST] = ["dddddddddddd", "cccccccccccc", "bbbbbbbbbbbb", "aaaaaaaaaaaa"] as const;
const move = (release: string) => ({ release, action: "publish", at: "2026-01-01T00:00:00Z", by: "ann", why: "" });
const SHARE = { release: NEW, percent: 5 };

describe("resolveMove()", () => {
  let deployment: Deployment;
  let put: (channel: string, record: JsonObject) => Promise<unknown>;
  beforeEach(async () => {
    const aws = fakeAws();
    const target = { layout: aws.layout, stage: "dev", publisher: "outrigger-dev-publish" };
    deployment = { ...(await aws.connect(target)), target };
    // Parameter Store takes no two braces in a row.
    put = (channel, record) => aws.put(aws.layout.channel(channel), JSON.stringify(record, null, 1));
    const history = [NOW, BEFORE, FIRST].map(move);
    await put("stable", { release: NOW, pinned: false, history, change: 7 });
    await put("canary", { release: NEW, pinned: false, history: [move(NEW)] });
  });
  const resolved = (request: ActionRequest, options = {}) => resolveMove(request, options, deployment);

  it.each<[string, ActionRequest, JsonObject]>([
    ["a promotion", { action: "promote", from: "canary", to: "stable" }, { release: NEW, serving: NOW, change: 7 }],
    ["a pin", { action: "pin", channel: "stable" }, { release: NOW, serving: NOW, change: 7 }],
    ["the end of a pin", { action: "unpin", channel: "stable" }, { serving: NOW, change: 7 }],
    ["a removal", { action: "remove-channel", channel: "stable" }, { serving: NOW, change: 7 }],
    ["a setting", { action: "set-channel", channel: "stable", edits: true }, { change: 7 }],
    ["a rollback", { action: "rollback", channel: "stable" }, { serving: NOW, release: BEFORE }],
    ["a publication", { action: "publish", channel: "stable" }, { serving: NOW }],
    ["one that unpins", { action: "publish", channel: "stable", unpin: true }, { serving: NOW, change: 7 }],
    ["a publication of the source tree", { action: "publish" }, {}],
  ])("says from which release to which one %s is, as it was seen", async (_, request, seen) => {
    expect(await resolved(request)).toEqual({ ...request, ...seen });
  });

  it("takes the release that is named, and the one that must be served, in place of those that are found", async () => {
    const asked = { ifServing: FIRST };
    const promotion = { action: "promote", from: "canary", to: "stable", release: BEFORE } as const;
    expect(await resolved(promotion, asked)).toMatchObject({ release: BEFORE, serving: FIRST });
    expect(await resolved({ action: "pin", channel: "stable", release: BEFORE }, asked)).toMatchObject({
      release: BEFORE,
      serving: FIRST,
    });
    expect(await resolved({ action: "publish" }, asked)).toEqual({ action: "publish", serving: FIRST });
    const rollback = { action: "rollback", channel: "stable" } as const;
    expect(await resolved({ ...rollback, release: FIRST })).toMatchObject({ release: FIRST });
    expect(await resolved(rollback, { steps: 2 })).toMatchObject({ release: FIRST });
    await expect(resolved(rollback, { steps: 3 })).rejects.toThrow("its history holds no release before");
  });

  it("approves what another person has asked for, whatever is served meanwhile", async () => {
    const proposal = {
      from: "canary",
      release: BEFORE,
      serving: FIRST,
      by: "bob",
      why: "",
      at: "2026-01-01T00:00:00Z",
    };
    await put("stable", { release: NOW, pinned: false, history: [move(NOW)], change: 8, approval: true, proposal });
    const approval = { action: "promote", from: "canary", to: "stable", approve: true } as const;
    expect(await resolved(approval)).toEqual({ ...approval, release: BEFORE, change: 8 });
    // Nothing is asked for there: the publisher refuses it.
    expect(await resolved({ ...approval, to: "canary" })).toEqual({ ...approval, to: "canary" });
  });

  it("names the share that a step is about, and the change that wrote it", async () => {
    await put("stable", { release: NOW, pinned: false, history: [move(NOW)], change: 9, share: SHARE });
    const step = { action: "step-rollout", channel: "stable", direction: "next" } as const;
    expect(await resolved(step)).toEqual({ ...step, seen: { ...SHARE, change: 9 } });
    expect(await resolved({ action: "rollback", channel: "stable" })).toMatchObject({ release: NOW });
    expect(await resolved({ ...step, channel: "canary" })).toEqual({ ...step, channel: "canary" });
    expect(seenOf({ share: SHARE })).toEqual(SHARE);
    expect(seenOf()).toBeUndefined();
  });

  it("leaves a request as it is that says all, or whose channel cannot be read", async () => {
    await put("broken", { release: 1 });
    const rollback = { action: "rollback", channel: "stable" } as const;
    expect(await resolved(rollback, { isResolved: true })).toBe(rollback);
    for (const channel of ["broken", "other"]) {
      for (const action of ["rollback", "pin"] as const)
        expect(await resolved({ action, channel })).toEqual({ action, channel });
      const promotion = { action: "promote", from: "canary", to: channel } as const;
      expect(await resolved(promotion)).toEqual({ ...promotion, release: NEW, serving: null });
      const approval = { ...promotion, approve: true } as const;
      expect(await resolved(approval)).toEqual(approval);
      const back = { action: "promote", from: channel, to: "canary" } as const;
      expect(await resolved(back)).toEqual({ ...back, serving: NEW });
    }
  });
});
