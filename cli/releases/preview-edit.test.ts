import { OutriggerError } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openDeployment } from "../connect/deployment.ts";
import { previewEdit } from "./preview-edit.ts";

const WIDENED = {
  config: "defaultTemplates: [sidecar, wide]\n",
  "templates/wide": "spec:\n  hostPID: true\n",
};

describe("previewEdit()", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(async () => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    const record = { revisions: { default: "stable" }, arn: "", tokens: [] };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify(record, null, 1));
    await cli.run("publish");
  });
  afterEach(() => cli.remove("."));
  const opened = () => openDeployment({}, fakeIo({ connect: aws.connect }));
  /** The deployment where a read of the store fails. */
  const failing = async (error: OutriggerError) => {
    const deployment = await opened();
    const fail = () => Promise.reject(error);
    return { ...deployment, store: { ...deployment.store, getParameters: fail, getParametersByPath: fail } };
  };

  it("says what a tree would do to pods, and what waits for a person by what is deployed", async () => {
    const before = await previewEdit({ tree: {}, shipped: SHIPPED }, await opened());
    expect(before).toMatchObject({ channel: "stable", effects: [] });
    const another = { tree: WIDENED, shipped: SHIPPED };
    expect(await previewEdit(another, await opened())).toMatchObject({
      effects: expect.arrayContaining([expect.objectContaining({ name: "privileges-widened" })]),
      held: expect.stringContaining("waits for a person: privileges-widened"),
    });
    aws.holdBack("off");
    expect(await previewEdit(another, await opened())).not.toHaveProperty("held");
  });

  it("tells a person who may not read what is served so, and names the channel of the tree", async () => {
    const denied = await failing(new OutriggerError("store-denied", "You may not read it"));
    expect(await previewEdit({ tree: {}, shipped: SHIPPED }, denied)).toEqual({
      channel: "stable",
      effects: [],
      warnings: ["What changes for pods is not known: You may not read it"],
    });
    const tree = { config: "publishTo: canary\n" };
    expect((await previewEdit({ tree, shipped: SHIPPED }, denied)).channel).toBe("canary");
  });

  it("passes on every other fault", async () => {
    const gone = await failing(new OutriggerError("store-unavailable", "socket hang up"));
    await expect(previewEdit({ tree: {}, shipped: SHIPPED }, gone)).rejects.toMatchObject({
      code: "store-unavailable",
    });
  });
});
