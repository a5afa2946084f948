import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openDeployment } from "../connect/deployment.ts";
import { findReference, readChannel } from "./reference.ts";

const io = fakeIo();
const connect = () => Promise.reject(new Error("asked AWS"));
let copy: string | undefined;
afterEach(() => copy !== undefined && rmSync(copy, { recursive: true, force: true }));

describe("the shipped tree", () => {
  it("is the release that the build compiled, which is what compiling it gives", async () => {
    const { release, digest } = await findReference("shipped", connect, io);
    const compiled = compileRelease([await readSourceTree(io.templates), {}]);
    expect(release).toEqual(JSON.parse(JSON.stringify(compiled)));
    expect(digest).toBe(releaseDigest(compiled));
  });

  it("is compiled where its files are others than those of the build", async () => {
    copy = mkdtempSync(join(tmpdir(), "outrigger-templates-"));
    cpSync(io.templates, copy, { recursive: true });
    writeFileSync(join(copy, "mesh.yaml"), "trustDomain: edited.example\n");
    const { release, digest } = await findReference("shipped", connect, { ...io, templates: copy });
    expect(release.meshConfig.trustDomain).toBe("edited.example");
    expect(digest).toBe(releaseDigest(release));
  });
});

describe("findReference()", () => {
  const aws = fakeAws();
  const cli = fakeCli(aws.connect, SHIPPED);
  let [stable, canary] = ["", ""];
  const hub = (name: string) => `global: {hub: registry.example/${name}}\n`;
  const mine = () => fakeIo({ cwd: cli.cwd, templates: join(cli.cwd, "shipped"), connect: aws.connect });
  const open = () => openDeployment({}, mine());
  async function found(
    name: string,
    { io: from = mine(), connect: reach = open, environment = undefined as string | undefined } = {},
  ) {
    const { release, ...rest } = await findReference(name, reach, from, environment);
    const { hub: registry } = release.values["global"] as { readonly hub: string };
    return { registry: registry.replace("registry.example/", ""), ...rest };
  }
  const refused = (name: string, reach: typeof open = open) =>
    found(name, { connect: reach }).then(
      () => "it is found",
      ({ code, message }: OutriggerError) => `${code}: ${message}`,
    );
  beforeAll(async () => {
    await aws.edit("values/10-mine", hub("stable"));
    stable = (await cli.json("publish")).release;
    await aws.edit("values/10-mine", hub("canary"));
    canary = (await cli.json("publish --channel canary")).release;
    await aws.edit("values/10-mine", hub("source"));
    for (const directory of ["mine", "Upper"]) cli.write(`${directory}/values/10.yaml`, hub(directory.toLowerCase()));
    cli.write("stable/values/10.yaml", hub("of-directory"));
    cli.write("mine/environments/prod/values.yaml", hub("prod"));
    cli.write("file", "");
  });
  afterAll(() => cli.remove("."));

  it("takes a channel, with its name, its release and the texts that it was made of", async () => {
    expect(await found("canary")).toEqual({
      ...{ registry: "canary", name: "canary", channel: "canary", digest: canary },
      tree: { "values/10-mine": hub("canary") },
    });
  });

  it("takes a channel before a directory, and a directory by a path, or by a name that no channel has", async () => {
    expect(await found("stable")).toMatchObject({ registry: "stable", channel: "stable" });
    expect(await found("mine")).toMatchObject({ registry: "mine", tree: { "values/10": hub("mine") } });
    expect(await found("mine")).not.toHaveProperty("channel");
    for (const name of ["./stable", "stable/"]) {
      const directory = await found(name);
      expect([directory.registry, directory.channel]).toEqual(["of-directory", undefined]);
    }
  });

  it("takes a release by its digest, or the first digits", async () => {
    for (const name of [stable, stable.slice(0, 6)])
      expect(await found(name)).toEqual({
        ...{ registry: "stable", name, digest: stable, tree: { "values/10-mine": hub("stable") } },
      });
  });

  it("takes the source tree as it is stored", async () => {
    expect(await found("source")).toMatchObject({ registry: "source", tree: { "values/10-mine": hub("source") } });
  });

  it("lays an environment over a directory, and says so in the name", async () => {
    expect(await found("mine", { environment: "prod" })).toMatchObject({
      ...{ registry: "prod", name: "mine (prod)", environment: "prod" },
    });
    expect(await found("mine")).not.toHaveProperty("environment");
  });

  it("asks AWS for nothing that is on this machine", async () => {
    for (const name of ["shipped", "./mine", "..", "."]) {
      const looked = await found(name, { connect }).catch((error: OutriggerError) => error.message);
      expect(looked).not.toBe("asked AWS");
    }
    expect((await found("Upper", { connect })).registry).toBe("upper");
  });

  it.each([
    ["none", "channel-unknown: Cannot find channel none below /outrigger/dev/channels: "],
    ["ffffffffffff", "release-unknown: "],
    ["ffff", "release-unknown: Cannot find a release that begins with ffff"],
    ["No Such", 'usage: Cannot find "No Such": name a channel, a release, source, shipped or a directory'],
    ["file", "channel-unknown: "],
  ])("says what is wrong with %s", async (name, why) => {
    expect(await refused(name)).toContain(why);
  });

  it("takes the directory where channels cannot be read, and says so", async () => {
    const denied: typeof open = () => Promise.reject(new OutriggerError("store-denied", "you may not"));
    const from = mine();
    expect((await found("mine", { io: from, connect: denied })).registry).toBe("mine");
    expect(from.err()).toBe("Warning: mine is the directory here: channels are not known, because you may not\n");
    const quiet = mine();
    await found("mine", { io: quiet });
    expect(quiet.err()).toBe("");
    expect(await refused("canary", denied)).toBe("store-denied: you may not");
    await expect(found("mine", { connect })).rejects.toThrow("asked AWS");
  });

  it("has no texts of a release of which one is gone", async () => {
    await aws.remove("values/10-mine");
    expect((await found("canary")).tree).toBeUndefined();
    await aws.edit("values/10-mine", hub("again"));
  });

  it("reads the record of a channel, or names the list of those that exist", async () => {
    expect((await readChannel(await open(), "stable")).release).toBe(stable);
    await expect(readChannel(await open(), "none")).rejects.toMatchObject({
      code: "channel-unknown",
      path: "/outrigger/dev/channels/none",
      message: expect.stringContaining('"outrigger channel" lists those that exist'),
    });
  });
});
