// What `outrigger rollback` and `pin` ask the publish function for, and what they refuse before they ask.
import type { JsonObject } from "@outrigger/base";
import { putWorkload } from "@outrigger/fake-aws";
import type { PublisherRequest } from "@outrigger/publisher";
import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askedPublisher } from "../../../test/cli/asked-publisher.ts";
import { CALLER, fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";
import { openCliLab } from "../../../test/eks/cli-lab.ts";
import { withControllers } from "../../../test/eks/controlled-lab.ts";
import { ifServingOption } from "./rollback.ts";

const [NEW, OLD, OLDEST] = ["bbbbbbbbbbbb", "aaaaaaaaaaaa", "cccccccccccc"] as const;

let aws: ReturnType<typeof fakeAws>;
let cli: ReturnType<typeof fakeCli>;
let asked: PublisherRequest[];
beforeEach(async () => {
  aws = fakeAws();
  const answer = { channel: "stable", release: OLD };
  const publisher = askedPublisher(aws.connect, (_, { stage }) => ({ ...answer, message: `done in ${stage}` }));
  ({ asked } = publisher);
  cli = fakeCli(publisher.connect, SHIPPED);
  const move = (release: string) => ({ release, action: "publish", at: "2026-01-02T03:04:05Z", by: "ann", why: "" });
  const record = { release: NEW, pinned: false, change: 7, history: [move(NEW), move(OLD), move(OLDEST)] };
  await put(record);
});
afterEach(() => cli.remove("."));

// Parameter Store takes no two braces in a row.
const put = (record: JsonObject) => aws.put(aws.layout.channel("stable"), JSON.stringify(record, null, 1));
/** What was asked for but by a dry run. */
const sent = () => asked.filter(({ dryRun }) => dryRun !== true);
const about = { channel: "stable", id: expect.any(String), cause: { by: CALLER, why: "why" } };

describe("outrigger rollback", () => {
  it.each([
    ["", OLD],
    ["1", OLD],
    ["2", OLDEST],
    ["02", OLDEST],
    ["cccccccccccc", OLDEST],
    ["cccc", OLDEST],
    ["bbbb", NEW],
    ["dddddddddddd", "dddddddddddd"],
  ])("goes back with %j to %s, from what it serves", async (back, release) => {
    const words = ["rollback", "stable", back].filter((word) => word !== "").join(" ");
    expect(await cli.run(`${words} -m why`)).toEqual({ code: 0, out: "done in dev\n", err: "" });
    expect(sent()).toEqual([{ action: "rollback", ...about, serving: NEW, release }]);
  });

  it("takes back a share, and the release of the others where it is told how far", async () => {
    const history = [NEW, OLD].map((release) => ({
      ...{ release, action: "publish", at: "2026-01-02T03:04:05Z", by: "ann", why: "" },
    }));
    await put({ release: NEW, pinned: false, share: { release: OLDEST, percent: 5 }, history });
    await cli.run("rollback stable");
    await cli.run("rollback stable 1");
    expect(sent().map((request) => "release" in request && request.release)).toEqual([NEW, OLD]);
  });

  it("expects the release that it is told to, by its first digits too", async () => {
    await cli.run("rollback stable --if-serving aaaa");
    expect(sent()).toEqual([expect.objectContaining({ serving: OLD })]);
  });

  it.each(["0", "00", "20", "99"])("refuses to go %s releases back", async (back) => {
    const { code, out, err } = await cli.run(`rollback stable ${back}`);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("A channel remembers twenty releases: go back 1 to 19 of them.");
  });

  it("takes the most releases that a channel remembers, and refuses what its history has not", async () => {
    const { code, err } = await cli.run("rollback stable 19");
    expect([code, err]).toEqual([3, expect.stringContaining("stable")]);
    expect(asked).toEqual([]);
  });

  it.each(["100", "abc", "ABCD", "stable"])("refuses %s as a release", async (release) => {
    const { code, err } = await cli.run(`rollback stable ${release}`);
    expect([code, err]).toEqual([2, expect.stringContaining("12 hexadecimal digits, or the first of them")]);
  });

  it.each(["1f2e3d4c5b6a", "1f2e", "2", "--if-serving bbbb", "--restart", "--replicas prod-b@eu-central-1"])(
    "refuses --everywhere with %s: each channel goes back by itself",
    async (words) => {
      const { code, out, err } = await cli.run(`rollback stable ${words} --everywhere`);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toMatch(
        /^Cannot roll back with --everywhere: each channel goes back to the release before; leave out /,
      );
      expect(asked).toEqual([]);
    },
  );

  it("looks for the cluster before the channel moves, where workloads are restarted after it", async () => {
    const { code, out } = await cli.run("rollback stable --restart --yes --context prod --kubeconfig none");
    expect([code, out]).toEqual([3, ""]);
    expect(asked).toEqual([]);
  });

  it.each(["--restart", ""])("fails in a dry run where the cluster cannot be asked: %s", async (restart) => {
    const words = `--dry-run --context prod --kubeconfig none ${restart}`.trim();
    const { code, out } = await cli.run(`rollback stable ${words}`);
    expect([code, out]).toEqual([3, ""]);
    expect(sent()).toEqual([]);
  });

  it("refuses a channel that is not there before it looks for a cluster", async () => {
    const { code, err } = await cli.run("rollback stabel --restart --yes");
    expect([code, err]).toEqual([3, expect.stringContaining("Cannot find channel stabel")]);
  });

  it("writes nothing in a dry run", async () => {
    expect((await cli.run("rollback stable --dry-run")).out).toBe("done in dev (dry run: nothing was written)\n");
    expect(asked).toEqual([expect.objectContaining({ action: "rollback", dryRun: true })]);
  });
});

describe("outrigger rollback --restart", { timeout: 180_000 }, () => {
  it("plans in a dry run, then goes back, and restarts the workloads that have pods of what was taken back", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const lab = await openCliLab();
    try {
      const run = (...words: readonly string[]) =>
        lab.run(...words, "--cluster", "shop", "--kubeconfig", "kubeconfig", "--context", "eks");
      lab.namespace("shop", { "istio-injection": "enabled" });
      const own = JSON.parse((await lab.run("publish", "--json")).out).release;
      expect((await lab.register("--phase", "cluster")).code).toBe(0);
      putWorkload(lab, "shop", "before");
      await withControllers(lab);
      await lab.aws.edit("values/10-mine", "global: {hub: next.example}\n");
      const { release: next } = JSON.parse((await lab.run("publish", "--json")).out);
      putWorkload(lab, "shop", "meanwhile");
      await withControllers(lab);

      const planned = await run("rollback", "stable", "--restart", "--dry-run");
      expect(planned.code, planned.err).toBe(0);
      expect(planned.out).toMatch(
        /\nTo restart, in this order: 1 workloads? with 2 pods\n.*\nshop +Deployment\/meanwhile /,
      );
      expect(JSON.parse((await lab.run("channel", "stable", "--json")).out).release).toBe(next);

      const unasked = await run("rollback", "stable", "--restart", "--if-serving", own);
      expect(unasked.code).toBe(3);
      const back = await run("rollback", "stable", "--restart", "--yes");
      expect(back.code, back.err).toBe(0);
      expect(back.out).toContain(`stable serves ${own} now (${next} before), pinned`);
      expect(back.err).toContain("shop/Deployment/meanwhile is back\n");
      expect(back.err).not.toContain("shop/Deployment/before");
    } finally {
      vi.useRealTimers();
      await lab.close();
    }
  });
});

describe("outrigger pin", () => {
  it.each([
    ["", NEW],
    ["aaaaaaaaaaaa", OLD],
    ["aaaa", OLD],
  ])("keeps the channel with %j at %s", async (release, kept) => {
    const words = ["pin", "stable", release].filter((word) => word !== "").join(" ");
    expect(await cli.run(`${words} -m why`)).toEqual({ code: 0, out: "done in dev\n", err: "" });
    expect(sent()).toEqual([{ action: "pin", ...about, serving: NEW, release: kept, change: 7 }]);
  });

  it("expects the release that it is told to", async () => {
    await cli.run("pin stable --if-serving aaaa");
    expect(sent()).toEqual([expect.objectContaining({ action: "pin", serving: OLD })]);
  });

  it("lets edits move it again with --off, wherever the channel is", async () => {
    expect((await cli.run("pin stable --off -m why")).code).toBe(0);
    expect(asked).toEqual([{ action: "unpin", ...about, serving: NEW, change: 7 }]);
  });

  it.each(["aaaaaaaaaaaa --off", "--off --if-serving bbbb"])(
    "refuses %s: the channel stays where it is",
    async (words) => {
      const { code, err } = await cli.run(`pin stable ${words}`);
      expect([code, err]).toEqual([2, expect.stringContaining("Cannot use --off with a release or --if-serving")]);
      expect(asked).toEqual([]);
    },
  );
});

it("ifServingOption() takes the name of a release, or its first digits", () => {
  const parse = (text: string) => {
    const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    return command.addOption(ifServingOption()).parse(["--if-serving", text], { from: "user" }).opts();
  };
  expect(parse("1f2e")).toEqual({ ifServing: "1f2e" });
  expect(() => parse("stable")).toThrow("12 hexadecimal digits");
});
