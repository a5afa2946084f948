import { layoutOf } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import type { ChannelRecord } from "@outrigger/publisher";
import { expect, it, vi } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openDeployment } from "../connect/deployment.ts";
import { startFakeDeployment } from "../server/fake-deployment.ts";
import { deploymentWorkspace } from "./deployment-workspace.ts";
import { shareFirst } from "./share-first.ts";

const record: ChannelRecord = { release: "0123456789ab", pinned: false, change: 7, history: [] };
const place = { channel: "stable", channels: { stable: record }, layers: [{}] };
const rollout = { next: [25, 50, 100], alarms: [] };

it("sends edits to a channel of their own first, and its release to the share of what was looked at", () => {
  expect(shareFirst({ action: "publish", first: { share: 5, rollout }, unpin: true }, place)).toEqual({
    before: { action: "set-channel", channel: "canary", edits: true },
    after: {
      action: "promote",
      from: "canary",
      to: "stable",
      serving: "0123456789ab",
      change: 7,
      share: 5,
      rollout,
      unpin: true,
    },
  });
});

it.each([
  ["through several channels already", { ...place, channels: { stable: record, canary: record } }, "promote from one"],
  ["nowhere yet", { ...place, channels: {} }, "promote from one"],
  ["where the tree says", { ...place, layers: [{ config: "publishTo: stable" }] }, "publishTo in config says"],
])("is refused where edits go %s", (_where, at, why) => {
  expect(() => shareFirst({ action: "publish", first: { share: 5 } }, at)).toThrow(why);
});

it("sends edits to the canary before they are saved, and says where they are served if the share cannot be given", async () => {
  const target = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "outrigger-dev-publish" };
  const shipped = { config: "policy: enabled\n", "templates/sidecar": "spec: {}\n" };
  const fake = await startFakeDeployment({ target, tier: "Standard", shipped, tree: {}, port: 0, report: () => {} });
  const io = fakeIo({ connect: async () => fake.connection });
  const deployment = await openDeployment({}, io);
  const { releases } = deploymentWorkspace(deployment, async () => shipped, io);
  const { ask, confirm, read } = releases as NonNullable<typeof releases>;
  const edits = [{ path: "mesh", base: null, text: "accessLogFile: /dev/stdout\n" }];
  const { id } = await ask({ action: "publish", edits, first: { share: 5 } });
  const { askPublisher } = deployment;
  const sent: string[] = [];
  vi.spyOn(deployment, "askPublisher").mockImplementation(async (request) => {
    sent.push(request.action);
    if (request.action === "promote") throw new OutriggerError("channel-moved", "Cannot move stable");
    return askPublisher(request);
  });
  const before = (await read()).channels["stable"]?.release;
  await expect(confirm({ id, message: "five per cent" })).rejects.toMatchObject({
    code: "channel-moved",
    message: "The edits are saved and served from canary, but not from stable: Cannot move stable",
  });
  expect(sent).toEqual(["set-channel", "publish", "promote"]);
  const { channels, publishTo } = await read();
  expect(channels["stable"]?.release).toBe(before);
  expect(channels["stable"]?.share).toBeUndefined();
  expect([publishTo, channels["canary"]?.release === before]).toEqual(["canary", false]);
  await fake.close();
});
