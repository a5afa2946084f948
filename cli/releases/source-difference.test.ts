import { OutriggerError } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CALLER, fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openDeployment } from "../connect/deployment.ts";
import { readChannels } from "./read-records.ts";
import { heldEdit, sourceDifference } from "./source-difference.ts";

const hub = (name: string) => `global: {hub: registry.example/${name}}\n`;

describe("sourceDifference()", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(async () => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    await aws.edit("values/10-mine", hub("one"));
    await cli.run("publish");
  });
  afterEach(() => cli.remove("."));
  const opened = () => openDeployment({}, fakeIo({ connect: aws.connect }));
  async function difference(deployment = opened()) {
    const io = fakeIo({ connect: aws.connect, templates: `${cli.cwd}/shipped` });
    const found = await deployment;
    return sourceDifference(await readChannels(await opened(), io), found, io);
  }

  it("says nothing where the tree is what is served", async () => {
    expect(await difference()).toBeUndefined();
  });

  it("names the tree and the channel where an edit is not published, and where to look", async () => {
    await aws.edit("values/10-mine", hub("two"));
    expect(await difference()).toBe(
      'Source differs: /outrigger/dev/source is not what stable was made of (outrigger publish says why, or "outrigger lint source")',
    );
  });

  it("says why the edit waits", async () => {
    await cli.run("pin stable");
    await aws.edit("values/10-mine", hub("two"));
    expect(await difference()).toMatch(
      /^Source differs: .* was made of \(stable is pinned to .* lets edits move it\)$/,
    );
  });

  it("compares with the channel that edits go to, and that the tree names first", async () => {
    await cli.run("publish --channel canary");
    await aws.edit("values/10-mine", hub("two"));
    await cli.run("publish --channel canary");
    expect(await difference()).toContain("is not what stable was made of");
    await cli.run("channel edits canary");
    expect(await difference()).toBeUndefined();
  });

  it("says how to let edits go where the tree wants them, and says nothing of a channel that is not there", async () => {
    await cli.run("channel edits stable");
    await aws.edit("config", "defaultTemplates: [sidecar]\npublishTo: canary\n");
    expect(await difference()).toBe(
      'Source differs: it names publishTo: canary, and edits go to stable: take it out of /outrigger/dev/source/config, or run "outrigger channel edits canary"',
    );
    const io = fakeIo({ connect: aws.connect, templates: `${cli.cwd}/shipped` });
    const none = Object.create({ canary: {} }) as Parameters<typeof sourceDifference>[0];
    expect(await sourceDifference(none, await opened(), io)).toBeUndefined();
  });

  it("says why the tree cannot be read", async () => {
    await aws.edit("manifest", "nonsense");
    expect(await difference()).toMatch(/^Source differs: .*manifest/);
    const denied = new OutriggerError("store-denied", "You may not read it");
    const getParametersByPath = () => Promise.reject(denied);
    const deployment = await opened();
    const closed = { ...deployment, store: { ...deployment.store, getParametersByPath } };
    expect(await difference(Promise.resolve(closed))).toBe("Source differs: You may not read it");
  });

  it("passes on what is no fault of a deployment", async () => {
    const getParametersByPath = () => Promise.reject(new TypeError("a mistake of ours"));
    const deployment = await opened();
    const broken = { ...deployment, store: { ...deployment.store, getParametersByPath } };
    await expect(difference(Promise.resolve(broken))).rejects.toThrow("a mistake of ours");
  });

  it("says who made the edit that waits for a person, and the command that lets it pass", async () => {
    const cluster = { revisions: { default: "stable" }, arn: "", tokens: [] };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify(cluster, null, 1));
    await cli.run("clusters set shop network=network-1");
    await aws.edit("config", "defaultTemplates: [sidecar, wide]\n");
    await aws.edit("templates/wide", "spec:\n  hostPID: true\n");
    const { askPublisher } = await opened();
    const cause = { by: CALLER, why: "" };
    expect(await askPublisher({ action: "publish", automatic: true, cause })).toMatchObject({
      held: [{ name: "privileges-widened" }, { name: "author-changed" }],
    });
    const waits = await difference();
    expect(waits).toMatch(
      /^Source differs: an edit by .* at .* waits for a person on stable: privileges-widened \(.*"outrigger publish --accept privileges-widened,author-changed@\w{12}.*", or revert it$/,
    );
    expect(waits).toContain(`by ${CALLER} at 20`);
    await aws.edit("values/10-mine", hub("two"));
    expect(await difference()).toContain("is not what stable was made of");
  });
});

it("heldEdit() says nothing of a channel on which no edit waits", () => {
  expect(heldEdit("stable", {})).toBeUndefined();
  const proposal = {
    from: "canary",
    release: "aaaaaaaaaaaa",
    serving: null,
    by: "ann",
    at: "2026-01-02T03:04:05Z",
    why: "",
  };
  expect(heldEdit("stable", { proposal } as unknown as Parameters<typeof heldEdit>[1])).toBeUndefined();
});
