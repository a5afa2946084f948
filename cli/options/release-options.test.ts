import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { findRelease, type ReleaseOptions, readQuestion, sourceOptions } from "./release-options.ts";

const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
const hub = (name: string) => `global: {hub: registry.example/${name}}\n`;

describe("findRelease()", () => {
  const aws = fakeAws();
  const cli = fakeCli(aws.connect, SHIPPED);
  const io = () => fakeIo({ cwd: cli.cwd, templates: join(cli.cwd, "shipped"), connect: aws.connect });
  /** The registry that the release takes images from, what it is called, and what the cluster adds. */
  async function found(options: Partial<ReleaseOptions>) {
    const { referred, settings } = await findRelease(options as ReleaseOptions, io());
    const { hub: registry } = referred.release.values["global"] as { readonly hub: string };
    return { registry: registry.replace("registry.example/", ""), name: referred.name, settings };
  }
  const refused = (options: Partial<ReleaseOptions>) =>
    findRelease(options as ReleaseOptions, io()).then(
      () => "it is found",
      ({ code, message }) => [code, message],
    );
  beforeAll(async () => {
    await aws.edit("values/10-mine", hub("stable"));
    await cli.run("publish");
    await aws.edit("values/10-mine", hub("canary"));
    await cli.run("publish --channel canary");
    await aws.edit("values/10-mine", hub("source"));
    cli.write("mine/values/10.yaml", hub("mine"));
    cli.write("stable/values/10.yaml", hub("directory"));
    cli.write("mine/environments/prod/values.yaml", hub("prod"));
    const record = {
      revisions: { default: "stable", next: "canary" },
      arn: "",
      tokens: [],
      network: "network-1",
    };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify(record));
  });
  afterAll(() => cli.remove("."));

  it("is the shipped one where nothing is named", async () => {
    expect(await found({})).toEqual({ registry: "shipped", name: "shipped", settings: {} });
  });

  it("is that of the tree that is named, for a revision if one is given", async () => {
    expect(await found({ from: "canary" })).toEqual({ registry: "canary", name: "canary", settings: {} });
    expect(await found({ from: "source", revision: "next" })).toEqual({
      registry: "source",
      name: "source",
      settings: { revision: "next" },
    });
  });

  it("is that of a directory, though a channel has its name", async () => {
    expect(await found({ dir: "stable" })).toMatchObject({ registry: "directory", settings: {} });
    expect(await found({ dir: "./mine", revision: "next" })).toEqual({
      registry: "mine",
      name: "./mine",
      settings: { revision: "next" },
    });
  });

  it("is that of a directory's environment", async () => {
    expect(await found({ dir: "mine", env: "prod" })).toMatchObject({ registry: "prod" });
  });

  it("has the values of the command line over it", async () => {
    expect(await found({ from: "canary", set: ["global.hub=registry.example/set"] })).toMatchObject({
      registry: "set",
    });
  });

  it("is what a cluster is served, with what the cluster adds", async () => {
    expect(await found({ cluster: "shop" })).toEqual({
      registry: "stable",
      name: "stable",
      settings: { network: "network-1" },
    });
    expect(await found({ cluster: "shop", revision: "default" })).toMatchObject({ registry: "stable" });
    expect((await found({ cluster: "shop", revision: "default" })).settings).not.toHaveProperty("revision");
    expect(await found({ cluster: "shop", revision: "next" })).toEqual({
      registry: "canary",
      name: "canary",
      settings: { network: "network-1", revision: "next" },
    });
  });

  it.each(["pay", "no cluster/", ""])("names the list of clusters where there is no %j", async (cluster) => {
    expect(await refused({ cluster })).toEqual([
      "cluster-unknown",
      `Cannot find cluster ${cluster}: "outrigger clusters" lists those that are registered`,
    ]);
  });

  it.each(["blue", "constructor"])("names the revisions of a cluster that has no %s", async (revision) => {
    expect(await refused({ cluster: "shop", revision })).toEqual([
      "cluster-invalid",
      `Cannot find revision ${revision} of cluster shop: it has default, next`,
    ]);
  });

  it.each([
    { dir: "mine", from: "stable" },
    { dir: "mine", cluster: "shop" },
    { from: "stable", cluster: "shop" },
    { dir: "mine", from: "stable", cluster: "shop" },
  ])("refuses two trees at once: %j", async (options) => {
    expect(await refused(options)).toEqual(["usage", "Cannot use more than one of --dir, --from and --cluster"]);
  });

  it("refuses an environment of what is no directory", async () => {
    expect(await refused({ env: "prod" })).toEqual(["usage", "Cannot use --env without --dir"]);
    expect(await refused({ env: "prod", from: "stable" })).toEqual(["usage", "Cannot use --env without --dir"]);
  });

  it("is asked about each pod of the manifests, as the cluster would", async () => {
    cli.write("pod.yaml", POD);
    const options = { filename: ["pod.yaml"], cluster: "shop", namespace: "pay" };
    const { referred, pods } = await readQuestion(options as unknown as Parameters<typeof readQuestion>[0], io());
    expect(referred.name).toBe("stable");
    expect(pods).toHaveLength(1);
    expect(pods[0]).toMatchObject({
      name: "pod.yaml",
      request: { namespace: "pay", cluster: { network: "network-1" } },
    });
  });
});

it("sourceOptions() leaves out what is not given", () => {
  expect(sourceOptions({})).toEqual({});
  expect(sourceOptions({ namespace: "web", kind: ["Rollout"] })).toEqual({ namespace: "web", kinds: ["Rollout"] });
});
