import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { ActionRequest } from "./action-request.ts";
import { changesPods, lookFirst, type printEffects } from "./look-first.ts";

const CAUSE = { by: "ann", why: "a reason" };
const EFFECTS = [
  { name: "image", example: "web: proxyv2:1 becomes proxyv2:2", isHeld: false },
  { name: "sidecar-gone", example: "web has none", isHeld: true },
] as unknown as Parameters<typeof printEffects>[0];
const SHOWN = `What changes for pods:
  image (web: proxyv2:1 becomes proxyv2:2)
  sidecar-gone (web has none)
`;

it.each<[boolean, ActionRequest]>([
  [true, { action: "promote", from: "canary", to: "stable" }],
  [true, { action: "rollback", channel: "stable" }],
  [true, { action: "pin", channel: "stable" }],
  [true, { action: "publish", accept: ["image"] }],
  [false, { action: "publish" }],
  [false, { action: "unpin", channel: "stable" }],
  [false, { action: "step-rollout", channel: "stable", direction: "next" }],
])("changesPods() is %s for %j", (expected, request) => expect(changesPods(request)).toBe(expected));

describe("lookFirst()", () => {
  async function looked(request: ActionRequest, answer: object) {
    const io = fakeIo();
    const asked: unknown[] = [];
    const askPublisher = async (question: object) => {
      asked.push(question);
      return { ok: true, message: "stable would serve it", seq: 1, changed: true, warnings: [], ...answer } as const;
    };
    return { request: await lookFirst(request, CAUSE, { askPublisher }, io), asked, err: io.err() };
  }

  it("asks what a move comes to, writes nothing, and prints what changes for pods", async () => {
    const move = { action: "rollback", channel: "stable", release: "1f2e3d4c5b6a" } as const;
    const { request, asked, err } = await looked(move, { effects: EFFECTS, release: "other", serving: "older" });
    expect(asked).toEqual([{ ...move, dryRun: true, cause: CAUSE }]);
    expect(err).toBe(SHOWN);
    expect(request).toEqual(move);
  });

  it("prints nothing where nothing changes for pods", async () => {
    expect((await looked({ action: "pin", channel: "stable" }, {})).err).toBe("");
    expect((await looked({ action: "pin", channel: "stable" }, { effects: [] })).err).toBe("");
  });

  it("makes of what is accepted exactly what was shown: its channel, and both releases", async () => {
    const accepted = { action: "publish", accept: ["image"] } as const;
    const place = { channel: "stable", serving: "aaaaaaaaaaaa", release: "bbbbbbbbbbbb" };
    const { request, err } = await looked(accepted, { effects: EFFECTS, ...place });
    expect(request).toEqual({ ...accepted, ...place });
    expect(err).toBe(`${SHOWN}Accepted: stable would serve it\n`);
    const first = await looked(accepted, { channel: "stable", serving: null });
    expect(first.request).toEqual({ ...accepted, channel: "stable", serving: null });
  });

  it("passes on what the publisher refuses", async () => {
    const refused = new OutriggerError("channel-pinned", "Cannot move stable");
    const askPublisher = () => Promise.reject(refused);
    await expect(lookFirst({ action: "pin", channel: "stable" }, CAUSE, { askPublisher }, fakeIo())).rejects.toBe(
      refused,
    );
  });
});
