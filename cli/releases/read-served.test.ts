import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openDeployment } from "../connect/deployment.ts";
import { readServed } from "./read-served.ts";

describe("readServed()", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
  });
  afterEach(() => cli.remove("."));
  const served = async () => readServed(await openDeployment({}, fakeIo({ connect: aws.connect })));

  it("gives the release of each channel that serves one", async () => {
    await aws.edit("values/10-mine", "global: {hub: registry.example/one}\n");
    await cli.run("publish");
    await aws.edit("values/10-mine", "global: {hub: registry.example/two}\n");
    await cli.run("publish --channel canary");
    const releaseOf = await served();
    const hubs = ["stable", "canary"].map((channel) => releaseOf(channel)?.values["global"]);
    expect(hubs).toEqual([{ hub: "registry.example/one" }, { hub: "registry.example/two" }]);
    for (const name of ["none", "constructor", "__proto__"]) expect(releaseOf(name)).toBeUndefined();
  });

  it("says that nothing is published yet where nothing is served", async () => {
    await expect(served()).rejects.toMatchObject({ code: "release-unknown" });
  });
});
