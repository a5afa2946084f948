import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { PublisherRequest } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askedPublisher } from "../../test/cli/asked-publisher.ts";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";

const [BAD, OLD, OTHER] = ["bbbbbbbbbbbb", "aaaaaaaaaaaa", "cccccccccccc"] as const;
const day = (number: number) => `2026-01-0${number}T00:00:00Z`;
const move = (release: string, at: string, more: JsonObject = {}) => ({
  ...{ release, action: "publish", at, by: "ann", why: "" },
  ...more,
});

describe("rollBackEverywhere()", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  let asked: PublisherRequest[];
  /** What the publish function does with a rollback of a channel. */
  let answer: (channel: string) => Promise<void>;
  beforeEach(() => {
    aws = fakeAws();
    answer = (channel) => put(channel, OLD, [move(OLD, day(9)), move(BAD, day(1))]);
    const publisher = askedPublisher(aws.connect, async (request) => {
      const { channel = "" } = request as { readonly channel?: string };
      if (request.dryRun !== true) await answer(channel);
      return { message: `${channel} is back`, warnings: [`of ${channel}`] };
    });
    ({ asked } = publisher);
    cli = fakeCli(publisher.connect, SHIPPED);
  });
  afterEach(() => cli.remove("."));

  // Parameter Store takes no two braces in a row.
  const put = async (channel: string, release: string, history: readonly JsonObject[], more: JsonObject = {}) =>
    void (await aws.put(
      aws.layout.channel(channel),
      JSON.stringify({ release, pinned: false, history, ...more }, null, 1),
    ));
  const sent = () =>
    asked.flatMap((request) => (request.action === "rollback" && request.dryRun !== true ? [request.channel] : []));

  it("asks those that came to serve it last first, one that follows before its leader, and the named one last", async () => {
    const follows = (channel: string) => ({ follows: { channel, after: 60, pods: 0, alarms: [] } });
    await put("one", BAD, [move(BAD, day(4)), move(OLD, day(1))]);
    await put("two", BAD, [move(BAD, day(3)), move(OLD, day(1))]);
    await put("led", BAD, [move(BAD, day(3)), move(OLD, day(1))], follows("two"));
    await put("new", BAD, [move(BAD, day(5)), move(OLD, day(1))]);
    await put("well", OTHER, [move(OTHER, day(2)), move(BAD, day(1))]);
    const { code, out, err } = await cli.run("rollback one --everywhere");
    expect([code, sent()]).toEqual([0, ["new", "led", "two", "one"]]);
    expect(out).toBe("new is back\nled is back\ntwo is back\none is back\n");
    expect(err).toBe("Warning: of new\nWarning: of led\nWarning: of two\nWarning: of one\n");
    expect(asked.every((request) => "release" in request && request.release === OLD)).toBe(true);
  });

  it("takes back the share that the named channel serves, wherever that is served", async () => {
    const share = { share: { release: BAD, percent: 5 } };
    await put("one", OLD, [move(OLD, day(2), share), move(OLD, day(1))], share);
    await put("two", BAD, [move(BAD, day(1)), move(OLD, day(1))]);
    await put("three", OLD, [move(OLD, day(1))]);
    answer = (channel) => put(channel, OLD, [move(OLD, day(9))]);
    expect((await cli.run("rollback one --everywhere")).code).toBe(0);
    expect(sent()).toEqual(["two", "one"]);
  });

  it("takes back the channel's own release where a share is of another one", async () => {
    const share = { share: { release: OTHER, percent: 5 } };
    await put("one", BAD, [move(BAD, day(2)), move(OLD, day(1))]);
    await put("two", BAD, [move(BAD, day(4), share), move(BAD, day(3)), move(OLD, day(1))], share);
    expect((await cli.run("rollback one --everywhere")).code).toBe(0);
    expect(asked.map((request) => ("release" in request ? request.release : undefined))).toEqual(Array(4).fill(OLD));
  });

  it("asks a ring that takes the release meanwhile, and none twice", async () => {
    await put("one", BAD, [move(BAD, day(2)), move(OLD, day(1))]);
    answer = async (channel) => {
      await put(channel, OLD, [move(OLD, day(9)), move(BAD, day(2))]);
      if (channel === "one") await put("late", BAD, [move(BAD, day(8)), move(OLD, day(1))]);
    };
    await cli.run("rollback one --everywhere");
    expect(sent()).toEqual(["one", "late"]);
  });

  it("goes on where one is refused, and fails with all that still serve the release", async () => {
    await put("one", BAD, [move(BAD, day(2)), move(OLD, day(1))]);
    await put("two", BAD, [move(BAD, day(3)), move(OLD, day(1))]);
    await put("three", BAD, [move(BAD, day(4)), move(OLD, day(1))]);
    const back = answer;
    answer = async (channel) => {
      if (channel !== "two") throw new OutriggerError("channel-pinned", `Cannot move ${channel}`);
      await back(channel);
    };
    const { code, out, err } = await cli.run("rollback one --everywhere");
    expect(code).not.toBe(0);
    expect(out).toBe("two is back\nthree: Cannot move three\none: Cannot move one\n");
    expect(err).toContain(`${BAD} is still served by three, one: Cannot move three\n`);
    const json = await cli.run("rollback one --everywhere -o json");
    expect(JSON.parse(json.out)).toEqual(
      ["three", "one"].map((channel) => ({ channel, code: "channel-pinned", message: `Cannot move ${channel}` })),
    );
  });

  it("says of a dry run that nothing was written", async () => {
    await put("one", BAD, [move(BAD, day(2)), move(OLD, day(1))]);
    const { code, out } = await cli.run("rollback one --everywhere --dry-run");
    expect([code, out]).toEqual([0, "one is back (dry run: nothing was written)\n"]);
    expect(asked).toEqual([expect.objectContaining({ channel: "one", dryRun: true })]);
  });
});
