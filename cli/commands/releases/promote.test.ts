// What `outrigger promote` asks the publish function for, and what it refuses before it asks.
import type { JsonObject } from "@outrigger/base";
import type { PublisherRequest } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askedPublisher } from "../../../test/cli/asked-publisher.ts";
import { CALLER, fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

const [NEW, OLD] = ["bbbbbbbbbbbb", "aaaaaaaaaaaa"] as const;

describe("outrigger promote", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  let asked: PublisherRequest[];
  beforeEach(async () => {
    aws = fakeAws();
    const publisher = askedPublisher(aws.connect);
    ({ asked } = publisher);
    cli = fakeCli(publisher.connect, SHIPPED);
    await put("canary", NEW);
    await put("stable", OLD, { change: 7 });
  });
  afterEach(() => cli.remove("."));

  async function put(channel: string, release: string, more: JsonObject = {}): Promise<void> {
    const history = [{ release, action: "publish", at: "2026-01-02T03:04:05Z", by: "ann", why: "" }];
    // Parameter Store takes no two braces in a row.
    await aws.put(aws.layout.channel(channel), JSON.stringify({ release, pinned: false, history, ...more }, null, 1));
  }
  const sent = () => asked.filter(({ dryRun }) => dryRun !== true);

  it.each<[string, object]>([
    ["", {}],
    ["--unpin", { unpin: true }],
    ["--force", { replace: true }],
    ["--share 5", { share: 5 }],
    ["--share 0", { share: 0 }],
    ["--share 5,25,100 --bake 30m", { share: 5, rollout: { next: [25, 100], bake: 1800, alarms: [] } }],
    [
      "--share 5 --bake 30m --abort-on errors --abort-on mine",
      { share: 5, rollout: { next: [100], bake: 1800, alarms: ["outrigger-dev-errors", "mine"] } },
    ],
    ["--accept image,sidecar-gone", { accept: ["image", "sidecar-gone"] }],
    ["--if-serving bbbb", { serving: NEW }],
  ])("asks with %j for the release that the other channel serves", async (words, more) => {
    const line = ["promote canary stable", words].filter((word) => word !== "").join(" ");
    expect(await cli.run(`${line} -m why`)).toEqual({ code: 0, out: "done\n", err: "" });
    expect(sent()).toEqual([
      {
        ...{ action: "promote", from: "canary", to: "stable", release: NEW, serving: OLD, change: 7 },
        ...{ id: expect.any(String), cause: { by: CALLER, why: "why" } },
        ...more,
      },
    ]);
  });

  it("asks for the release in which what is accepted was seen, and for no later one", async () => {
    await cli.run("promote canary stable --accept image@1f2e3d4c5b6a");
    expect(sent()).toEqual([expect.objectContaining({ accept: ["image"], release: "1f2e3d4c5b6a" })]);
  });

  it.each(["", " --force"])("approves what another person asked for, as it was%s", async (force) => {
    const proposal = { from: "canary", release: NEW, serving: OLD, by: "bob", at: "2026-01-02T03:04:05Z", why: "" };
    await put("stable", OLD, { change: 7, approval: true, proposal });
    await cli.run(`promote canary stable --approve${force}`);
    expect(sent()).toEqual([
      {
        ...{ action: "promote", from: "canary", to: "stable", approve: true, release: NEW, change: 7 },
        ...{ id: expect.any(String), cause: { by: CALLER, why: "" } },
        ...(force !== "" && { replace: true }),
      },
    ]);
  });

  it.each(["--share 5", "--bake 30m --share 5", "--bake 30m", "--abort-on errors"])(
    "refuses to approve something else: %s",
    async (words) => {
      const { code, out, err } = await cli.run(`promote canary stable --approve ${words}`);
      expect([code, out, err]).toEqual([
        2,
        "",
        expect.stringMatching(/^Cannot promote: --approve carries out what was asked for, as it was: leave --share, /),
      ]);
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ["--restart", "--restart needs shares (--share 5,25,100); to restart after a promotion, use outrigger restart"],
    ["--restart --approve --share 5", "leave --restart out with --approve"],
    [
      "--restart --share 5 --replicas prod-b@eu-central-1",
      "--restart judges the pods of one deployment: leave --replicas out",
    ],
    ["--bake 30m", "--bake"],
    ["--abort-on errors", "--abort-on"],
  ])("refuses %s, and says why", async (words, why) => {
    const { code, out, err } = await cli.run(`promote canary stable ${words} --yes`);
    expect([code, out, err]).toEqual([2, "", expect.stringMatching(/^Cannot promote: /)]);
    expect(err).toContain(why);
    expect(asked).toEqual([]);
  });

  it("moves nothing where the pods are to judge and their cluster cannot be asked", async () => {
    const { code, out } = await cli.run(
      "promote canary stable --share 5,100 --restart --yes --context prod --kubeconfig none",
    );
    expect([code, out]).toEqual([3, ""]);
    expect(sent()).toEqual([]);
  });

  it("shows in a dry run with a cluster what it does there, or why that cannot be shown", async () => {
    expect(await cli.run("promote canary stable --dry-run")).toMatchObject({
      code: 0,
      out: "done (dry run: nothing was written)\n",
    });
    const refused = await cli.run("promote canary stable --share 101");
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("A share is a whole number from 0 to 100."),
    ]);
  });
});
