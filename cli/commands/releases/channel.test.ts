// What `outrigger channel` and `outrigger releases` print and ask. The publisher itself is tried elsewhere.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askedPublisher } from "../../../test/cli/asked-publisher.ts";
import { CALLER, fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";
import type { ConnectAws } from "../../connect/aws-connection.ts";

const [NEW, OLD] = ["bbbbbbbbbbbb", "aaaaaaaaaaaa"] as const;
const AT = "2026-01-02T03:04:05Z";
const NOW = Date.parse("2026-01-05T03:04:05Z");
const move = (release: string, at = AT) => ({ release, action: "publish", at, by: "ann", why: "a reason" });
const hoursAgo = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();

let aws: ReturnType<typeof fakeAws>;
let cli: ReturnType<typeof fakeCli>;
let connect: ConnectAws;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  aws = fakeAws();
  connect = aws.connect;
  cli = fakeCli((target) => connect(target), SHIPPED);
});
afterEach(() => {
  vi.useRealTimers();
  cli.remove(".");
});

// Parameter Store takes no two braces in a row.
const put = (channel: string, record: JsonObject) =>
  aws.put(aws.layout.channel(channel), JSON.stringify({ release: NEW, pinned: false, ...record }, null, 1));
const publish = (hub: string) => {
  cli.write("tree/values/10-mine.yaml", `global: {hub: ${hub}}\n`);
  return cli.json("publish --dir tree --message", hub);
};

describe("outrigger channel", () => {
  it("says that there are none, and nothing of what they serve", async () => {
    const out = "There are no channels below /outrigger/dev/channels: publish to make one\n";
    expect(await cli.run("channel")).toEqual({ code: 0, out, err: "" });
    expect(await cli.json("channel")).toEqual({});
    // What cannot be read of the source tree differs from nothing that is served.
    await aws.edit("manifest", "nonsense");
    expect(await cli.run("channel")).toEqual({ code: 0, out, err: "" });
  });

  it("lists each with its last move, where edits go, and the space that is left", async () => {
    const { release } = await publish("registry.example/one");
    await cli.run("publish --dir tree --channel stable");
    await cli.run("pin stable");
    vi.setSystemTime(NOW + 3_600_000);
    const { code, out, err } = await cli.run("channel");
    expect([code, err]).toEqual([0, ""]);
    const [head, stable, ...rest] = out.split("\n");
    expect(head?.split(/ {2,}/)).toEqual(["CHANNEL", "RELEASE", "PINNED", "SINCE", "BY", "WHY"]);
    expect(stable?.split(/ {2,}/)).toEqual(["stable", release, "yes", "1h", CALLER]);
    expect(rest.join("\n")).toMatch(/^\nEdits go to stable\n\nUsed: \d+ characters, \d+ free\n$/);
    expect(Object.keys(await cli.json("channel"))).toEqual(["stable"]);
    expect((await cli.run("channel -o name")).out).toBe("stable\n");
    expect((await cli.run("channel stable -o name")).out).toBe("stable\n");
  });

  it("shows a channel that was never moved, and warns of what cannot be served", async () => {
    await put("canary", { history: [], share: { release: OLD, percent: 5 } });
    await put("stable", { history: [move(NEW)] });
    const { out, err } = await cli.run("channel");
    expect(out).toMatch(/^canary +bbbbbbbbbbbb, aaaaaaaaaaaa to 5 % +no$/m);
    expect(out).toMatch(/^stable +bbbbbbbbbbbb +no +3d +ann +a reason$/m);
    expect(out).not.toContain("Used");
    const unsettled = "Warning: What was declared cannot be compared with what is served: ";
    expect(err).toMatch(new RegExp(`^Source differs: .*\n${unsettled}.*\n$`));
    expect((await cli.run("channel stable")).err).toMatch(new RegExp(`^${unsettled}.*\n$`));
  });

  it("leaves the space out where what is served may not be read", async () => {
    await publish("registry.example/one");
    connect = async (target) => {
      const connection = await aws.connect(target);
      const getParameters: typeof aws.store.getParameters = async (names) => {
        if (names.includes(aws.layout.head)) throw new OutriggerError("store-denied", "Cannot read the head");
        return aws.store.getParameters(names);
      };
      return { ...connection, store: { ...connection.store, getParameters } };
    };
    expect((await cli.run("channel")).out).toMatch(/Edits go to stable\n$/);
  });

  it.each<[string, JsonObject, string]>([
    ["nothing", {}, ""],
    ["a pin", { pinned: true }, ", pinned: edits do not move it"],
    ["what it holds", { holds: ["image", "sidecar-gone"] }, "\nIt holds edits that come to image, sidecar-gone"],
    ["that it holds nothing", { holds: [] }, "\nIt holds no edits"],
    [
      "what it follows",
      { follows: { channel: "canary", after: 60, pods: 0, alarms: [] } },
      "\nIt follows canary (outrigger rollout status --rings)",
    ],
    ["the approval", { approval: true }, "\nPromotions to it need another person's approval"],
    ["no approval", { approval: false }, ""],
  ])("shows the history of one, with %s", async (_, record, settings) => {
    await put("stable", { history: [{ ...move(NEW), edits: ["config", "values/a"], effects: ["image"] }], ...record });
    const { out } = await cli.run("channel stable");
    const [before, table] = out.split("\n\n");
    expect(before).toBe(`stable serves release ${NEW}${settings}`);
    const lines = table?.split("\n").map((line) => line.split(/ {2,}/));
    expect(lines?.slice(0, 2)).toEqual([
      ["WHEN", "WHAT", "RELEASE", "BY", "WHY", "EDITS", "PODS"],
      [AT, "publish", NEW, "ann", "a reason", "config, values/a", "image"],
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ why: "it is well" }, `ann asked for ${OLD} of canary at ${AT} (it is well)`],
    [{ why: "", share: 5 }, `ann asked for ${OLD} to 5 % of canary at ${AT}`],
  ])("shows the promotion %j that waits for another person, and the command that approves", async (given, text) => {
    const proposal = { from: "canary", release: OLD, serving: NEW, by: "ann", at: AT, ...given };
    await put("stable", { history: [move(NEW)], approval: true, proposal });
    expect((await cli.run("channel stable")).out).toContain(
      `\n${text}: another person approves with outrigger promote canary stable --approve\n`,
    );
  });

  it.each([
    ["--all", "Use --all with --since, and without a channel"],
    ["stable --all --since 2h", "Use --all with --since, and without a channel"],
    ["--deployments many.yaml", "Cannot use --deployments without --since: it is the moves of many that are listed"],
    ...["deployment dev", "prefix /a", "publisher p", "region eu-west-1", "profile ops"].map((option) => [
      `--since 2h --deployments many.yaml --${option}`,
      `Cannot use --${option.split(" ")[0]} with --deployments: the file names them`,
    ]),
  ])("refuses %s", async (words, why) => {
    const { code, out, err } = await cli.run(`channel ${words}`);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(why as string)]);
  });

  it("lists the moves of all channels since a time, or of one, which must exist", async () => {
    await put("canary", { history: [move(NEW, hoursAgo(1)), move(OLD, hoursAgo(5))] });
    await put("stable", { history: [move(OLD, hoursAgo(3))] });
    const channelsOf = async (words: string) =>
      (await cli.json(`channel ${words}`)).map(({ channel, release }: Record<string, string>) => [channel, release]);
    expect(await channelsOf("--since 2h")).toEqual([["canary", NEW]]);
    expect(await channelsOf("--since 4h --all")).toEqual([
      ["canary", NEW],
      ["stable", OLD],
    ]);
    expect(await channelsOf("stable --since 4h")).toEqual([["stable", OLD]]);
    expect(await cli.run("channel stabel --since 4h")).toMatchObject({
      out: "",
      err: expect.stringContaining("stabel"),
    });
    cli.write("many.yaml", "deployments:\n- {stage: dev, region: eu-west-1, ring: 1}\n");
    const { out } = await cli.run("channel stabel --since 4h --deployments many.yaml");
    expect(out).toContain("No channel was moved since ");
    expect((await cli.run("channel --since 2h --deployments many.yaml")).out).toMatch(/Z +dev in eu-west-1 +canary /);
  });

  /** A publish function that answers everything, and keeps what it was asked. */
  function answerAll(): readonly object[] {
    const publisher = askedPublisher(aws.connect);
    connect = publisher.connect;
    return publisher.asked;
  }
  const FOLLOWING = { channel: "canary", after: 86_400, pods: 10, alarms: [] };

  it.each<[string, object]>([
    ["approval stable required", { action: "set-channel", approval: true }],
    ["approval stable none", { action: "set-channel", approval: false }],
    ["edits stable", { action: "set-channel", edits: true }],
    ["holds stable default", { action: "set-channel", holds: null }],
    ["holds stable none", { action: "set-channel", holds: [] }],
    ["holds stable image,sidecar-gone", { action: "set-channel", holds: ["image", "sidecar-gone"] }],
    ["remove stable", { action: "remove-channel", serving: NEW }],
    ["follow stable canary", { action: "set-channel", follow: FOLLOWING }],
    ["follow stable none", { action: "set-channel", follow: null }],
    ["follow stable canary --after 2h --pods 0", { follow: { ...FOLLOWING, after: 7200, pods: 0 } }],
    ["follow stable canary --abort-on mine", { follow: { ...FOLLOWING, alarms: ["mine"] } }],
    [
      "follow stable canary --share 5,50 --bake 1h --abort-on errors",
      {
        follow: {
          ...FOLLOWING,
          alarms: ["outrigger-dev-errors"],
          share: 5,
          rollout: { next: [50], bake: 3600, alarms: ["outrigger-dev-errors"] },
        },
      },
    ],
  ])("asks the publish function for %s", async (words, request) => {
    await put("stable", { history: [move(NEW)], change: 7 });
    const asked = answerAll();
    expect(await cli.run(`channel ${words} --message why`)).toEqual({ code: 0, out: "done\n", err: "" });
    expect(asked).toEqual([
      {
        action: "set-channel",
        channel: "stable",
        change: 7,
        id: expect.any(String),
        cause: { by: CALLER, why: "why" },
        ...request,
      },
    ]);
  });

  it("refuses a pace without a share to begin with, before anything is asked", async () => {
    const asked = answerAll();
    const { code, err } = await cli.run("channel follow stable canary --bake 1h");
    expect([code, err]).toEqual([2, expect.stringContaining("Cannot let stable follow canary: --bake, --abort-on")]);
    expect((await cli.run("channel follow stable canary --pods -1")).code).toBe(2);
    expect(asked).toEqual([]);
  });
});

describe("outrigger releases", () => {
  it("says that there are none", async () => {
    const { layout } = aws;
    const out = `There are no releases in the bucket below ${layout.releases}: publish to make one\n`;
    expect(await cli.run("releases")).toEqual({ code: 0, out, err: "" });
  });

  it("lists the newest first, with the channels that serve each", async () => {
    const { release: one } = await publish("registry.example/one");
    await cli.run("promote stable canary");
    vi.setSystemTime(NOW + 90_000);
    const { release: two } = await publish("registry.example/two");
    vi.setSystemTime(NOW + 95_000);
    const { out } = await cli.run("releases");
    const rows = out.trimEnd().split("\n");
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      ["RELEASE", "CHANNELS", "AGE", "BY", "WHY"],
      [two, "stable", "5s", CALLER, "registry.example/two"],
      [one, "canary", "1m", CALLER, "registry.example/one"],
    ]);
    expect((await cli.run("releases -o name")).out).toBe(`${two}\n${one}\n`);
    expect((await cli.json("releases")).map(({ channels }: { channels: string[] }) => channels)).toEqual([
      ["stable"],
      ["canary"],
    ]);
  });
});
