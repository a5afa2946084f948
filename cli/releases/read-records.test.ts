import { OutriggerError } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { Deployment } from "../connect/deployment.ts";
import { readChannels, readClusterRecord, readClusters, readEachCluster, wholeDigest } from "./read-records.ts";

const RECORD = { revisions: { default: "stable" }, arn: "", tokens: [] };
const [NOW, SHARE, BEFORE] = ["aaaa11111111", "aaaa22222222", "bbbb33333333"] as const;
const move = (release: string) => ({ release, action: "publish", at: "2026-01-02T03:04:05Z", by: "ann", why: "" });

describe("the records of a deployment", () => {
  let aws: ReturnType<typeof fakeAws>;
  let deployment: Deployment;
  let io: ReturnType<typeof fakeIo>;
  beforeEach(async () => {
    aws = fakeAws();
    io = fakeIo();
    const target = { layout: aws.layout, stage: "dev", publisher: "outrigger-dev-publish" };
    deployment = { ...(await aws.connect(target)), target };
    // Parameter Store takes no two braces in a row.
    const put = (name: string, record: object) => aws.put(name, JSON.stringify(record, null, 1));
    const share = { release: SHARE, percent: 5 };
    await put(aws.layout.channel("stable"), { release: NOW, pinned: false, share, history: [move(NOW), move(BEFORE)] });
    await put(aws.layout.channel("canary"), { release: NOW, pinned: false, history: [move(NOW)] });
    await put(aws.layout.cluster("shop"), RECORD);
  });

  it("are read by their names, and one that is damaged is a warning", async () => {
    await aws.put(aws.layout.channel("broken"), "nonsense");
    await aws.put(aws.layout.cluster("broken"), "nonsense");
    expect(Object.keys(await readChannels(deployment, io)).sort()).toEqual(["canary", "stable"]);
    expect(io.err()).toMatch(/^Warning: .*\/outrigger\/dev\/channels\/broken.*\n$/);
    expect(await readClusters(deployment, io)).toMatchObject({ shop: { revisions: { default: "stable" } } });
    expect(io.err()).toMatch(/\nWarning: .*\/outrigger\/dev\/clusters\/broken.*\n$/);
    const each = await readEachCluster(deployment);
    expect([...each.keys()].sort()).toEqual(["broken", "shop"]);
    expect(each.get("broken")).toBeInstanceOf(OutriggerError);
  });

  it("of one cluster are undefined where it is not registered", async () => {
    expect(await readClusterRecord(deployment, "shop")).toMatchObject({ revisions: { default: "stable" } });
    expect(await readClusterRecord(deployment, "till")).toBeUndefined();
  });

  it("name a release by the first of its digits, served, in a share or before", async () => {
    expect(await wholeDigest("aaaa1", deployment, io)).toBe(NOW);
    expect(await wholeDigest("aaaa2", deployment, io)).toBe(SHARE);
    expect(await wholeDigest("bbbb", deployment, io)).toBe(BEFORE);
    // A whole digest need not be known.
    expect(await wholeDigest("cccccccccccc", deployment, io)).toBe("cccccccccccc");
  });

  it.each([
    ["aaaa", `${NOW} and ${SHARE} do: write more digits`],
    ["cccc", "no channel has one"],
    ["1111", "no channel has one"],
  ])("name none by %s", async (text, why) => {
    await expect(wholeDigest(text, deployment, io)).rejects.toEqual(
      expect.objectContaining({
        code: "release-unknown",
        message: `Cannot find a release that begins with ${text}: ${why} (outrigger releases)`,
      }),
    );
  });
});
