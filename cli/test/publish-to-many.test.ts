// One tree to the deployments that a file names: four of them, in three rings and two accounts.
import { OutriggerError } from "@outrigger/base";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import type { ConnectAws } from "../connect/aws-connection.ts";

const FILE = `deployments:
- {stage: dev, region: us-east-1, profile: us, ring: 2}
- {stage: dev, region: eu-west-1, account: "111122223333", ring: 1}
- {stage: dev, region: ap-south-1, ring: 3}
- {stage: dev, region: eu-north-1, account: "111122223333", ring: 2}
`;
const REGIONS = ["eu-west-1", "us-east-1", "eu-north-1", "ap-south-1"] as const;
type Region = (typeof REGIONS)[number];

describe("outrigger publish --dir --to", () => {
  let aws: Record<Region, ReturnType<typeof fakeAws>>;
  let cli: ReturnType<typeof fakeCli>;
  /** The publishers that do not answer. */
  let down: Set<string>;
  beforeEach(async () => {
    const account = (region: Region) => (region === "us-east-1" ? "444455556666" : "111122223333");
    const open = (region: Region) => [region, fakeAws({}, SHIPPED, `${account(region)}/${region}/`)];
    aws = Object.fromEntries(REGIONS.map(open)) as typeof aws;
    down = new Set();
    const connect: ConnectAws = async (target) => {
      const region = (target.region ?? "eu-west-1") as Region;
      const connection = await aws[region].connect(target);
      const askPublisher: typeof connection.askPublisher = async (request) => {
        if (down.has(region)) throw new OutriggerError("aws-unavailable", "the function does not answer");
        return connection.askPublisher(request);
      };
      return { ...connection, askPublisher };
    };
    cli = fakeCli(connect, SHIPPED);
    for (const region of REGIONS) expect((await cli.run(`publish --region ${region}`)).code).toBe(0);
    cli.write("deployments.yaml", FILE);
    cli.write("tree/values/10-mine.yaml", "global:\n  hub: registry.example/next\n");
  });
  afterEach(() => cli.remove("."));

  const RUN = "publish --dir tree --to deployments.yaml";
  const releaseOf = (region: Region) => {
    const { store, layout } = aws[region];
    return JSON.parse(store.values()[layout.channel("stable")] as string).release as string;
  };
  const releases = () => REGIONS.map(releaseOf);
  const written = (region: Region) =>
    Object.keys(aws[region].store.values()).filter((name) => name.includes("/source/"));
  const rows = (out: string) =>
    out
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/).map((cell) => cell.trim()));

  it("serves one release everywhere, and says so; run again, it changes nothing", async () => {
    const { code, out, err } = await cli.run(RUN);
    expect(code, err).toBe(0);
    const [first] = releases();
    expect(new Set(releases()).size).toBe(1);
    expect(rows(out)).toEqual([
      ["DEPLOYMENT", "RING", "RELEASE", "STATE"],
      ["dev in eu-west-1", "1", first, "published"],
      ["dev in us-east-1 (profile us)", "2", first, "published"],
      ["dev in eu-north-1", "2", first, "published"],
      ["dev in ap-south-1", "3", first, "published"],
    ]);
    const again = await cli.json(RUN);
    expect(again.map(({ state }: { state: string }) => state)).toEqual(Array(4).fill("as before"));
  });

  it("writes nothing anywhere in a dry run, nor where one deployment refuses the tree", async () => {
    const before = releases();
    const dry = await cli.run(`${RUN} --dry-run`);
    expect([dry.code, rows(dry.out).map((row) => row.at(-1))]).toEqual([
      0,
      ["STATE", ...Array(4).fill("would be published")],
    ]);
    await cli.run("pin stable --region ap-south-1");
    const { code, out, err } = await cli.run(RUN);
    expect([code, err]).toEqual([
      3,
      expect.stringContaining("Cannot publish to dev in ap-south-1, and nothing was written"),
    ]);
    expect(rows(out).map((row) => row.at(-1))).toEqual([
      ...["STATE", "not begun", "not begun", "not begun"],
      expect.stringMatching(/^failed: Cannot push: stable is pinned/),
    ]);
    expect([releases(), REGIONS.flatMap(written)]).toEqual([before, []]);
  });

  it("goes no further than the ring in which one fails, is exact about who has what, and goes on when run again", async () => {
    const [old] = releases();
    down.add("us-east-1");
    const failed = await cli.run(RUN);
    expect([failed.code, failed.err]).toEqual([
      3,
      expect.stringContaining("and 2 of 4 deployments have the tree; run it again to go on"),
    ]);
    const [next] = releases();
    expect(releases()).toEqual([next, old, next, old]);
    expect(written("ap-south-1")).toEqual([]);
    expect(rows(failed.out).map((row) => row.at(-1))).toEqual([
      ...[
        "STATE",
        "published",
        expect.stringMatching(/^failed: the function does not answer/),
        "published",
        "not begun",
      ],
    ]);
    down.clear();
    const { code, out } = await cli.run(RUN);
    expect([code, rows(out).map((row) => row.at(-1))]).toEqual([
      0,
      ["STATE", "as before", "published", "as before", "published"],
    ]);
    expect(releases()).toEqual(Array(4).fill(next));
  });

  it("stops after the ring that is named", async () => {
    const [old] = releases();
    const { code, out } = await cli.run(`${RUN} --ring 1`);
    expect([code, rows(out)]).toEqual([
      0,
      [expect.anything(), ["dev in eu-west-1", "1", releaseOf("eu-west-1"), "published"]],
    ]);
    expect(releases().slice(1)).toEqual([old, old, old]);
  });

  it("says where the same tree is another release, as its functions are of another version", async () => {
    aws["eu-north-1"] = fakeAws(
      {},
      { ...SHIPPED, "values/01-newer": "global: {newer: true}\n" },
      "111122223333/eu-north-1/",
    );
    await cli.run("publish --region eu-north-1");
    const { code, out } = await cli.run(RUN);
    expect(code).toBe(1);
    expect(rows(out).map((row) => row.at(-1))).toEqual([
      ...["STATE", "published", "published", expect.stringContaining("of another version of Outrigger"), "not begun"],
    ]);
  });

  it("reaches no deployment of another account than the file names", async () => {
    cli.write("deployments.yaml", FILE.replace("us, ring", 'us, account: "111122223333", ring'));
    const { code, out } = await cli.run(RUN);
    expect(code).toBe(2);
    expect(out).toContain("failed: The credentials are of account 444455556666, and not of 111122223333");
    expect(REGIONS.flatMap(written)).toEqual([]);
  });

  it.each([
    ["publish --to deployments.yaml", "Cannot use --to without --dir"],
    [`${RUN} --region eu-west-1`, "Cannot use --region with --to: deployments.yaml names the deployments"],
    [`${RUN} --if-serving 1f2e3d4c5b6a`, "Cannot use --if-serving with --to"],
    ["publish --dir tree --to nowhere.yaml", "nowhere.yaml: ENOENT"],
  ])("refuses %s", async (line, why) => {
    const { code, err } = await cli.run(line);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });

  it.each([
    ["{}", "it needs a list deployments"],
    ["deployments: [1]", "deployments[0] must be a mapping with stage and ring"],
    ["deployments: [{stage: dev}]", "deployments[0].ring must be a whole number from 1 to 100"],
    ["deployments: [{ring: 1}]", "deployments[0].stage must be the name of a stage: prod"],
    [
      "deployments: [{stage: dev, ring: 1, account: 111122223333}]",
      "deployments[0].account must be an account in quotes",
    ],
    ["deployments: [{stage: dev, ring: 1, role: x}]", "deployments[0] has role, and may have stage, region"],
    ["deployments: [{stage: dev, ring: 1}, {stage: dev, ring: 2}]", "dev is in it twice"],
    ["deployments: [", "deployments.yaml"],
  ])("refuses the file %s", async (text, why) => {
    cli.write("deployments.yaml", text);
    const { code, err } = await cli.run(RUN);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });

  it("is followed by who moved what, where and when, in all of them", async () => {
    await cli.run(RUN);
    await cli.run("pin stable --region ap-south-1 -m freeze");
    const { code, out, err } = await cli.run("channel --since 1h --all --deployments deployments.yaml");
    expect(code, err).toBe(0);
    for (const line of ["channel stable --since 1h --all", "channel --all"])
      expect(await cli.run(line)).toMatchObject({ code: 2, err: "Use --all with --since, and without a channel\n" });
    const table = rows(out).map(([, deployment, channel, what, , by]) => [deployment, channel, what, by]);
    expect(table.slice(0, 2)).toEqual([
      ["DEPLOYMENT", "CHANNEL", "WHAT", "BY"],
      ["dev in ap-south-1", "stable", "pin", expect.any(String)],
    ]);
    // Each was made with a release, and got another.
    expect(table).toHaveLength(1 + 1 + 8);
    const times = rows(out)
      .slice(1)
      .map(([when = ""]) => Date.parse(when));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    const [newest] = await cli.json("channel stable --since 1h --deployments deployments.yaml");
    expect(newest).toMatchObject({ deployment: "dev in ap-south-1", channel: "stable", action: "pin", why: "freeze" });
  });

  it("reads the moves of the others where one deployment cannot be reached, and fails", async () => {
    cli.write(
      "deployments.yaml",
      FILE.replace('eu-north-1, account: "111122223333"', 'eu-north-1, account: "999999999999"'),
    );
    const { code, out, err } = await cli.run("channel --since 1h --deployments deployments.yaml");
    expect(code).not.toBe(0);
    expect(err).toContain("dev in eu-north-1 is left out: The credentials are of account 111122223333");
    expect(err).toContain("Cannot read the moves of dev in eu-north-1");
    expect(
      new Set(
        rows(out)
          .slice(1)
          .map(([, deployment]) => deployment),
      ).size,
    ).toBe(3);
    expect((await cli.run("channel --deployments deployments.yaml")).err).toContain("without --since");
    expect((await cli.run("channel --since 1h --deployments deployments.yaml --region eu-west-1")).err).toContain(
      "Cannot use --region with --deployments",
    );
  });

  it("says of one channel what is not kept any more, and refuses one that is not there", async () => {
    for (let times = 0; times < 10; times++) {
      // A command that is run again is the same request: each has its own reason.
      await cli.run(`pin stable --region eu-west-1 -m ${times}`);
      await cli.run(`pin stable --off --region eu-west-1 -m ${times}`);
    }
    const { out } = await cli.run("channel stable --since 1d --region eu-west-1");
    expect(rows(out)).toHaveLength(1 + 20 + 1);
    expect(out).toMatch(/Of stable, moves before \S+Z are not kept\n$/);
    const none = await cli.run("channel stabel --since 1d --region eu-west-1");
    expect([none.code, none.err]).toEqual([3, expect.stringContaining("stabel")]);
  });
});
