import { describe, expect, it } from "vitest";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { readRecords } from "./read-records.ts";

describe("readRecords()", () => {
  it("takes no record for one under a name that none can have", async () => {
    const setup = publisherSetup();
    await setup.edit("mesh", "a");
    await setup.run({ action: "publish" });
    const record = setup.store.values()[layout.channel("stable")] as string;
    const cluster = JSON.stringify({ arn: "", revisions: { default: "stable" }, tokens: [] });
    await setup.put(`${layout.channels}/Up_Per`, record);
    await setup.put(`${layout.clusters}/-c`, cluster);
    await setup.put(layout.cluster("c1"), cluster);
    const { channels, clusters, unreadable, problems } = await readRecords(setup.dependencies);
    expect([Object.keys(channels), Object.keys(clusters)]).toEqual([["stable"], ["c1"]]);
    expect(unreadable).toEqual({ channels: ["Up_Per"], clusters: ["-c"] });
    expect(problems).toMatchObject([
      { code: "store-corrupt", path: `${layout.channels}/Up_Per` },
      { code: "store-corrupt", path: `${layout.clusters}/-c` },
    ]);
  });
});
