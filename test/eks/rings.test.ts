// Channels that follow one another, through the command line: CloudWatch on loopback, the publisher in this process, and its schedule.
import { OutriggerError } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codeBlocks, textOf } from "../pages/code-blocks.ts";
import { type CliLab, openCliLab } from "./cli-lab.ts";

const HOUR = 3_600_000;

describe("outrigger channel follow", { timeout: 120_000 }, () => {
  let lab: CliLab;
  let first: string;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    lab = await openCliLab();
    await lab.run("publish");
    first = (await channels())["stable"].release;
    for (const ring of ["ring-2", "ring-3"]) await lab.run("promote", "stable", ring);
  });
  afterEach(async () => {
    await lab.close();
    vi.useRealTimers();
  });

  const channels = async () => JSON.parse((await lab.run("channel", "--json")).out);
  const served = async () =>
    Object.values<{ readonly release: string }>(await channels()).map(({ release }) => release);
  const edit = async (hub: string) => {
    await lab.aws.edit("values/10-own", `global:\n  hub: registry.example/${hub}\n`);
    await lab.run("publish");
    return (await channels())["stable"].release as string;
  };
  const follow = async () => {
    const answer = await lab.run("channel", "follow", "ring-2", "stable", "--after", "1d", "--abort-on", "errors");
    await lab.run("channel", "follow", "ring-3", "ring-2", "--after", "6h", "--share", "5,100", "--bake", "30m");
    return answer;
  };
  const rows = (out: string) => out.split("\n").map((line) => line.replaceAll(/ +/g, " ").trim());

  it("says when a release is the next one, and what each ring waits for", async () => {
    expect((await lab.run("rollout", "status", "--rings")).out).toMatch(/^No channel follows another one/);
    expect((await follow()).out).toBe(
      "ring-2 takes the release of stable that all workloads there were served for 24h, once it was injected into 10 pods, while outrigger-dev-errors is quiet\n",
    );
    const next = await edit("next");
    const status = await lab.run("rollout", "status", "--rings");
    expect([status.code, status.err]).toEqual([0, ""]);
    const lines = rows(status.out);
    expect(lines[0]).toBe("RING FOLLOWS RELEASE SINCE NEXT");
    expect(lines[1]).toMatch(new RegExp(`^stable ${next} \\S+$`));
    expect(lines[2]).toMatch(
      new RegExp(`^ring-2 stable ${first} \\S+ waits: stable serves ${next} for (24h|23h59m\\d+s) more$`),
    );
    expect(lines[3]).toMatch(new RegExp(`^ring-3 ring-2 ${first} \\S+ waits: it serves what ring-2 serves$`));
    expect((await lab.run("channel", "ring-2")).out).toContain(
      "It follows stable (outrigger rollout status --rings)\n",
    );
  });

  it("is set up as its page says", async () => {
    const page = codeBlocks(textOf("docs/releases.md"));
    const at = page.findIndex(({ text }) => text.includes("outrigger channel follow ring-2 ring-1"));
    const lines = (page[at]?.text ?? "").trim().split("\n");
    let last = "";
    for (const line of lines) {
      const { code, out, err } = await lab.run(...line.split(" ").slice(1));
      expect([line, code, err]).toEqual([line, 0, ""]);
      last = out;
    }
    const shape = (text: string) =>
      rows(text)
        .filter((row) => /^(RING|ring-\d)/.test(row))
        .map((row) => row.split(" ")[0]);
    expect(shape(last)).toEqual(shape(page[at + 1]?.text ?? "").filter((word) => word !== ""));
  });

  it("exits 1 where a ring is held, with the reason, and shows what is next where it is not", async () => {
    await follow();
    const next = await edit("next");
    vi.setSystemTime(Date.now() + 25 * HOUR);
    lab.services.alarms.set("outrigger-dev-errors", "OK");
    lab.services.releaseCounts.set(`${next} Injected`, 9);
    const asked = lab.services.asked.length;
    const few = await lab.run("rollout", "status", "--rings");
    const calls = lab.services.asked.slice(asked).filter(({ action }) => action.startsWith("cloudwatch:"));
    expect(calls.map(({ action }) => action).toSorted()).toEqual([
      "cloudwatch:DescribeAlarms",
      "cloudwatch:GetMetricData",
    ]);
    expect([few.code, few.out]).toEqual([
      0,
      expect.stringContaining("into 9 of the 10 pods that it takes to judge it"),
    ]);
    lab.services.releaseCounts.set(`${next} Injected`, 900).set(`${next} Failed`, 80).set(`${first} Injected`, 900);
    const held = await lab.run("rollout", "status", "--rings", "-o", "json");
    expect(held.code).toBe(1);
    expect(held.err).toContain(`ring-2 does not move on: ${next} is worse in stable: 80 of its 980 calls failed`);
    expect(JSON.parse(held.out)[1]).toMatchObject({
      ring: "ring-2",
      follows: { channel: "stable" },
      verdict: { kind: "wait" },
    });
    lab.services.releaseCounts.delete(`${next} Failed`);
    expect((await lab.run("rollout", "status", "--rings")).out).toContain("is next: stable has served it for 25h");
    // An image is not held by default: here it is, and the command that goes on is in the reason.
    await lab.run("channel", "holds", "ring-2", "image,image-registry");
    const waiting = await lab.run("rollout", "status", "--rings");
    expect([waiting.code, waiting.err]).toEqual([
      1,
      expect.stringContaining("outrigger promote stable ring-2 --accept "),
    ]);
  });

  it.each([
    { code: "channel-pinned", exit: 1, next: "waits: ring-2 is pinned" },
    { code: "aws-denied", exit: 0, next: "is next: stable has served it for 25h" },
  ] as const)("shows a release that is due as the publisher's answer $code says", async ({ code, exit, next }) => {
    await lab.run("channel", "follow", "ring-2", "stable", "--after", "1d", "--pods", "0");
    await edit("next");
    vi.setSystemTime(Date.now() + 25 * HOUR);
    const { connect } = lab.aws;
    lab.aws.connect = async (target) => ({
      ...(await connect(target)),
      askPublisher: () => Promise.reject(new OutriggerError(code, "ring-2 is pinned")),
    });
    const { out, code: status } = await lab.run("rollout", "status", "--rings");
    expect([status, out]).toEqual([exit, expect.stringContaining(next)]);
  });

  it("moves by the schedule, ring after ring, and is taken back everywhere by one command", async () => {
    await lab.run("channel", "follow", "ring-2", "stable", "--after", "1d");
    await lab.run("channel", "follow", "ring-3", "ring-2", "--after", "6h");
    const next = await edit("next");
    for (const hours of [25, 7]) {
      vi.setSystemTime(Date.now() + hours * HOUR);
      await lab.aws.look();
    }
    expect(await served()).toEqual([next, next, next]);
    const tried = await lab.run("rollback", "ring-2", "--everywhere", "--dry-run");
    expect(tried.out.split("\n").filter((line) => line.includes("nothing was written"))).toHaveLength(3);
    const back = await lab.run("rollback", "ring-2", "--everywhere", "-m", "Pods do not start");
    expect(
      [
        back.code,
        back.out
          .trim()
          .split("\n")
          .map((line) => line.split(" ")[0]),
      ],
      back.err,
    ).toEqual([0, ["ring-3", "stable", "ring-2"]]);
    const after = await channels();
    for (const name of ["stable", "ring-2", "ring-3"])
      expect(after[name]).toMatchObject({
        release: first,
        pinned: true,
        history: [{ why: "Pods do not start" }, {}, ...after[name].history.slice(2)],
      });
    vi.setSystemTime(Date.now() + 100 * HOUR);
    await lab.aws.look();
    expect(await served()).toEqual([first, first, first]);
  });

  it("is taken back newest first, where a ring takes it meanwhile too, and goes on after an interruption", async () => {
    await lab.run("promote", "stable", "ring-4");
    await edit("next");
    for (const ring of ["ring-2", "ring-3"]) {
      vi.setSystemTime(Date.now() + HOUR);
      expect((await lab.run("promote", "stable", ring)).code).toBe(0);
    }
    const { connect } = lab.aws;
    const asked: string[] = [];
    let isDown = true;
    lab.aws.connect = async (target) => {
      const connection = await connect(target);
      const askPublisher: typeof connection.askPublisher = async (request) => {
        if (request.action === "rollback" && request.dryRun !== true) {
          asked.push(request.channel);
          // The machine of the person goes down, and later a ring has just been found to be due.
          if (isDown && asked.length === 2) throw new Error("the process was ended");
          if (asked.length === 3) {
            const cause = { by: "the ring", why: "" };
            await connection.askPublisher({ action: "promote", from: "stable", to: "ring-4", cause });
          }
        }
        return connection.askPublisher(request);
      };
      return { ...connection, askPublisher };
    };
    expect((await lab.run("rollback", "stable", "--everywhere")).code).not.toBe(0);
    expect(asked).toEqual(["ring-3", "ring-2"]);
    isDown = false;
    const { code, err } = await lab.run("rollback", "stable", "--everywhere");
    expect([code, asked.slice(2)], err).toEqual([0, ["ring-2", "stable", "ring-4"]]);
    expect(await served()).toEqual([first, first, first, first]);
  });

  it("takes back a share here and a release there, and names the channel that has nothing to go back to", async () => {
    const next = await edit("next");
    await lab.run("promote", "stable", "ring-2", "--share", "25");
    await lab.run("promote", "stable", "ring-4");
    const { code, out, err } = await lab.run("rollback", "stable", "--everywhere", "-o", "json");
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(new RegExp(`${next} is still served by ring-4: .*no release before`)),
    ]);
    const answers = JSON.parse(out);
    expect(answers.map(({ channel }: { channel: string }) => channel)).toEqual(["ring-2", "stable", "ring-4"]);
    const after = await channels();
    expect(after["ring-2"]).not.toHaveProperty("share");
    expect([after["stable"].release, after["ring-4"].release]).toEqual([first, next]);
  });

  it.each([
    [["rollback", "stable", "1", "--everywhere"], "leave out the release, --restart"],
    [["rollback", "stable", "--everywhere", "--if-serving", "1f2e3d4c5b6a"], "leave out the release, --restart"],
    [["channel", "follow", "ring-2", "stable", "--after", "8d"], "a minute to a week"],
    [["channel", "follow", "ring-2", "stable", "--bake", "30m"], "need a share of 1 to 99 percent"],
    [["channel", "follow", "ring-2", "stable", "--share", "100"], "a share of 1 to 99"],
    [["channel", "follow", "ring-2", "ring-2"], "ring-2 follows ring-2, in a circle"],
  ])("refuses %j", async (line, why) => {
    const { code, err } = await lab.run(...line);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });
});
