// How rings are shown, with CloudWatch on loopback: their order, and what each waits for.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { PublisherRequest } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CALLER, fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { type FakeAwsServices, startFakeAwsServices } from "../../test/eks/fake-aws-services.ts";
import type { Deployment } from "../connect/deployment.ts";
import { ringDepth, showRings } from "./rings.ts";

const [NEW, OLD] = ["bbbbbbbbbbbb", "aaaaaaaaaaaa"] as const;
const NOW = Date.parse("2026-01-05T00:00:00Z");
const FOLLOWING = { after: 86_400, pods: 10, alarms: [] };
const move = (release: string, hours: number): JsonObject => ({
  ...{ release, action: "promote", by: "ann", why: "" },
  at: new Date(NOW - hours * 3_600_000).toISOString(),
});

describe("showRings()", () => {
  let services: FakeAwsServices;
  let aws: ReturnType<typeof fakeAws>;
  let asked: PublisherRequest[];
  let refusal: OutriggerError | undefined;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    services = await startFakeAwsServices();
    for (const [name, value] of Object.entries(services.env)) vi.stubEnv(name, value);
    aws = fakeAws();
    asked = [];
    refusal = undefined;
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
    await services.close();
  });

  /** Each channel serves a release for some hours; the one before it was the other release. */
  async function put(channel: string, release: string, hours: number, more: JsonObject = {}): Promise<void> {
    const history = [move(release, hours), move(release === NEW ? OLD : NEW, 99)];
    // Parameter Store takes no two braces in a row.
    await aws.put(aws.layout.channel(channel), JSON.stringify({ release, pinned: false, history, ...more }, null, 1));
  }
  const behind = (channel: string, more: JsonObject = {}) => ({ follows: { ...FOLLOWING, channel, ...more } });

  async function show(options: { readonly json?: true } = {}) {
    const io = fakeIo();
    const target = { layout: aws.layout, stage: "dev", publisher: "outrigger-dev-publish" };
    const deployment: Deployment = {
      ...(await aws.connect(target)),
      target,
      askPublisher: async (request) => {
        asked.push(request);
        if (refusal !== undefined) throw refusal;
        return { ok: true, message: "done", seq: 1, changed: true, warnings: [] };
      },
    };
    const failed = await showRings(deployment, options, io).catch((error: unknown) => error);
    const rows = io.out().trimEnd().split("\n");
    return { failed, out: io.out(), rows: rows.map((row) => row.split(/ {2,}/)) };
  }

  it("says where no channel follows another one", async () => {
    await put("stable", NEW, 1);
    expect(await show()).toMatchObject({
      failed: undefined,
      out: "No channel follows another one: see outrigger channel follow --help\n",
    });
  });

  it("shows each behind the one that it follows, those beside each other by name, and none that is no ring", async () => {
    await put("aside", NEW, 1);
    await put("last", OLD, 40, behind("b-ring"));
    await put("b-ring", OLD, 30, behind("stable"));
    await put("a-ring", NEW, 2, behind("stable"));
    await put("stable", NEW, 1, { share: { release: OLD, percent: 5 } });
    const { rows, failed } = await show();
    expect(rows.map((row) => row.slice(0, 4))).toEqual([
      ["RING", "FOLLOWS", "RELEASE", "SINCE"],
      ["stable", `${NEW}, ${OLD} to 5 %`, "1h"],
      ["a-ring", "stable", NEW, "2h"],
      ["b-ring", "stable", OLD, "1d"],
      ["last", "b-ring", OLD, "1d"],
    ]);
    expect(rows.slice(2).every((row) => row[4]?.startsWith("waits: "))).toBe(true);
    expect([failed, asked]).toEqual([undefined, []]);
  });

  it("says how long a ring still waits, and which is next; the publisher is asked about that one alone", async () => {
    await put("stable", NEW, 20);
    await put("ring", OLD, 90, behind("stable"));
    expect((await show()).rows[2]).toEqual(["ring", "stable", OLD, "3d", `waits: stable serves ${NEW} for 4h more`]);
    expect(asked).toEqual([]);
    await put("stable", NEW, 25);
    services.releaseCounts.set(`${NEW} Injected`, 900).set(`${OLD} Injected`, 900);
    const { rows, failed } = await show();
    expect(rows[2]?.[4]).toMatch(/^is next: stable has served it for 25h/);
    expect(failed).toBeUndefined();
    expect(asked).toEqual([
      {
        action: "promote",
        from: "stable",
        to: "ring",
        release: NEW,
        dryRun: true,
        cause: { by: CALLER, why: "" },
      },
    ]);
  });

  it("fails where a ring waits for a person, and not where the publisher cannot be asked", async () => {
    await put("stable", NEW, 25);
    await put("ring", OLD, 90, behind("stable", { share: 5, rollout: { next: [100], bake: 60, alarms: [] } }));
    services.releaseCounts.set(`${NEW} Injected`, 900).set(`${OLD} Injected`, 900);
    for (const code of ["edit-held", "channel-pinned"] as const) {
      refusal = new OutriggerError(code, "Cannot promote: a person must look");
      const { rows, failed } = await show();
      expect(rows[2]?.[4]).toBe("waits: Cannot promote: a person must look");
      expect(failed).toMatchObject({
        code: "findings",
        message: "ring does not move on: Cannot promote: a person must look",
      });
    }
    expect(asked.at(-1)).toMatchObject({ share: 5, rollout: { next: [100], bake: 60, alarms: [] } });
    refusal = new OutriggerError("aws-denied", "You may not call it");
    const { rows, failed } = await show();
    expect([rows[2]?.[4], failed]).toEqual([expect.stringMatching(/^is next: /), undefined]);
  });

  it("gives all of it as JSON", async () => {
    await put("stable", NEW, 1, { pinned: true });
    await put("ring", OLD, 2, behind("stable"));
    const since = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();
    expect(JSON.parse((await show({ json: true })).out)).toEqual([
      { ring: "stable", release: NEW, pinned: true, since: since(1) },
      {
        ring: "ring",
        release: OLD,
        pinned: false,
        since: since(2),
        follows: { ...FOLLOWING, channel: "stable" },
        verdict: expect.objectContaining({ kind: "wait" }),
      },
    ]);
  });
});

describe("ringDepth()", () => {
  it.each([
    ["one", 0],
    ["two", 1],
    ["three", 2],
    ["unknown", 0],
    ["a", 1],
    ["self", 1],
  ])("of %s is %s, also where records go in a circle", (name, depth) => {
    const follows = (channel: string) => ({ follows: { ...FOLLOWING, channel } });
    const channels = { one: {}, two: follows("one"), three: follows("two") };
    const circles = { a: follows("b"), b: follows("a"), self: follows("self") };
    expect(ringDepth(name, { ...channels, ...circles })).toBe(depth);
  });
});
