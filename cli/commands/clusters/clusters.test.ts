import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

const SHA = "0123456789abcdef".repeat(4);
const OTHER = "fedcba9876543210".repeat(4);

describe("outrigger clusters", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(async () => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    await cli.run("publish");
    await cli.run("publish --channel canary");
    const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const record = {
      revisions: { default: "stable" },
      arn: "arn:aws:eks:eu-west-1:111122223333:cluster/shop",
      kubernetesVersion: "1.33",
      tokens: [
        { sha256: SHA, created: day(40) },
        { sha256: OTHER, created: day(2) },
      ],
    };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify(record));
  });
  afterEach(() => cli.remove("."));

  const record = () => JSON.parse(aws.store.values()[aws.layout.cluster("shop")] as string);

  it("lists what each is served, and its tokens by age only", async () => {
    const { code, out } = await cli.run("clusters");
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "CLUSTER   REVISIONS        KUBERNETES   NETWORK   NATIVE   TOKENS",
        "shop      default=stable   1.33                   auto     1:40d 2:2d\n",
      ].join("\n"),
    );
    const { out: json } = await cli.run("clusters --json");
    expect(JSON.parse(json).shop.tokens[0].sha256).toBe("01234567…");
    expect(json + out).not.toContain(SHA.slice(0, 12));
  });

  it("shows the network, whether native sidecars are set, and URLs where any was given", async () => {
    await cli.run("clusters set shop network=net native-sidecars=true revision.canary=canary");
    expect((await cli.run("clusters")).out.split("\n")[1]).toMatch(
      /^shop +default=stable,canary=canary +1\.33 +net +true +1:40d 2:2d$/,
    );
    const given = (url: string, isGiven: boolean) => ({ url, givenUrl: isGiven });
    const settings = { default: given("https://a.test", true), canary: given("https://a.test", true) };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify({ ...record(), settings }, undefined, 1));
    const { out } = await cli.run("clusters");
    expect(out).toMatch(/^CLUSTER .* TOKENS +URL\n.* 2:2d +https:\/\/a\.test\n$/);
    const other = { ...settings, canary: given("https://b.test", false) };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify({ ...record(), settings: other }, undefined, 1));
    expect((await cli.run("clusters")).out).not.toContain("b.test");
    expect((await cli.run("clusters -o name")).out).toBe("shop\n");
  });

  it("says how to register one when there are none", async () => {
    aws.deployed.push("/outrigger/empty");
    expect((await cli.run("clusters --deployment empty")).out).toContain("outrigger register --cluster NAME");
  });

  it("changes what is named, and keeps the rest and the tokens", async () => {
    const { code, out } = await cli.run(
      "clusters set shop revision.canary=canary network=network-1 native-sidecars=false",
    );
    expect([code, out]).toEqual([0, "Cluster shop is changed\n"]);
    expect(record()).toMatchObject({
      revisions: { default: "stable", canary: "canary" },
      network: "network-1",
      nativeSidecars: false,
      kubernetesVersion: "1.33",
    });
    expect(record().tokens.map(({ sha256 }: { sha256: string }) => sha256)).toEqual([SHA, OTHER]);

    await cli.run("clusters set shop revision.canary= network= native-sidecars=auto");
    expect(record()).toMatchObject({ revisions: { default: "stable" } });
    expect(Object.keys(record())).not.toContain("network");
    expect(Object.keys(record())).not.toContain("nativeSidecars");
  });

  it.each<[string, number, string]>([
    ["clusters set shop revision.canary", 2, "Write name=value, as in revision.canary=canary"],
    ["clusters set shop native-sidecars=yes", 2, "write true, false or auto"],
    [
      "clusters set shop revision.default=gone",
      3,
      "Cannot use channel gone: there is none of that name; channels are ",
    ],
    ["clusters set shop revision.default=", 1, "it must map at least one revision to a channel"],
    ["clusters set shop kubernetes-version=2", 2, "A version has two numbers, as 1.33 has."],
    [
      "clusters set gone network=x",
      3,
      "Cannot change cluster gone: it is not registered; outrigger register --cluster gone",
    ],
  ])("refuses %s", async (line, code, message) => {
    const before = record();
    const ran = await cli.run(line);
    expect([ran.code, ran.out]).toEqual([code, ""]);
    expect(ran.err).toContain(message);
    expect(record()).toEqual(before);
  });

  it.each(["clusters set shop network=x --deployment prod", "clusters --deployment prod set shop network=x"])(
    "goes to the deployment that is named, wherever it is: %s",
    async (line) => {
      const before = record();
      aws.deployed.push("/outrigger/prod");
      expect((await cli.run(line)).err).toContain("Cannot change cluster shop: it is not registered");
      expect(record()).toEqual(before);
    },
  );

  it("prints the answer as JSON", async () => {
    expect(await cli.json("clusters set shop network=x")).toMatchObject({ ok: true, changed: true });
    expect(await cli.json("clusters remove shop")).toMatchObject({ ok: true, changed: true });
  });

  it("writes nothing when it is a dry run", async () => {
    const before = record();
    expect((await cli.run("clusters set shop network=x --dry-run")).code).toBe(0);
    expect(record()).toEqual(before);
  });

  it("does not forget a cluster that a command has left half changed, unless it is gone", async () => {
    const lease = { id: "a".repeat(16), by: "bob", until: "2020-01-01T00:00:00Z" };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify({ lease, ...record() }));
    const { code, err } = await cli.run("clusters remove shop");
    expect([code, err]).toEqual([3, expect.stringContaining("bob is changing it, or was stopped before the end")]);
    expect((await cli.run("clusters remove shop --force")).code).toBe(0);
  });

  it("forgets a cluster", async () => {
    expect((await cli.run("clusters remove shop")).out).toBe("Cluster shop is not registered any more\n");
    expect((await cli.run("clusters remove shop")).out).toBe("There is no cluster shop\n");
    expect((await cli.run("clusters")).out).toContain("There are no clusters");
  });
});
