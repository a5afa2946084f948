import { layoutOf } from "@outrigger/aws";
import { readChannelRecord } from "@outrigger/publisher";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import { startFakeDeployment } from "./fake-deployment.ts";

const target = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "outrigger-dev-publish" };

describe("startFakeDeployment()", () => {
  afterEach(() => void vi.useRealTimers());

  it("has the schedule of a deployment: a rollout goes on by itself, and a channel follows another one", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const fake = await startFakeDeployment({ target, tier: "Standard", shipped: SHIPPED, tree: {}, port: 0, report });
    try {
      const { store, askPublisher } = fake.connection;
      const cause = { by: "ann", why: "" };
      const follow = { channel: "stable", after: 3600, pods: 0, alarms: [] };
      await askPublisher({ action: "promote", from: "stable", to: "ring-2", cause });
      await askPublisher({ action: "set-channel", channel: "ring-2", follow, cause });
      const name = target.layout.sourceParameter("values/10-own");
      await store.putParameter({ name, value: "global: {hub: x}", overwrite: true, tier: "Standard" });
      await askPublisher({ action: "publish", channel: "canary", cause });
      const rollout = { next: [100], bake: 120, alarms: [] };
      const { release } = await askPublisher({
        action: "promote",
        from: "canary",
        to: "stable",
        share: 5,
        rollout,
        cause,
      });
      const served = async (channel: string) => {
        const [parameter] = await store.getParameters([target.layout.channel(channel)]);
        return parameter && readChannelRecord(parameter).release;
      };
      const wait = async (minutes: number) => {
        for (let minute = 0; minute < minutes; minute++) {
          await vi.advanceTimersByTimeAsync(60_000);
          await expect.poll(async () => (await store.getParameters([target.layout.settled])).length).toBe(1);
        }
      };
      await wait(1);
      expect(await served("stable")).not.toBe(release);
      await wait(9);
      expect(await served("stable")).toBe(release);
      expect(await served("ring-2")).not.toBe(release);
      await wait(65);
      expect(await served("ring-2")).toBe(release);
      expect(lines.some((line) => line.startsWith(`ring-2 serves ${release} now`))).toBe(true);
    } finally {
      await fake.close();
    }
  });

  it("sends an event of each change within two minutes, and says which version its function is", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const events: unknown[] = [];
    const fake = await startFakeDeployment({
      ...{ target, tier: "Standard", shipped: SHIPPED, tree: {}, port: 0, report: () => {}, version: "1.2.3" },
      sendEvent: async (line) => void events.push(JSON.parse(line)),
    });
    try {
      expect(await fake.connection.functionVersion()).toBe("1.2.3");
      await fake.connection.askPublisher({ action: "pin", channel: "stable", cause: { by: "ann", why: "freeze" } });
      await vi.advanceTimersByTimeAsync(60_000);
      await expect.poll(() => events).toHaveLength(3);
      const source = { source: "outrigger", "detail-type": "Outrigger Change" };
      const pinned = { action: "pin", channel: "stable", by: "ann", why: "freeze", deployment: "/outrigger/dev" };
      expect(events).toMatchObject([
        { ...source, detail: { action: "publish", channel: "stable" } },
        { ...source, detail: { action: "put-cluster", cluster: "local" } },
        { ...source, detail: { version: 1, ...pinned, change: 3 } },
      ]);
    } finally {
      await fake.close();
    }
  });

  it.each([
    [undefined, 1],
    [false, 0],
  ])("publishes edits by itself unless a person is to (%s)", async (publishesEdits, published) => {
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const options = { target, tier: "Standard", shipped: SHIPPED, tree: {}, port: 0, report } as const;
    const fake = await startFakeDeployment({ ...options, ...(publishesEdits === undefined ? {} : { publishesEdits }) });
    try {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const name = target.layout.sourceParameter("values/10-own");
      await fake.connection.store.putParameter({ name, value: "global: {hub: x}", overwrite: true, tier: "Standard" });
      await vi.advanceTimersByTimeAsync(60_000);
      vi.useRealTimers();
      // In turn behind what the edit has begun.
      await fake.connection.askPublisher({ action: "pin", channel: "stable", cause: { by: "ann", why: "" } });
      await expect.poll(() => lines.filter((line) => line.startsWith("stable serves")).length).toBe(published);
    } finally {
      await fake.close();
    }
  });

  it("publishes the tree that it begins with, and says what that warns of", async () => {
    const lines: string[] = [];
    const tree = { "values/10-mine": "global: {hub: mine}\n", mesh: "oddField: 1\n" };
    const report = (line: string) => void lines.push(line);
    const fake = await startFakeDeployment({ target, tier: "Standard", shipped: SHIPPED, tree, port: 0, report });
    try {
      expect(lines).toEqual([expect.stringMatching(/^Warning: .*oddField/)]);
      const { store, caller, deployments, place } = fake.connection;
      const names = [target.layout.sourceParameter("values/10-mine"), target.layout.channel("stable")];
      const [source, stable] = await store.getParameters(names);
      expect(source?.value).toBe(tree["values/10-mine"]);
      expect(stable && readChannelRecord(stable)).toMatchObject({ release: fake.release });
      expect(fake.token).toMatch(/^[\w-]{43}$/);
      expect([await caller(), await deployments(), await place()]).toEqual([
        "outrigger start",
        ["/outrigger/dev"],
        `local/us-east-1/${fake.url}`,
      ]);
    } finally {
      await fake.close();
    }
  });

  it("fails for a tree that cannot be published, with its place, and lets the port go", async () => {
    const tree = { "templates/a": "{{#if}}\n" };
    const begin = (port: number, of: object) =>
      startFakeDeployment({ target, tier: "Standard", shipped: SHIPPED, tree: of as never, port, report: () => {} });
    const other = await begin(0, {});
    const port = Number(new URL(other.url).port);
    await other.close();
    await expect(begin(port, tree)).rejects.toMatchObject({ path: expect.stringContaining("templates/a") });
    const again = await begin(port, {});
    await again.close();
  });

  it("refuses what the publisher refuses, with its code", async () => {
    const fake = await startFakeDeployment({
      ...{ target, tier: "Standard", shipped: SHIPPED, tree: {}, port: 0, report: () => {} },
    });
    try {
      const cause = { by: "ann", why: "" };
      await expect(
        fake.connection.askPublisher({ action: "promote", from: "none", to: "stable", cause }),
      ).rejects.toMatchObject({ code: "channel-unknown", message: expect.stringContaining("none") });
    } finally {
      await fake.close();
    }
  });
});
